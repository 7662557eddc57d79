/// What the expectations say of a response.
public struct ResponseVerdict: Sendable, Hashable {
    /// What was found, the outermost refusal first: status, content type, decoding, then the body expectations in order.
    public let findings: [Finding]
    /// What the serializer made of the body; nil when it is empty, was refused or cannot be decoded.
    ///
    /// A refused status does not keep the body from being decoded, so that the caller gets both.
    public let object: SerializedObject?

    /// Creates a verdict.
    public init(findings: [Finding], object: SerializedObject?) {
        self.findings = findings
        self.object = object
    }

    /// Whether nothing refuses the response.
    public var isAccepted: Bool { error == nil }

    /// The refusals, nested as AFNetworking nests its errors; nil when nothing refuses the response.
    public var error: ResponseError? { ResponseError(findings: findings.filter { $0.severity == .refusal }) }
}
