internal import CheckResults
internal import ForeignText

/// The secrets that a connection sends to its broker, to be removed from the broker's texts: it may echo them.
struct BrokerSecrets: Sendable, Hashable {
    /// The maximum number of bytes of a text that are read.
    private static let maximumBytes = 4096
    /// The end of a text that libnats has truncated.
    private static let ellipsis = Array("...".utf8)

    /// The token, the password, and the lines of a file of credentials.
    var texts: [String] = []

    /// Returns untrusted text for people, without the secrets, of which a truncated text may have the beginning.
    func shown(_ text: String, limit: Int = ForeignText.shownLimit) -> String {
        guard !texts.isEmpty else { return ForeignText.shown(text, limit: limit) }
        var bytes = Array(text.utf8.prefix(Self.maximumBytes))
        let isCut = bytes.suffix(Self.ellipsis.count) == Self.ellipsis[...]
        if isCut { bytes.removeLast(Self.ellipsis.count) }
        var open = SecretMatcher(of: texts).replaced(in: bytes, by: SecretName.placeholder, isCut: true)
        if isCut { open += Self.ellipsis }
        return ForeignText.shown(open, limit: limit)
    }
}
