internal import AgentEvents
internal import ForeignText

/// The numbers of probes by verdict.
enum ProbeCountText {
    /// The most probes that are named.
    private static let maximumNamed = 6

    /// `3 of 5 up; web IPv6 down (tls_expired), cafe portal (portal_redirect)`; `nil` without probes.
    static func line(_ probes: [AgentEvents.NetworkSnapshot.ProbeVerdict], omitted: Int) -> String? {
        guard !probes.isEmpty else { return nil }
        let troubled = probes.filter { $0.verdict.verdict != "up" }
        let total = probes.count + max(0, min(omitted, 1 << 32))
        let up = total - troubled.count
        var words = up == total ? "all \(number(total)) up" : "\(number(up)) of \(number(total)) up"
        let named = troubled.prefix(maximumNamed).map { probe in
            let code = probe.verdict.code.map { " (\(ForeignText.shown($0, limit: 64)))" } ?? ""
            let name = name(probe.point.probe, probe.point.interface, probe.point.family)
            return "\(name) \(ForeignText.shown(probe.verdict.verdict, limit: 16))\(code)"
        }
        if !named.isEmpty { words += "; " + named.joined(separator: ", ") }
        let rest = troubled.count - named.count
        return rest > 0 ? "\(words) and \(number(rest)) more" : words
    }

    /// `web`, or `web wwan0 IPv6`.
    static func name(_ probe: String, _ interface: String?, _ family: String?) -> String {
        let parts = [probe, interface, family.map { SummaryText.familyName($0) }]
        return parts.compactMap { $0.map { ForeignText.shown($0, limit: 64) } }.joined(separator: " ")
    }

    /// A number with a comma between thousands: `9,980`.
    static func number(_ value: Int) -> String { SummaryText.number(value) }
}
