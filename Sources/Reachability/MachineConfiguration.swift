/// Everything that the state machine is told once: how long to settle, what to watch, how to judge.
public struct MachineConfiguration: Sendable, Hashable, Codable {
    /// How long a change must hold.
    public var settle: SettlePolicy
    /// What has a path of its own.
    public var targets: [Target]
    /// How the probes are judged; each has a name of its own.
    public var probes: [ProbeRule]
    /// How many of the required probes have to be up.
    public var quorum: Quorum

    /// A configuration.
    public init(
        settle: SettlePolicy = .standard,
        targets: [Target] = [],
        probes: [ProbeRule] = [],
        quorum: Quorum = .all
    ) {
        self.settle = settle
        self.targets = targets
        self.probes = probes
        self.quorum = quorum
    }
}
