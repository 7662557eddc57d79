/// The evidence of a check for or against a captive portal.
public struct PortalEvidence: Sendable, Hashable, Codable {
    /// The conclusion from the evidence.
    public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
        /// There is no portal: the response is one that only the open Internet gives.
        case open
        /// A portal answers.
        case portal
        /// No conclusion.
        case unclear
    }

    /// The conclusion.
    public var verdict: Verdict
    /// The reason, unless the verdict is `open`: one of the codes that begin with `portal_`, or the check's own.
    public var code: FindingCode?
    /// The login page, if known; printable, and at most 2048 bytes.
    public var url: String?

    /// Creates evidence.
    public init(_ verdict: Verdict, code: FindingCode? = nil, url: String? = nil) {
        self.verdict = verdict
        self.code = code
        self.url = url
    }
}
