/// Which pins match a server's certificates at this moment: what a rotation of keys has to know.
public struct PinAudit: Sendable, Hashable, Codable {
    /// One pin and whether it matches.
    public struct Entry: Sendable, Hashable, Codable {
        /// The pin: `sha256//…` for a key, the SHA-256 hash of a certificate in hexadecimal digits.
        public var pin: String
        /// Whether a certificate of the verified path matches it; without one, a certificate that really signed the chain.
        public var isMatched: Bool
        /// Whether it is kept for the time after the next change of keys.
        public var isBackup: Bool

        /// An entry.
        public init(pin: String, isMatched: Bool, isBackup: Bool) {
            self.pin = pin
            self.isMatched = isMatched
            self.isBackup = isBackup
        }
    }

    /// The pins in the order of the policy, backups last.
    public var entries: [Entry]

    /// An audit.
    public init(entries: [Entry]) { self.entries = entries }

    /// Whether the server has come to the last line: a backup pin matches, and no other.
    public var matchesBackupOnly: Bool {
        entries.contains { $0.isBackup && $0.isMatched } && !entries.contains { !$0.isBackup && $0.isMatched }
    }
}
