public import struct FoundationEssentials.Date

/// The answer of a trust evaluation: whether the policy accepts the server, and everything that was found.
public struct TrustVerdict: Sendable, Hashable {
    /// Whether the security policy accepts the server.
    public let isAccepted: Bool
    /// What was found, the refusal that matters most first.
    public let findings: [Finding]
    /// The certificates as the server sent them, its own first; those that cannot be decoded too.
    public let presentedChain: [CertificateDescription]
    /// The path that was built and verified, from the server's certificate to its anchor; empty when there is none.
    public let validatedChain: [CertificateDescription]
    /// The moment for which it was judged.
    public internal(set) var date: Date
    /// Which pins match; nil when the policy does not pin.
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

    /// The code of the refusal that matters most; nil when the server is accepted.
    public var code: FindingCode? {
        isAccepted ? nil : findings.first { $0.severity == .refusal }?.code
    }
}
