public import Probes

public import struct FoundationEssentials.Date

/// What the state machine has to know of one completed check.
public struct ProbeSample: Sendable, Hashable, Codable {
    /// What the check came to.
    public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
        /// The target answered as expected.
        case ok
        /// The target, or something on the way to it, is at fault.
        case failed
        /// This machine is at fault, so nothing is known about the target.
        case unknown
    }

    /// Which probe, and from where.
    public var point: ProbePoint
    /// What the check came to.
    public var outcome: Outcome
    /// Why it is not `ok`.
    public var code: FindingCode?
    /// The particulars, for people; at most 512 bytes.
    public var detail: String?
    /// How long the check took.
    public var latency: Duration
    /// What it says about a portal.
    public var portal: PortalEvidence?
    /// The certificates that the server sent, its own first; also of a server that was refused.
    public var certificates: [CertificateFacts]
    /// Which pins match; nil where nothing is pinned or nothing was evaluated.
    public var pins: PinAudit?
    /// Whether the server had finished the handshake: what fails afterwards is the target's own.
    public var wasAnswered: Bool?
    /// When the check was over.
    public var observed: Observed

    /// A sample.
    public init(
        point: ProbePoint,
        outcome: Outcome,
        code: FindingCode? = nil,
        detail: String? = nil,
        latency: Duration = .zero,
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
        self.portal = portal
        self.certificates = certificates
        self.pins = pins
        self.wasAnswered = wasAnswered
        self.observed = observed
    }
}

/// What is known of one certificate.
public struct CertificateFacts: Sendable, Hashable, Codable {
    /// The SHA-256 hash of the whole certificate, in lower-case hexadecimal digits.
    public var sha256: String
    /// The subject in the form of RFC 4514.
    public var subject: String
    /// The issuer in the form of RFC 4514.
    public var issuer: String
    /// When the validity begins.
    public var notBefore: Date
    /// When the validity ends.
    public var notAfter: Date
    /// Whether the chain in which it came was accepted.
    public var isVerified: Bool

    /// Facts.
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
