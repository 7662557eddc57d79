public import CheckResults

public import struct FoundationEssentials.Date

/// One completed check as input of the state machine.
public struct ProbeSample: Sendable, Hashable, Codable {
    /// The outcome of a check.
    public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
        /// The target answered as expected.
        case ok
        /// The target, or the path to it, failed.
        case failed
        /// This machine failed, so nothing is known about the target.
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
    /// The phase in which the check ended, unless the outcome is `ok`.
    public var phase: Phase?
    /// The address to which the check connected or tried to connect, unless the outcome is `ok`.
    public var peer: String?
    /// The duration of the check.
    public var latency: Duration
    /// The measured throughput of a transfer, in bits per second.
    public var throughput: Double?
    /// The latency that a transfer has added to small requests.
    public var addedLatency: Duration?
    /// The evidence about a portal.
    public var portal: PortalEvidence?
    /// The certificates sent by the target and by the servers of its redirects, each server's own first, whether trusted
    /// or not; each certificate once.
    public var certificates: [CertificateFacts]
    /// The audit of the pins; nil without pins or without an evaluation.
    public var pins: PinAudit?
    /// `true` if the target had answered, by a completed handshake, a redirect or an ICMP error: later failures are its
    /// own, or concern the server of the redirect.
    public var wasAnswered: Bool?
    /// `true` if the check has ended over TLS, also where a redirect leads there from a target without TLS.
    public var endedOverTLS: Bool?
    /// `true` if the target's name has led to this machine itself: its answers say nothing about what is beyond.
    public var leadsToThisMachine: Bool?
    /// The time at which the check completed.
    public var observed: Observed

    /// Creates a sample.
    public init(
        point: ProbePoint,
        outcome: Outcome,
        code: FindingCode? = nil,
        detail: String? = nil,
        phase: Phase? = nil,
        peer: String? = nil,
        latency: Duration = .zero,
        throughput: Double? = nil,
        addedLatency: Duration? = nil,
        portal: PortalEvidence? = nil,
        certificates: [CertificateFacts] = [],
        pins: PinAudit? = nil,
        wasAnswered: Bool? = nil,
        endedOverTLS: Bool? = nil,
        leadsToThisMachine: Bool? = nil,
        observed: Observed
    ) {
        self.point = point
        self.outcome = outcome
        self.code = code
        self.detail = detail
        self.phase = phase
        self.peer = peer
        self.latency = latency
        self.throughput = throughput
        self.addedLatency = addedLatency
        self.portal = portal
        self.certificates = certificates
        self.pins = pins
        self.wasAnswered = wasAnswered
        self.endedOverTLS = endedOverTLS
        self.leadsToThisMachine = leadsToThisMachine
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
    /// The position in its server's chain, 0 for the server's own; nil for that in the list, as in earlier recordings.
    public var position: Int?

    /// Creates facts.
    public init(
        sha256: String,
        subject: String,
        issuer: String,
        notBefore: Date,
        notAfter: Date,
        isVerified: Bool,
        position: Int? = nil
    ) {
        self.sha256 = sha256
        self.subject = subject
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isVerified = isVerified
        self.position = position
    }
}

extension ProbeSample {
    /// The maximum size of a detail, and of a certificate's names, in bytes.
    private static let longestText = 512
    /// The maximum number of certificates of a chain.
    private static let longestChain = 10
    /// The maximum number of certificates of all chains: a hostile server may redirect to many others.
    static let maximumCertificates = 20

    /// Creates the state machine's input from a check's report.
    ///
    /// - Parameters:
    ///   - point: The probe and its vantage.
    ///   - report: The report.
    ///   - portal: The evidence about a portal, for portal checks.
    ///   - observed: The time at which the check completed.
    public init(point: ProbePoint, report: CheckReport, portal: PortalEvidence? = nil, observed: Observed) {
        let outcome: Outcome =
            switch report.verdict {
            case .ok: .ok
            case .failed: .failed
            case .unknown: .unknown
            }
        let trust = report.hops.last { $0.tls?.trust != nil }?.tls?.trust
        self.init(
            point: point,
            outcome: outcome,
            code: report.verdict.code,
            detail: report.decidingEvidence.map(Self.bounded),
            phase: report.verdict.phase,
            peer: outcome == .ok ? nil : report.hops.last?.peer?.description,
            latency: report.duration,
            throughput: report.transfer?.judgedThroughput,
            addedLatency: report.transfer?.worstAddedLatency,
            portal: portal,
            certificates: Self.facts(report),
            pins: trust?.pinAudit,
            wasAnswered: Self.wasAnswered(report),
            endedOverTLS: report.hops.last?.hasTLS == true ? true : nil,
            leadsToThisMachine: report.leadsToThisMachine ? true : nil,
            observed: observed
        )
    }

    /// Returns whether the target answered, be it with the redirection to a server that does not, or with an ICMP error;
    /// nil without a handshake, because a TCP connection alone may end at an interceptor.
    private static func wasAnswered(_ report: CheckReport) -> Bool? {
        let hops = report.targetHops
        if hops.contains(where: { $0.response != nil }) { return true }
        if report.findings.contains(where: \.isFromTarget) { return true }
        return hops.last?.phases.first { $0.phase == .tls }.map(\.isComplete)
    }

    /// Returns the chains of all hops, each certificate once.
    private static func facts(_ report: CheckReport) -> [CertificateFacts] {
        var facts: [CertificateFacts] = []
        for trust in report.hops.compactMap({ $0.tls?.trust }) {
            for certificate in Self.facts(trust) where !facts.contains(where: { $0.sha256 == certificate.sha256 }) {
                guard facts.count < maximumCertificates else { return facts }
                facts.append(certificate)
            }
        }
        return facts
    }

    /// Returns the chain, including only certificates that can be decoded.
    private static func facts(_ trust: TrustVerdict) -> [CertificateFacts] {
        var facts: [CertificateFacts] = []
        for (position, certificate) in trust.presentedChain.prefix(longestChain).enumerated() {
            guard let notBefore = certificate.notValidBefore, let notAfter = certificate.notValidAfter else { break }
            facts.append(
                CertificateFacts(
                    sha256: certificate.sha256,
                    subject: bounded(certificate.subject),
                    issuer: bounded(certificate.issuer),
                    notBefore: notBefore,
                    notAfter: notAfter,
                    isVerified: trust.isAccepted,
                    position: position
                )
            )
        }
        return facts
    }

    /// Returns the start of a string: whole code points, and at most 512 bytes.
    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: longestText)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }
}

extension CheckHop {
    /// `true` if the TLS handshake completed.
    fileprivate var hasTLS: Bool { phases.contains { $0.phase == .tls && $0.isComplete } }
}

extension TransferReport {
    /// The median goodput of the download, or of the upload if there was no download.
    fileprivate var judgedThroughput: Double? {
        (download ?? upload)?.goodput.map(\.p50).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    /// The added latency of the direction that adds more.
    fileprivate var worstAddedLatency: Duration? { [download, upload].compactMap { $0?.loaded?.added }.max() }
}
