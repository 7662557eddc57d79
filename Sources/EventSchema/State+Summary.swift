internal import EventEnvelope
internal import NetlinkMonitor
public import Reachability

/// A state that people can be told in a few words.
protocol DescribedState: JSONRepresentable, Sendable, Equatable {
    var summary: String { get }
}

extension Path {
    /// `wifi wlan0`, `wwan tun0 over wwan0`, or `none (link_down wlan0)`.
    public var summary: String {
        let name = interface.map { " \($0.name)" } ?? ""
        guard via.isReachable else { return reason.map { "\(via.rawValue) (\($0.rawValue)\(name))" } ?? via.rawValue }
        let below = underlay?.interface.map { " over \($0.name)" } ?? ""
        return "\(via.rawValue)\(name)\(below)"
    }
}

extension ReachabilityState: DescribedState {
    /// The path in a few words, with the families that it holds for.
    public var summary: String {
        guard via.isReachable else { return path.summary }
        let families = [(ipv4, "IPv4"), (ipv6, "IPv6")].filter { $0.0.via.isReachable }.map(\.1)
        return "\(path.summary) \(families.joined(separator: "+"))"
    }
}

extension TargetState: DescribedState {
    /// The path in a few words.
    public var summary: String { path.summary }
}
