internal import ForeignText

/// One thing that a check or an evaluation found, as data.
///
/// A finding is not an error: a probe that finds a bad certificate did its work. What refuses has the severity
/// ``Severity-swift.enum/refusal``; everything else informs.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// What a finding means for the verdict.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The check fails because of it.
        case refusal
        /// The check passes, and somebody should look at it before it does not.
        case warning
        /// A fact that explains others.
        case note
    }

    /// The number of bytes of a subject, and of evidence, that are kept.
    public static let maximumBytes = 1024

    /// What was found: stable, never renamed, documented in one table.
    public let code: FindingCode
    /// What it means for the verdict.
    public let severity: Severity
    /// What it is about, in the words of the operator: a certificate's subject, a header's name, an address.
    public let subject: String
    /// What was seen and what was expected, as a clause without a full stop.
    public let evidence: String

    /// Creates a finding; `evidence` should name the values that were compared.
    ///
    /// Both texts may hold what a stranger wrote: they are kept as `ForeignText` shows text, up to ``maximumBytes``.
    public init(_ code: FindingCode, _ severity: Severity = .refusal, subject: String, evidence: String) {
        self.code = code
        self.severity = severity
        self.subject = ForeignText.shown(subject, limit: Self.maximumBytes)
        self.evidence = ForeignText.shown(evidence, limit: Self.maximumBytes)
    }

    /// Whether two findings are the same, byte by byte: strangers write what they quote.
    public static func == (one: Self, other: Self) -> Bool {
        one.code == other.code && one.severity == other.severity && one.subject.utf8.elementsEqual(other.subject.utf8)
            && one.evidence.utf8.elementsEqual(other.evidence.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(ForeignText(subject))
        hasher.combine(ForeignText(evidence))
    }

    /// The code, the subject and the evidence on one line.
    public var description: String { "\(code.rawValue) (\(subject)): \(evidence)" }
}
