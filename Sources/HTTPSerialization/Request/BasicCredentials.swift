internal import FoundationEssentials

/// A user and a password for Basic authentication (RFC 7617).
///
/// Neither the description nor the mirror of a value shows the password.
public struct BasicCredentials: Sendable, Hashable {
    /// The maximum size of a file, in bytes.
    public static let maximumFileLength = 4 * 1024

    /// The user name, which contains no colon.
    public let user: String
    private let password: String

    /// Creates credentials.
    ///
    /// - Throws: ``RequestError/invalidCredentials(reason:)`` for a user with a colon, and for control characters.
    public init(user: String, password: String) throws(RequestError) {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw .invalidCredentials(reason: "the user's name holds a colon")
        }
        guard (user.utf8 + Array(password.utf8)).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalidCredentials(reason: "they hold control characters")
        }
        self.user = user
        self.password = password
    }

    /// Reads credentials from the first line of a file: `user:password` in UTF-8.
    ///
    /// The file must be a regular file that others can neither read nor write; its group may, as with `root:reachagent
    /// 0640`. Everything after the first line is ignored.
    /// - Throws: ``RequestError``, which names the file and never shows its content.
    public init(file path: String) throws(RequestError) {
        let bytes = try SecretFile.bytes(of: path, atMost: Self.maximumFileLength)
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw .file(path: path, reason: "is not in UTF-8")
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw .file(path: path, reason: "does not hold 'user:password' in its first line")
        }
        try self.init(
            user: String(text[..<colon]),
            password: String(Substring(text.utf8[text.utf8.index(after: colon)...]))
        )
    }

    /// The strings to remove from every response that is shown.
    var secrets: [String] { [password, Data("\(user):\(password)".utf8).base64EncodedString()] }

    /// The value of the Authorization field, which reveals the password.
    var authorization: String { "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() }
}

extension BasicCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user name, and dots for the password.
    public var description: String { "\(user):•••" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// The user name alone.
    public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
