/// The pins that match a server's certificates now: the information needed for a key rotation.
public struct PinAudit: Sendable, Hashable, Codable {
    /// One pin and its match.
    public struct Entry: Sendable, Hashable, Codable {
        /// The pin: `sha256//…` for a key, the SHA-256 hash of a certificate in hexadecimal digits.
        public var pin: String
        /// `true` if a certificate of the verified path matches; without a path, a certificate that really signed the
        /// chain.
        public var isMatched: Bool
        /// `true` for a backup pin, meant for the next change of keys.
        public var isBackup: Bool

        /// Creates an entry.
        public init(pin: String, isMatched: Bool, isBackup: Bool) {
            self.pin = pin
            self.isMatched = isMatched
            self.isBackup = isBackup
        }
    }

    /// The pins in the order of the policy, backups last.
    public var entries: [Entry]

    /// Creates an audit.
    public init(entries: [Entry]) { self.entries = entries }

    /// `true` if a backup pin matches, and no other.
    public var matchesBackupOnly: Bool {
        entries.contains { $0.isBackup && $0.isMatched } && !entries.contains { !$0.isBackup && $0.isMatched }
    }
}
