internal import Probes

internal import enum AgentEvents.ShellWord

/// The sign that a captive portal may have answered a check that was not made to detect one.
struct PortalHint {
    /// The answer that raised the suspicion.
    let evidence: String
    /// The URL of the check that decides, as a word for the shell.
    let command: String

    /// The hint in a report; `nil` where nothing looks like a portal.
    ///
    /// The sign is a redirect of a plain request to another host, or the status 511. A redirect to the same host, or to the
    /// name with or without `www.`, is how servers lead to TLS.
    init?(_ report: CheckReport) {
        guard let hop = report.hops.first, let response = hop.response,
            case .http(let url)? = try? ProbeTarget(parsing: hop.url),
            url.scheme == .http
        else { return nil }
        command = ShellWord.quoted(hop.url)
        if response.status == 511 {
            evidence = "the network asks for authentication (status 511)"
            return
        }
        guard (300..<400).contains(response.status),
            let location = response.headers.first(where: { $0.isNamed("location") })?.value,
            case .http(let target)? = try? ProbeTarget(parsing: location),
            Self.site(target.host) != Self.site(url.host)
        else { return nil }
        evidence = "a request without TLS was redirected to another host: \(location)"
    }

    private static func site(_ host: ServerIdentity) -> String {
        let name = host.description
        return name.hasPrefix("www.") ? String(name.dropFirst(4)) : name
    }
}
