internal import ForeignText

/// One result of a check or an evaluation, as data.
///
/// A finding is not an error: a probe that finds a bad certificate did its work. The severity
/// ``Severity-swift.enum/refusal`` fails the check; the others inform.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// The meaning of a finding for the verdict.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The finding fails the check.
        case refusal
        /// The check passes, but an operator should act before it fails.
        case warning
        /// A fact that explains other findings.
        case note
    }

    /// The maximum size of a subject, and of evidence, in bytes.
    public static let maximumBytes = 1024

    /// The code: stable, never renamed, documented in one table.
    public let code: FindingCode
    /// The severity.
    public let severity: Severity
    /// The subject of the finding, in the operator's terms: a certificate's subject, a header's name, an address.
    public let subject: String
    /// The observed and the expected value, as a clause without a full stop.
    public let evidence: String
    /// `true` if the target itself sent the ICMP error: it has answered, unlike one that a router reports.
    package var isFromTarget = false

    /// Creates a finding; `evidence` should contain the compared values.
    ///
    /// Both strings may quote hostile input: they are escaped by `ForeignText`, and cut at ``maximumBytes``.
    public init(_ code: FindingCode, _ severity: Severity = .refusal, subject: String, evidence: String) {
        self.code = code
        self.severity = severity
        self.subject = ForeignText.shown(subject, limit: Self.maximumBytes)
        self.evidence = ForeignText.shown(evidence, limit: Self.maximumBytes)
    }

    /// Compares two findings byte by byte, because they may quote hostile input.
    public static func == (one: Self, other: Self) -> Bool {
        one.code == other.code && one.severity == other.severity && one.subject.utf8.elementsEqual(other.subject.utf8)
            && one.evidence.utf8.elementsEqual(other.evidence.utf8) && one.isFromTarget == other.isFromTarget
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(ForeignText(subject))
        hasher.combine(ForeignText(evidence))
    }

    /// The code, the subject and the evidence in one line.
    public var description: String { "\(code.rawValue) (\(subject)): \(evidence)" }
}
