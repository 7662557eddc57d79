internal import CLibCrypt
internal import Glibc
internal import Nettle

/// Users and their password hashes, in lines `user:hash` as written by `htpasswd -nB` and `mkpasswd`.
///
/// The hashes are those of crypt(5) in the system's libcrypt. The descriptions never contain them.
public struct PasswordFile: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The maximum size, in bytes.
    public static let maximumBytes = 256 << 10
    /// The maximum number of users.
    public static let maximumUsers = 1000
    /// The maximum length of a name or a password, in bytes; bcrypt itself uses only the first 72 of a password.
    public static let maximumLength = 256

    private let hashes: [PasswordHash]
    /// The index of each user's hash.
    private let indexes: [[UInt8]: Int]
    private let digest: [UInt8]

    /// Parses the content of a file.
    ///
    /// Blank lines and lines that begin with `#` are skipped.
    /// - Throws: ``PortAccessError/passwords(line:_:)`` for the first error.
    public init(_ bytes: [UInt8]) throws(PortAccessError) {
        var hashes: [PasswordHash] = []
        var indexes: [[UInt8]: Int] = [:]
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard let start = text.first, start != UInt8(ascii: "#") else { continue }
            guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
                throw .passwords(line: index + 1, "expected 'user:hash'")
            }
            let name = Array(text[..<colon])
            guard (1...Self.maximumLength).contains(name.count), name.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .passwords(
                    line: index + 1,
                    "a user has 1 to \(Self.maximumLength) bytes without control characters"
                )
            }
            let hash: PasswordHash
            do throws(PasswordHash.Flaw) {
                hash = try PasswordHash(Array(text[(colon + 1)...]))
            } catch {
                throw .passwords(line: index + 1, error.rawValue)
            }
            guard indexes.updateValue(hashes.count, forKey: name) == nil else {
                throw .passwords(line: index + 1, "the user is there already")
            }
            guard indexes.count <= Self.maximumUsers else {
                throw .passwords(line: index + 1, "there are more than \(Self.maximumUsers) users")
            }
            hashes.append(hash)
        }
        guard !hashes.isEmpty else { throw .passwords(line: 0, "has no user; make one with: htpasswd -nB admin") }
        self.hashes = hashes
        self.indexes = indexes
        digest = SHA2.sha256.hash(bytes)
    }

    /// Returns whether a user exists and has this password.
    ///
    /// Takes as long as the hash requires, also for unknown users, so it must not be called on an event loop.
    public func accepts(user: [UInt8], password: [UInt8]) -> Bool {
        guard user.count <= Self.maximumLength, password.count <= Self.maximumLength else { return false }
        let (index, isKnown) = comparison(for: user)
        let matches = hashes[index].matches(password)
        return isKnown && matches
    }

    /// Returns the index of the hash to compare with.
    ///
    /// For unknown users it is that of any user, and always the same for a name: hashes differ in their cost, and the
    /// time must not reveal which users exist.
    func comparison(for user: [UInt8]) -> (index: Int, isKnown: Bool) {
        if let index = indexes[user] { return (index, true) }
        // The key of the hasher is random, and that of this process.
        return (Int(user.hashValue.magnitude % UInt(hashes.count)), false)
    }

    /// Compares the content.
    public static func == (one: PasswordFile, other: PasswordFile) -> Bool { one.digest == other.digest }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// The number of users.
    public var description: String { "\(hashes.count) users" }
    /// An empty mirror, which hides the hashes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The hash of a password (crypt(5)).
private struct PasswordHash: Sendable {
    /// The reason that a text is not a usable hash.
    enum Flaw: String, Error {
        case unknown = "unknown hash method (see crypt(5)); create a hash with: htpasswd -nB USER, or mkpasswd"
        case weak = "the hash method is weak; create another hash with: htpasswd -nB USER, or mkpasswd"
        case incomplete = "the hash is not complete"
    }

    /// The length of every bcrypt hash.
    private static let bcryptLength = 60
    /// The length of every DES hash.
    private static let oldestLength = 13

    private let text: [CChar]

    /// Creates a hash, after checking its type.
    init(_ bytes: [UInt8]) throws(Flaw) {
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .unknown }
        // Without a `$` prefix, any text could be a DES hash, even a plain password.
        guard bytes.first == UInt8(ascii: "$") || bytes.count == Self.oldestLength else { throw .unknown }
        text = bytes.map { CChar(bitPattern: $0) } + [0]
        switch crypt_checksalt(text) {
        case CRYPT_SALT_OK, CRYPT_SALT_TOO_CHEAP: break
        case CRYPT_SALT_METHOD_LEGACY, CRYPT_SALT_METHOD_DISABLED: throw .weak
        default: throw .unknown
        }
        if bytes.starts(with: Array("$2".utf8)), bytes.count != Self.bcryptLength { throw .incomplete }
    }

    /// Hashes a password, which is slow by design, and compares the hashes in constant time.
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
