internal import AgentEvents
internal import Probes
internal import Reachability

/// The line of `reachagent probe --json`: the report, and what the command makes of it.
struct ProbeResult: Encodable {
    /// A certificate that the agent would report as expiring.
    private struct Expiring: Encodable {
        let subject: String
        let notAfter: Timestamp
        let daysLeft: Int

        enum CodingKeys: String, CodingKey {
            case subject
            case notAfter = "not_after"
            case daysLeft = "days_left"
        }
    }

    /// The evidence of a check for a captive portal, or the sign that there may be one.
    private struct Portal: Encodable {
        let verdict: String
        var code: String?
        var url: String?
        var evidence: String?
    }

    private enum CodingKeys: String, CodingKey {
        case expiring, portal
    }

    private let report: AgentEvents.CheckReport
    private let expiring: [Expiring]
    private let portal: Portal?

    /// The result of a check.
    ///
    /// - Parameters:
    ///   - expiry: The thresholds of expiring certificates.
    ///   - portal: The evidence of a portal check; `nil` for other checks.
    init(_ report: Probes.CheckReport, expiry: ExpiryPolicy, portal: PortalEvidence?) {
        self.report = AgentEvents.CheckReport(report)
        expiring = report.expiringCertificates(expiry).map { expiring in
            Expiring(
                subject: expiring.certificate.subject,
                notAfter: Timestamp(expiring.certificate.notAfter),
                daysLeft: expiring.daysLeft
            )
        }
        self.portal =
            portal.map { Portal(verdict: $0.verdict.rawValue, code: $0.code?.rawValue, url: $0.url) }
            ?? PortalHint(report).map { Portal(verdict: "suspected", evidence: $0.evidence) }
    }

    /// Writes the members of the report, and behind them `expiring` and `portal` where there is something to say.
    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        if !expiring.isEmpty { try members.encode(expiring, forKey: .expiring) }
        try members.encodeIfPresent(portal, forKey: .portal)
    }
}
