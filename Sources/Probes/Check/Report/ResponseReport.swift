/// The head of an HTTP response, and what is known of its body.
public struct ResponseReport: Sendable, Hashable {
    /// The protocol version: `1.0`, `1.1`, `2`.
    public var httpVersion: String
    /// The status code.
    public var status: Int
    /// The header fields in the order in which they came.
    public var headers: [HeaderField]
    /// The bytes of the body as they were sent, at most as many as the check allows.
    public var bodyBytes: Int
    /// The bytes of the body after its content encoding was undone; nil when there was none to undo.
    public var decodedBodyBytes: Int?
    /// The beginning of the decoded body, as much as ``ProbeLimits/keptBodyBytes`` asks for; nil when it asks for none.
    ///
    /// It is never written to JSON or to a log.
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
