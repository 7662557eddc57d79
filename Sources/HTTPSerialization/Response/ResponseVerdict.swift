public import CheckResults

/// A complete response, with its content encoding decoded.
public struct ReceivedResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in the order of arrival.
    public var headers: [HeaderField]
    /// The decoded body.
    public var body: [UInt8]
    /// The protocol version: `1.0`, `1.1`, `2`.
    public var httpVersion: String

    /// Creates a response from its parts.
    public init(status: Int, headers: [HeaderField] = [], body: [UInt8] = [], httpVersion: String = "1.1") {
        self.status = status
        self.headers = headers
        self.body = body
        self.httpVersion = httpVersion
    }

    /// Returns the values of all fields of this name in order, ignoring the case of names.
    public func values(of name: String) -> [String] {
        headers.filter { $0.isNamed(name) }.map(\.value)
    }
}

/// The result of evaluating a response.
public struct ResponseVerdict: Sendable, Hashable {
    /// The findings, the outermost refusal first: status, content type, decoding, then the body expectations in order.
    public let findings: [Finding]
    /// The decoded body; nil when it is empty, was refused or cannot be decoded.
    ///
    /// A refused status does not prevent the decoding of the body, so that the caller gets both.
    public let object: SerializedObject?

    /// Creates a verdict.
    public init(findings: [Finding], object: SerializedObject?) {
        self.findings = findings
        self.object = object
    }

    /// `true` if there are no refusals.
    public var isAccepted: Bool { error == nil }

    /// The refusals, nested like AFNetworking's errors; nil when there are none.
    public var error: ResponseError? { ResponseError(findings: findings.filter { $0.severity == .refusal }) }
}

/// The refusals of a response as one error: the outermost, and beneath it the others.
///
/// When the status code and the content type are both refused, the status is the error and the content type is
/// ``underlying``, as in AFNetworking's `AFURLResponseSerialization`.
public struct ResponseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The outermost refusal.
    public let finding: Finding
    private let others: [Finding]

    /// Nests the findings, the first outermost; nil when there are none.
    public init?(findings: some Collection<Finding>) {
        guard let first = findings.first else { return nil }
        finding = first
        others = Array(findings.dropFirst())
    }

    /// The next refusal; nil when there is none.
    public var underlying: ResponseError? { ResponseError(findings: others) }

    /// The outermost refusal.
    public var description: String { finding.description }
}
