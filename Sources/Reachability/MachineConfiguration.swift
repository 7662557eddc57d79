public import NetlinkMonitor

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

    /// The names that probes are bound to, including those of interface kinds.
    var boundInterfaces: Set<String> {
        probes.reduce(into: []) { names, rule in
            if case .matching(let words) = rule.interfaces { names.formUnion(words) }
        }
    }
}

/// An address that the operator wants to reach.
public struct Target: Sendable, Hashable, Codable {
    /// The name of the target in events.
    ///
    /// Not `default`, which is the default path.
    public let name: String
    /// The address.
    public let address: IPAddress

    /// Creates a target.
    public init(name: String, address: IPAddress) {
        self.name = name
        self.address = address
    }
}

/// The time for which a change must hold before it is published as settled.
public struct SettlePolicy: Sendable, Hashable, Codable {
    /// The time for an improvement, or an equally good alternative.
    public let up: Duration
    /// The time for a loss: rides over a Wi-Fi roam or a DHCP renewal.
    public let down: Duration

    /// The documented defaults: 250 ms up, 1 s down.
    public static let standard = SettlePolicy(up: .milliseconds(250), down: .seconds(1))
    /// Every change is published at once.
    public static let none = SettlePolicy(up: .zero, down: .zero)
    /// The maximum wait for a fluctuating value, in settle times.
    static let maximumWaitFactor = 3

    /// Creates a policy; negative durations count as zero.
    public init(up: Duration, down: Duration) {
        self.up = max(.zero, up)
        self.down = max(.zero, down)
    }
}
