/// The configuration of the state machine: settling, targets, and the evaluation of probes.
public struct MachineConfiguration: Sendable, Hashable, Codable {
    /// The time for which a change must hold.
    public var settle: SettlePolicy
    /// The targets, each with a path of its own.
    public var targets: [Target]
    /// The rules of the probes, each with a unique name.
    public var probes: [ProbeRule]
    /// The number of required probes that must be up.
    public var quorum: Quorum

    /// Creates a configuration.
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

    /// The names that probes are bound to, those of kinds of interfaces among them.
    var boundInterfaces: Set<String> {
        probes.reduce(into: []) { names, rule in
            if case .matching(let words) = rule.interfaces { names.formUnion(words) }
        }
    }
}
