/// An uplink that works while the path that the kernel prefers is dead.
///
/// The agent changes no route: how the system could be made to prefer the other uplink is in docs/operations.md.
public struct PathAlternative: Sendable, Hashable {
    /// The interface that the kernel prefers; of a tunnel the one that carries it.
    public let preferred: PathInterface
    /// The interface of the uplink that works.
    public let interface: PathInterface

    /// An alternative.
    public init(preferred: PathInterface, interface: PathInterface) {
        self.preferred = preferred
        self.interface = interface
    }

    /// The code of every alternative.
    public var code: ReasonCode { .preferredPathDead }
}

extension PathAlternative {
    /// Finds the alternative to a state's path; `nil` where the path works or no other uplink does.
    ///
    /// A path that cannot be used at all is compared with what the kernel says of the other uplinks, and with what the
    /// probes bound to them say. Where only the probes say that a path is dead, they have to say that the other one works.
    init?(to state: ReachabilityState, among uplinks: [Uplink]) {
        let path = state.path
        // A default route into a dummy device is meant to lead nowhere.
        let isUnusable = path.via == .none && path.reason != .leadsNowhere
        guard isUnusable || (path.via.isReachable && state.connectivity == .local),
            let preferred = path.underlay?.interface ?? path.interface
        else { return nil }
        let others = uplinks.filter { !$0.isBoundOnly && $0.interface.index != preferred.index }
        let proven = others.first { $0.connectivity == .full } ?? others.first { $0.connectivity == .partial }
        let unproven = isUnusable ? others.first { $0.connectivity == .unknown && $0.reason == nil } : nil
        guard let uplink = proven ?? unproven else { return nil }
        self.init(preferred: preferred, interface: uplink.interface)
    }
}
