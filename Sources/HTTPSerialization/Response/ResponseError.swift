public import CheckResults

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
