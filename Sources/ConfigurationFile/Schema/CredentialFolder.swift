internal import Glibc

/// Where the service manager puts the secrets that it hands to a service (`LoadCredential=` in systemd.exec(5)).
struct CredentialFolder: Sendable {
    /// What a path in the configuration begins with when it is the name of such a secret.
    static let scheme = "credential:"
    /// Where systemd keeps those of the agent's service while it runs.
    static let service = "/run/credentials/reachagent.service"
    /// The longest name of a file (NAME_MAX).
    private static let longestName = 255

    let folder: String

    /// That of this process; for a command on a terminal that of the agent's service.
    static var current: CredentialFolder {
        guard let value = getenv("CREDENTIALS_DIRECTORY"), value.pointee == CChar(UInt8(ascii: "/")) else {
            return CredentialFolder(folder: service)
        }
        return CredentialFolder(folder: String(cString: value))
    }

    /// The path that `credential:NAME` stands for; `nil` for any other text.
    func path(of text: String) throws(ValueError) -> String? {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let name = text.dropFirst(Self.scheme.count)
        let isName = !name.isEmpty && name.utf8.count <= Self.longestName && !name.contains("/")
        guard isName, name != ".", name != ".." else {
            throw ValueError(message: "'\(text)' names no credential; the form is \(Self.scheme)NAME")
        }
        return "\(folder)/\(name)"
    }
}
