public import Probes

internal import struct FoundationEssentials.Date

extension ProbeSample {
    /// The most bytes of a detail, and of a certificate's names.
    private static let longestText = 512
    /// The most certificates of a chain that are kept.
    static let longestChain = 10

    /// What a check's report says to the state machine.
    ///
    /// - Parameters:
    ///   - point: Which probe, and from where.
    ///   - report: The report.
    ///   - portal: What the check says about a portal, when it looked for one.
    ///   - observed: When the check was over.
    public init(point: ProbePoint, report: CheckReport, portal: PortalEvidence? = nil, observed: Observed) {
        let outcome: Outcome =
            switch report.verdict {
            case .ok: .ok
            case .failed: .failed
            case .unknown: .unknown
            }
        let code = report.verdict.code
        let concerned = report.findings.filter { $0.code == code }
        let deciding = concerned.first { $0.severity == .refusal } ?? concerned.first
        let trust = report.hops.last { $0.tls?.trust != nil }?.tls?.trust
        self.init(
            point: point,
            outcome: outcome,
            code: code,
            detail: deciding.map { Self.bounded($0.evidence) },
            latency: report.duration,
            portal: portal,
            certificates: trust.map(Self.facts) ?? [],
            pins: trust?.pinAudit,
            wasAnswered: Self.wasAnswered(report),
            observed: observed
        )
    }

    /// Nil where there is no handshake: a connection alone may be a stranger's on the way.
    private static func wasAnswered(_ report: CheckReport) -> Bool? {
        guard let hop = report.hops.last, hop.response == nil else { return report.hops.isEmpty ? nil : true }
        return hop.phases.first { $0.phase == .tls }.map(\.isComplete)
    }

    /// The chain as far as it can be decoded, so that a place in it stays the place that the server gave it.
    private static func facts(_ trust: TrustVerdict) -> [CertificateFacts] {
        var facts: [CertificateFacts] = []
        for certificate in trust.presentedChain.prefix(longestChain) {
            guard let notBefore = certificate.notValidBefore, let notAfter = certificate.notValidAfter else { break }
            facts.append(
                CertificateFacts(
                    sha256: certificate.sha256,
                    subject: bounded(certificate.subject),
                    issuer: bounded(certificate.issuer),
                    notBefore: notBefore,
                    notAfter: notAfter,
                    isVerified: trust.isAccepted
                )
            )
        }
        return facts
    }

    /// The beginning of a text: whole code points, and at most 512 bytes.
    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: longestText)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }
}
