internal import CLibCrypt
internal import Glibc

/// The hash of a password (crypt(5)).
struct PasswordHash: Sendable {
    /// The reason that a text is not accepted as one.
    enum Flaw: String, Error {
        case unknown = "the hash is of no kind that crypt(5) has; make one with: htpasswd -nB USER, or mkpasswd"
        case weak = "the hash is of a weak kind; make another with: htpasswd -nB USER, or mkpasswd"
        case incomplete = "the hash is not complete"
    }

    /// The length of every hash of bcrypt.
    private static let bcryptLength = 60
    /// The length of every hash of DES.
    private static let oldestLength = 13

    private let text: [CChar]

    /// Checks the kind of a hash.
    init(_ bytes: [UInt8]) throws(Flaw) {
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .unknown }
        // Without a sign every text is one of the oldest kind, a password that was not hashed too.
        guard bytes.first == UInt8(ascii: "$") || bytes.count == Self.oldestLength else { throw .unknown }
        text = bytes.map { CChar(bitPattern: $0) } + [0]
        switch crypt_checksalt(text) {
        case CRYPT_SALT_OK, CRYPT_SALT_TOO_CHEAP: break
        case CRYPT_SALT_METHOD_LEGACY, CRYPT_SALT_METHOD_DISABLED: throw .weak
        default: throw .unknown
        }
        if bytes.starts(with: Array("$2".utf8)), bytes.count != Self.bcryptLength { throw .incomplete }
    }

    /// Hashes a password, which takes its time, and compares in a time that does not depend on where the two differ.
    func matches(_ password: [UInt8]) -> Bool {
        guard !password.contains(0) else { return false }
        var phrase = password.map { CChar(bitPattern: $0) } + [0]
        defer {
            phrase.withUnsafeMutableBytes { bytes in
                if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
            }
        }
        return withUnsafeTemporaryAllocation(byteCount: clibcrypt_scratch_size(), alignment: 16) { scratch in
            guard let start = scratch.baseAddress else { return false }
            explicit_bzero(start, scratch.count)
            defer { explicit_bzero(start, scratch.count) }
            guard let result = crypt_rn(phrase, text, start, CInt(scratch.count)) else { return false }
            let length = strlen(result)
            guard length == text.count - 1 else { return false }
            var difference: UInt8 = 0
            for index in 0..<length { difference |= UInt8(bitPattern: result[index] ^ text[index]) }
            return difference == 0
        }
    }
}
