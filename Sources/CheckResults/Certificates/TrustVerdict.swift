public import struct FoundationEssentials.Date

/// The result of a trust evaluation: whether the policy accepts the server, and all findings.
public struct TrustVerdict: Sendable, Hashable {
    /// `true` if the security policy accepts the server.
    public let isAccepted: Bool
    /// The findings, the most important refusal first.
    public let findings: [Finding]
    /// The certificates as sent by the server, its own first; including invalid ones.
    public let presentedChain: [CertificateDescription]
    /// The verified path from the server's certificate to its anchor; empty when there is none.
    public let validatedChain: [CertificateDescription]
    /// The time at which the certificates had to be valid.
    public package(set) var date: Date
    /// The audit of the pins; nil when the policy has none.
    public var pinAudit: PinAudit?

    /// Creates a verdict.
    public init(
        isAccepted: Bool,
        findings: [Finding],
        presentedChain: [CertificateDescription],
        validatedChain: [CertificateDescription],
        date: Date,
        pinAudit: PinAudit? = nil
    ) {
        self.isAccepted = isAccepted
        self.findings = findings
        self.presentedChain = presentedChain
        self.validatedChain = validatedChain
        self.date = date
        self.pinAudit = pinAudit
    }

    /// The code of the most important refusal; nil when the server is accepted.
    public var code: FindingCode? {
        isAccepted ? nil : findings.first { $0.severity == .refusal }?.code
    }
}
