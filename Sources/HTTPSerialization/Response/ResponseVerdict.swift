public import CheckResults

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
