/// What a check says about a captive portal.
public struct PortalEvidence: Sendable, Hashable, Codable {
    /// What the evidence comes to.
    public enum Verdict: String, Sendable, Hashable, CaseIterable, Codable {
        /// No portal is in the way: the answer is the one that only the open Internet gives.
        case open
        /// A portal answers.
        case portal
        /// Nothing can be said.
        case unclear
    }

    /// What the evidence comes to.
    public var verdict: Verdict
    /// Why, unless the verdict is `open`: one of the codes that begin with `portal_`, or the check's own.
    public var code: FindingCode?
    /// Where a person logs in, when that is known; printable, and at most 2048 bytes.
    public var url: String?

    /// Evidence.
    public init(_ verdict: Verdict, code: FindingCode? = nil, url: String? = nil) {
        self.verdict = verdict
        self.code = code
        self.url = url
    }
}
