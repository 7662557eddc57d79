extension Path {
    /// `wifi wlan0`, `wwan tun0 over wwan0`, `wifi wlan0 (dead leg eth0)`, or `none (link_down wlan0)`.
    public var summary: String {
        let name = interface.map { " \($0)" } ?? ""
        guard via.isReachable else { return reason.map { "\(via) (\($0)\(name))" } ?? via.rawValue }
        let below = underlay?.interface.map { " over \($0)" } ?? ""
        return "\(via)\(name)\(below)\(SummaryText.deadLegs(deadLegs.compactMap(\.interface)))"
    }
}

extension ReachabilityState {
    /// The path in a few words, with the families that it holds for, and the verdicts of the probes, where there are any.
    public var summary: String {
        let standby = alternative.map { ", \($0.interface) works (\($0.code))" } ?? ""
        let end = standby + (isFlapping ? ", flapping" : "")
        guard path.via.isReachable else { return path.overall.summary + end }
        let families = [(path.ipv4, "IPv4"), (path.ipv6, "IPv6")].filter { $0.0?.via.isReachable == true }.map(\.1)
        return ([path.overall.summary] + (families.isEmpty ? [] : [families.joined(separator: "+")]))
            .joined(separator: " ") + beyond + end
    }

    /// `, full`, or `, partial (tls_expired web)`; nothing where the probes say nothing.
    private var beyond: String {
        guard let connectivity, connectivity != .unknown || connectivityReason != nil else { return "" }
        return ", \(connectivity)" + SummaryText.because(connectivityReason, connectivityProbe)
    }
}

extension Uplink {
    /// `wifi, used, full`, or `wwan, standby, none (link_down)`.
    public var summary: String {
        "\(kind), \(isUsed ? "used" : "standby"), \(connectivity)" + SummaryText.because(reason?.code, reason?.probe)
    }
}

extension ProbeVerdict {
    /// `up`, `down (connect_refused)`, `portal (portal_redirect), log in at http://login.example/`.
    public var summary: String {
        verdict + SummaryText.because(code, nil) + (isFlapping ? ", flapping" : "")
            + (portalURL.map { ", log in at \($0)" } ?? "")
    }
}

extension ProbePoint {
    /// The place that a probe is made from, unless it is the usual: `wwan0 IPv6: `.
    var place: String {
        let words = [interface, family.map(SummaryText.familyName)].compactMap { $0 }
        return words.isEmpty ? "" : words.joined(separator: " ") + ": "
    }
}

extension CertificateExpiry {
    /// `certificate CN=www.example ends in 6 days, on 2026-11-27 [7d]`.
    public var summary: String {
        let which = position == 0 ? "certificate" : "certificate \(position + 1) of the chain,"
        let name = certificate.subject.isEmpty ? "(no subject)" : certificate.subject
        let end =
            switch daysLeft {
            case ..<0: "ended \(Self.days(-daysLeft)) ago, on"
            case 0: "ends within a day, on"
            default: "ends in \(Self.days(daysLeft)), on"
            }
        let refused = isVerified ? "" : "; it is refused already"
        return "\(which) \(name) \(end) \(certificate.notAfter.description.prefix(10)) [\(threshold)]\(refused)"
    }

    private static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }
}

extension ConfigurationReload {
    /// `configuration read again: 1 added (probe.web), 2 changed (settle, probe.dns)`.
    public var summary: String {
        let parts = [(added, "added"), (removed, "removed"), (changed, "changed")].filter { !$0.0.isEmpty }
            .map { "\($0.0.count) \($0.1) (\(SummaryText.listed($0.0)))" }
        let what = parts.isEmpty ? "nothing changed" : parts.joined(separator: ", ")
        let later =
            needsRestart.isEmpty ? "" : "; takes effect with the next start: \(SummaryText.listed(needsRestart))"
        return "configuration read again: \(what)\(later)"
    }
}

extension ConfigurationRejection {
    /// `configuration rejected: reachagent.toml:7:1: probe.web.rise: …, and 2 more errors`.
    public var summary: String {
        let further = max(0, errors.count - 1) + max(0, min(errorsOmitted ?? 0, 1 << 32))
        let rest = further == 0 ? "" : ", and \(further) more error\(further == 1 ? "" : "s")"
        return "configuration rejected: \(errors.first ?? "no error is named")\(rest)"
    }
}

extension JournalDegraded {
    /// `the journal cannot be written [no_space]; No space left on device`.
    public var summary: String {
        let what = isDegraded ? "the journal cannot be written" : "the journal is written again"
        let hole =
            if let missingFirstSequence, let missingLastSequence {
                "; events \(missingFirstSequence) to \(missingLastSequence) are missing from it"
            } else {
                ""
            }
        return "\(what) [\(code)]" + (detail.map { "; \($0)" } ?? "") + hole
    }
}
