internal import AgentEvents
internal import Probes
internal import Reachability

/// The line of `reachagent probe --json`: the report, and what the command derives from it.
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

    private enum CodingKeys: String, CodingKey {
        case expiring, portal
    }

    private let report: AgentEvents.CheckReport
    private let expiring: [Expiring]
    private let portal: PortalMember?

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
            portal.map { PortalMember(verdict: $0.verdict.rawValue, code: $0.code?.rawValue, url: $0.url) }
            ?? PortalHint(report).map { PortalMember(verdict: "suspected", evidence: $0.evidence) }
    }

    /// Encodes the members of the report, followed by `expiring` and `portal` if there are any.
    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        if !expiring.isEmpty { try members.encode(expiring, forKey: .expiring) }
        try members.encodeIfPresent(portal, forKey: .portal)
    }
}

/// The member `portal` of a result: the evidence of a captive portal, or the sign that there may be one.
struct PortalMember: Encodable {
    let verdict: String?
    var code: String?
    var url: String?
    var evidence: String?
}

/// The sign that a captive portal may have answered a check that was not made to detect one.
struct PortalHint {
    /// The answer that raised the suspicion.
    let evidence: String
    /// The URL of the check that decides, as a word for the shell.
    let word: String

    /// The hint in a report; `nil` where nothing looks like a portal.
    ///
    /// The sign is a redirect of a plain request to another host, or the status 511. A redirect to the same host, or to
    /// the name with or without `www.`, is how servers redirect to TLS.
    init?(_ report: Probes.CheckReport) {
        guard let hop = report.hops.first, let response = hop.response else { return nil }
        let location = response.headers.first { $0.isNamed("location") }?.value
        self.init(url: hop.url, status: response.status, location: location)
    }

    /// The hint in a report of the agent; `nil` where nothing looks like a portal.
    init?(_ report: AgentEvents.CheckReport) {
        guard let hop = report.hops.first, let response = hop.response else { return nil }
        let location = response.headers.first { $0.name.lowercased() == "location" }?.value
        self.init(url: hop.url, status: response.status, location: location)
    }

    private init?(url text: String, status: Int, location: String?) {
        guard case .http(let url)? = try? ProbeTarget(parsing: text), url.scheme == .http else { return nil }
        word = ShellWord.quoted(text)
        if status == 511 {
            evidence = "the network asks for authentication (status 511)"
            return
        }
        guard (300..<400).contains(status), let location,
            case .http(let target)? = try? ProbeTarget(parsing: location),
            Self.site(target.host) != Self.site(url.host)
        else { return nil }
        evidence = "a request without TLS was redirected to another host: \(location)"
    }

    private static func site(_ host: ServerIdentity) -> String {
        let name = host.withoutTrailingDot.description
        return name.hasPrefix("www.") ? String(name.dropFirst(4)) : name
    }
}
