/// What events about probes, certificates and the agent say to people, made of what stands in their data.
///
/// The agent makes these texts of its own values, and a reader of the journal the same texts of the JSON.
package enum SummaryText {
    /// `up → down (connect_refused) [connect_refused]; 192.0.2.1:443`, with where it was made from in front.
    package static func probeChanged(
        interface: String?,
        family: String?,
        from: String,
        to: String,
        code: String,
        detail: String?
    ) -> String {
        // The code of the new standing is told once.
        let because = to.contains("(\(code)") ? "" : " [\(code)]"
        return place(interface, family) + "\(from) → \(to)\(because)" + (detail.map { "; \($0)" } ?? "")
    }

    /// `up`, `down (connect_refused)`, `portal (portal_redirect): http://login.example/`, with `, flapping` behind it.
    package static func standing(verdict: String, code: String?, portalURL: String?, isFlapping: Bool) -> String {
        verdict + (code.map { " (\($0))" } ?? "") + (isFlapping ? ", flapping" : "")
            + (portalURL.map { ", log in at \($0)" } ?? "")
    }

    /// `wifi, used, full`, or `wwan, standby, none (link_down)`.
    package static func uplink(
        kind: String,
        isUsed: Bool,
        connectivity: String,
        code: String?,
        probe: String?
    ) -> String {
        let because = [code, probe].compactMap { $0 }.joined(separator: " ")
        return "\(kind), \(isUsed ? "used" : "standby"), \(connectivity)" + (because.isEmpty ? "" : " (\(because))")
    }

    /// `wwan, standby, full → wwan, standby, none (link_down) [link_down]`.
    package static func uplinkChanged(from: String, to: String, code: String, detail: String?) -> String {
        // The code of the new state is given once.
        let because = to.contains("(\(code)") ? "" : " [\(code)]"
        return "\(from) → \(to)\(because)" + (detail.map { "; \($0)" } ?? "")
    }

    /// `, full`, or `, partial (tls_expired web)`; nothing where the probes say nothing.
    package static func connectivity(_ connectivity: String, code: String?, probe: String?) -> String {
        guard connectivity != "unknown" || code != nil else { return "" }
        let because = [code, probe].compactMap { $0 }.joined(separator: " ")
        return ", \(connectivity)" + (because.isEmpty ? "" : " (\(because))")
    }

    /// ` (dead leg eth0)`, or ` (dead legs eth0, eth1)`; nothing where every leg is usable.
    package static func deadLegs(_ interfaces: [String]) -> String {
        guard !interfaces.isEmpty else { return "" }
        return " (dead leg\(interfaces.count == 1 ? "" : "s") \(interfaces.joined(separator: ", ")))"
    }

    /// `certificate CN=www.example ends in 6 days, on 2026-11-27 [7d]`.
    package static func certificate(
        subject: String,
        position: Int,
        daysLeft: Int,
        notAfter: String,
        threshold: String,
        isVerified: Bool
    ) -> String {
        let which = position == 0 ? "certificate" : "certificate \(position + 1) of the chain,"
        let name = subject.isEmpty ? "(no subject)" : subject
        let end =
            switch daysLeft {
            case ..<0: "ended \(days(-daysLeft)) ago, on"
            case 0: "ends within a day, on"
            default: "ends in \(days(daysLeft)), on"
            }
        let refused = isVerified ? "" : "; it is refused already"
        return "\(which) \(name) \(end) \(notAfter.prefix(10)) [\(threshold)]\(refused)"
    }

    /// `the machine was suspended for 8 h 3 min`.
    package static func resumed(milliseconds: Int64) -> String {
        "the machine was suspended for \(coarse(max(0, milliseconds) / 1000))"
    }

    /// `configuration read again: 1 added (probe.web), 2 changed (settle, probe.dns)`.
    package static func reloaded(
        added: [String],
        removed: [String],
        changed: [String],
        needsRestart: [String]
    ) -> String {
        let parts = [(added, "added"), (removed, "removed"), (changed, "changed")].filter { !$0.0.isEmpty }
            .map { "\($0.0.count) \($0.1) (\(listed($0.0)))" }
        let what = parts.isEmpty ? "nothing changed" : parts.joined(separator: ", ")
        let later = needsRestart.isEmpty ? "" : "; takes effect with the next start: \(listed(needsRestart))"
        return "configuration read again: \(what)\(later)"
    }

    /// `wwan0 IPv6: failed (connect_timeout) in 5000 ms`.
    package static func completed(
        interface: String?,
        family: String?,
        verdict: String,
        code: String?,
        milliseconds: Int64
    ) -> String {
        "\(place(interface, family))\(verdict)\(code.map { " (\($0))" } ?? "") in \(milliseconds) ms"
    }

    /// From where a probe was made, unless it is the usual: `wwan0 IPv6: `.
    package static func place(_ interface: String?, _ family: String?) -> String {
        let words = [interface, family.map(familyName)].compactMap { $0 }
        return words.isEmpty ? "" : words.joined(separator: " ") + ": "
    }

    /// `IPv4` for `ipv4`.
    package static func familyName(_ family: String) -> String {
        switch family {
        case "ipv4": "IPv4"
        case "ipv6": "IPv6"
        default: family
        }
    }

    private static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }

    private static func listed(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", …" : "")
    }

    static func coarse(_ seconds: Int64) -> String {
        let units = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)] as [(String, Int64)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "less than a second" }
        var rest = seconds
        var words: [String] = []
        for (name, length) in units[first...].prefix(2) where rest >= length {
            words.append("\(rest / length) \(name)")
            rest %= length
        }
        return words.joined(separator: " ")
    }
}
