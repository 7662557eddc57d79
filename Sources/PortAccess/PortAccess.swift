/// The rules for clients of a port that other machines can reach.
public struct PortAccess: Sendable, Hashable {
    /// The encryption, and the certificates that clients need; `nil` for none.
    public let tls: PortTLS?
    /// The users and their passwords; `nil` when no password is asked for.
    public let passwords: PasswordFile?
    /// `true` if the administrator accepts that encryption or any check of the clients is missing.
    public let isInsecure: Bool

    /// Creates rules.
    public init(tls: PortTLS? = nil, passwords: PasswordFile? = nil, isInsecure: Bool = false) {
        self.tls = tls
        self.passwords = passwords
        self.isInsecure = isInsecure
    }

    /// `true` if clients are checked: by a certificate, by a password, or by both.
    public var checksClients: Bool { tls?.checksClients == true || passwords != nil }

    /// `true` if clients may be served: encrypted and checked, or because the administrator said so.
    public var isUsable: Bool { isInsecure || tls != nil && checksClients }
}

/// The reason that a file cannot be used; none shows the file's content.
public enum PortAccessError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The certificate of the server.
    case certificate(String)
    /// The private key of the server.
    case key(String)
    /// The authorities of the clients' certificates.
    case clientAuthorities(String)
    /// A line of the file of passwords; 0 for the whole file.
    case passwords(line: Int, String)

    /// The reason as a predicate, for a sentence about the file.
    public var description: String {
        switch self {
        case .certificate(let reason), .key(let reason), .clientAuthorities(let reason), .passwords(0, let reason):
            reason
        case .passwords(let line, let reason): "has an error in line \(line): \(reason)"
        }
    }
}
