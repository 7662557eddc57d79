public import NetlinkMonitor
public import Reachability

/// One input of the state machine: what it was told, in the order in which it was told.
///
/// The machine is pure: the same configuration and the same inputs give the same transitions.
public enum InputRecord: Sendable {
    /// A view of the kernel's.
    case update(NetworkUpdate, isCorrection: Bool)
    /// A completed check.
    case sample(ProbeSample)
    /// Time passed.
    case tick(ObservedTime)
    /// The machine was suspended for so long.
    case resumed(after: Duration, observed: ObservedTime)
    /// Another configuration.
    case configuration(MachineConfiguration, observed: ObservedTime)

    /// When the input came.
    public var observed: ObservedTime {
        switch self {
        case .update(let update, _): update.observed
        case .sample(let sample): sample.observed
        case .tick(let observed), .resumed(_, let observed), .configuration(_, let observed): observed
        }
    }

    /// The name that a recording has for this sort of input.
    public var name: String {
        switch self {
        case .update: "update"
        case .sample: "sample"
        case .tick: "tick"
        case .resumed: "resumed"
        case .configuration: "configuration"
        }
    }

    /// How much memory and work the input costs, counted in things of a few hundred bytes.
    var weight: Int {
        switch self {
        case .update(let update, _):
            1 + update.snapshot.links.count + update.snapshot.addresses.count + update.snapshot.defaultRoutes.count
                + update.snapshot.rules.count + update.snapshot.lookups.count + update.changes.count
        case .sample(let sample): 1 + sample.certificates.count
        case .tick, .resumed: 1
        case .configuration(let configuration, _): 1 + configuration.targets.count + configuration.probes.count
        }
    }
}

extension ReachabilityMachine {
    /// Takes an input, whatever sort it is.
    ///
    /// - Returns: The transitions, in the order in which they are to be published.
    public mutating func take(_ input: InputRecord) -> [Transition] {
        switch input {
        case .update(let update, let isCorrection): handle(update, isCorrection: isCorrection)
        case .sample(let sample): handle(sample).transitions
        case .tick(let observed): tick(at: observed.instant)
        case .resumed(let suspended, let observed): resume(after: suspended, observed: observed)
        case .configuration(let configuration, let observed): configure(configuration, observed: observed)
        }
    }
}
