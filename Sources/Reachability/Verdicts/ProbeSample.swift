public import CheckResults

public import struct FoundationEssentials.Date

/// One completed check as input of the state machine.
public struct ProbeSample: Sendable, Hashable, Codable {
    /// The outcome of a check.
    public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
        /// The target answered as expected.
        case ok
        /// The failure is the target's, or on the way to it.
        case failed
        /// The failure is this machine's, so nothing is known about the target.
        case unknown
    }

    /// The probe and its vantage.
    public var point: ProbePoint
    /// The outcome.
    public var outcome: Outcome
    /// The code, unless the outcome is `ok`.
    public var code: FindingCode?
    /// The details, for people; at most 512 bytes.
    public var detail: String?
    /// The duration of the check.
    public var latency: Duration
    /// The measured throughput of a transfer, in bits per second.
    public var throughput: Double?
    /// The latency that a transfer has added to small requests.
    public var addedLatency: Duration?
    /// The evidence about a portal.
    public var portal: PortalEvidence?
    /// The certificates sent by the server, its own first; even if the server was refused.
    public var certificates: [CertificateFacts]
    /// The audit of the pins; nil without pins or without an evaluation.
    public var pins: PinAudit?
    /// `true` if the server had completed the handshake: later failures are the target's own.
    public var wasAnswered: Bool?
    /// The time at which the check completed.
    public var observed: Observed

    /// Creates a sample.
    public init(
        point: ProbePoint,
        outcome: Outcome,
        code: FindingCode? = nil,
        detail: String? = nil,
        latency: Duration = .zero,
        throughput: Double? = nil,
        addedLatency: Duration? = nil,
        portal: PortalEvidence? = nil,
        certificates: [CertificateFacts] = [],
        pins: PinAudit? = nil,
        wasAnswered: Bool? = nil,
        observed: Observed
    ) {
        self.point = point
        self.outcome = outcome
        self.code = code
        self.detail = detail
        self.latency = latency
        self.throughput = throughput
        self.addedLatency = addedLatency
        self.portal = portal
        self.certificates = certificates
        self.pins = pins
        self.wasAnswered = wasAnswered
        self.observed = observed
    }
}

/// The facts about one certificate.
public struct CertificateFacts: Sendable, Hashable, Codable {
    /// The SHA-256 hash of the whole certificate, in lower-case hexadecimal digits.
    public var sha256: String
    /// The subject in the format of RFC 4514.
    public var subject: String
    /// The issuer in the format of RFC 4514.
    public var issuer: String
    /// The start of the validity.
    public var notBefore: Date
    /// The end of the validity.
    public var notAfter: Date
    /// `true` if its chain was accepted.
    public var isVerified: Bool

    /// Creates facts.
    public init(
        sha256: String,
        subject: String,
        issuer: String,
        notBefore: Date,
        notAfter: Date,
        isVerified: Bool
    ) {
        self.sha256 = sha256
        self.subject = subject
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isVerified = isVerified
    }
}
