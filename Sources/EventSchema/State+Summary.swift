internal import EventEnvelope
internal import NetlinkMonitor
internal import Probes
public import Reachability

/// A state that people can be told in a few words.
protocol DescribedState: JSONRepresentable, Sendable, Equatable {
    var summary: String { get }
}

extension Path {
    /// `wifi wlan0`, `wwan tun0 over wwan0`, `wifi wlan0 (dead leg eth0)`, or `none (link_down wlan0)`.
    public var summary: String {
        let name = interface.map { " \($0.name)" } ?? ""
        guard via.isReachable else { return reason.map { "\(via.rawValue) (\($0.rawValue)\(name))" } ?? via.rawValue }
        let below = underlay?.interface.map { " over \($0.name)" } ?? ""
        let legs = SummaryText.deadLegs(deadLegs.compactMap { $0.interface?.name })
        return "\(via.rawValue)\(name)\(below)\(legs)"
    }
}

extension ReachabilityState: DescribedState {
    /// The path in a few words, with the families that it holds for, and what the probes say, where they say anything.
    public var summary: String {
        let flapping = isFlapping ? ", flapping" : ""
        guard via.isReachable else { return path.summary + flapping }
        let families = [(ipv4, "IPv4"), (ipv6, "IPv6")].filter { $0.0.via.isReachable }.map(\.1)
        let beyond = SummaryText.connectivity(
            connectivity.rawValue,
            code: connectivityReason?.code,
            probe: connectivityReason?.probe
        )
        return "\(path.summary) \(families.joined(separator: "+"))\(beyond)\(flapping)"
    }
}

extension TargetState: DescribedState {
    /// The path in a few words.
    public var summary: String { path.summary }
}

extension ProbeStanding {
    /// `up`, or `down (connect_refused)`.
    var summary: String {
        SummaryText.standing(
            verdict: verdict.rawValue,
            code: code?.rawValue,
            portalURL: portalURL,
            isFlapping: isFlapping
        )
    }
}

extension Uplink {
    /// `wifi, used, full`, or `wwan, standby, none (link_down)`.
    var summary: String {
        SummaryText.uplink(
            kind: interface.kind.rawValue,
            isUsed: isUsed,
            connectivity: connectivity.rawValue,
            code: reason?.code,
            probe: reason?.probe
        )
    }
}

extension CertificateExpiry {
    /// Which certificate ends, and when.
    var summary: String {
        SummaryText.certificate(
            subject: certificate.subject,
            position: position,
            daysLeft: daysLeft,
            notAfter: Timestamp(certificate.notAfter).description,
            threshold: threshold,
            isVerified: certificate.isVerified
        )
    }
}
