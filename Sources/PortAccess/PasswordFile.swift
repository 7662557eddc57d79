internal import Crypto

/// Users and the hashes of their passwords: lines `user:hash`, as `htpasswd -nB` and `mkpasswd` write them.
///
/// The hashes are those of crypt(5) in the system's libcrypt. Its descriptions show nothing of them.
public struct PasswordFile: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The maximum size, in bytes.
    public static let maximumBytes = 256 << 10
    /// The maximum number of users.
    public static let maximumUsers = 1000
    /// The maximum length of a name or a password, in bytes; bcrypt itself regards the first 72 of a password.
    public static let maximumLength = 256

    private let hashes: [[UInt8]: PasswordHash]
    /// Compared with the passwords of users that do not exist, so that time does not tell them from others.
    private let decoy: PasswordHash
    private let digest: [UInt8]

    /// Reads the content of a file.
    ///
    /// Blank lines and lines that begin with `#` are skipped.
    /// - Throws: ``PortAccessError/passwords(line:_:)`` for the first error.
    public init(_ bytes: [UInt8]) throws(PortAccessError) {
        var hashes: [[UInt8]: PasswordHash] = [:]
        var first: PasswordHash?
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
            guard hashes.updateValue(hash, forKey: name) == nil else {
                throw .passwords(line: index + 1, "the user is there already")
            }
            guard hashes.count <= Self.maximumUsers else {
                throw .passwords(line: index + 1, "there are more than \(Self.maximumUsers) users")
            }
            if first == nil { first = hash }
        }
        guard let first else { throw .passwords(line: 0, "has no user; make one with: htpasswd -nB admin") }
        self.hashes = hashes
        decoy = first
        digest = Array(SHA256.hash(data: bytes))
    }

    /// Returns whether a password is a user's.
    ///
    /// Takes as long as the hash was made to take, for users that do not exist too: not to be called on an event loop.
    public func accepts(user: [UInt8], password: [UInt8]) -> Bool {
        guard user.count <= Self.maximumLength, password.count <= Self.maximumLength else { return false }
        let known = hashes[user]
        let matches = (known ?? decoy).matches(password)
        return known != nil && matches
    }

    /// Compares the content.
    public static func == (one: PasswordFile, other: PasswordFile) -> Bool { one.digest == other.digest }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// The number of users.
    public var description: String { "\(hashes.count) users" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
