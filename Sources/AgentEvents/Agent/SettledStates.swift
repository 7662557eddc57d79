/// The settled states at one moment, in an event that reports missing ones.
///
/// The changes that led to these states may be missing, and the next ones may be weeks away.
public struct SettledStates: Codable, Sendable, Hashable {
    /// The reachability of the machine.
    public var state: ReachabilityState
    /// The reachability of the targets.
    @OptionalList public var targets: [NetworkSnapshot.Target]
    /// The uplinks.
    @OptionalList public var uplinks: [Uplink]
    /// The verdicts of the probes; those that are not up come first.
    @OptionalList public var probes: [NetworkSnapshot.ProbeVerdict]
    /// The number of states that were omitted from the lists; `nil` if there are none.
    public var omitted: Int?

    /// Creates states.
    public init(
        state: ReachabilityState,
        targets: [NetworkSnapshot.Target] = [],
        uplinks: [Uplink] = [],
        probes: [NetworkSnapshot.ProbeVerdict] = [],
        omitted: Int? = nil
    ) {
        self.state = state
        self.targets = targets
        self.uplinks = uplinks
        self.probes = probes
        self.omitted = omitted
    }
}
