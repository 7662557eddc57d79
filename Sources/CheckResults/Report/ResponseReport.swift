/// The head of an HTTP response, and the facts about its body.
public struct ResponseReport: Sendable, Hashable {
    /// The protocol version: `1.0`, `1.1`, `2`.
    public var httpVersion: String
    /// The status code.
    public var status: Int
    /// The header fields in the order of arrival.
    public var headers: [HeaderField]
    /// The size of the body as sent, in bytes; at most the limit.
    public var bodyBytes: Int
    /// The size of the decoded body, in bytes; nil without a content encoding.
    public var decodedBodyBytes: Int?
    /// The start of the decoded body, up to `ProbeLimits.keptBodyBytes`; nil when that is 0.
    ///
    /// It is never written to JSON or a log.
    public var body: [UInt8]?

    /// Creates a report.
    public init(
        httpVersion: String,
        status: Int,
        headers: [HeaderField],
        bodyBytes: Int = 0,
        decodedBodyBytes: Int? = nil
    ) {
        self.httpVersion = httpVersion
        self.status = status
        self.headers = headers
        self.bodyBytes = bodyBytes
        self.decodedBodyBytes = decodedBodyBytes
    }
}
