public import NetlinkMonitor
public import Reachability

/// One input of the state machine.
///
/// The machine is pure: the same configuration and the same inputs give the same transitions.
public enum InputRecord: Sendable {
    /// A snapshot of the kernel's state.
    case update(NetworkUpdate, isCorrection: Bool)
    /// A completed check.
    case sample(ProbeSample)
    /// The passage of time.
    case tick(ObservedTime)
    /// The end of a suspend of this duration.
    case resumed(after: Duration, observed: ObservedTime)
    /// A new configuration.
    case configuration(MachineConfiguration, observed: ObservedTime)
    /// The configuration with the checks of the portals that the networks announce now.
    case announcement(MachineConfiguration, observed: ObservedTime)

    /// The time of the input.
    public var observed: ObservedTime {
        switch self {
        case .update(let update, _): update.observed
        case .sample(let sample): sample.observed
        case .tick(let observed), .resumed(_, let observed): observed
        case .configuration(_, let observed), .announcement(_, let observed): observed
        }
    }

    /// The name of the type of input in a recording.
    public var name: String {
        switch self {
        case .update: "update"
        case .sample: "sample"
        case .tick: "tick"
        case .resumed: "resumed"
        case .configuration, .announcement: "configuration"
        }
    }

    /// The memory and work that the input costs, in units of a few hundred bytes.
    var weight: Int {
        switch self {
        case .update(let update, _):
            1 + update.snapshot.links.count + update.snapshot.addresses.count + update.snapshot.defaultRoutes.count
                + update.snapshot.rules.count + update.snapshot.lookups.count + update.changes.count
        case .sample(let sample): 1 + sample.certificates.count
        case .tick, .resumed: 1
        case .configuration(let configuration, _), .announcement(let configuration, _):
            1 + configuration.targets.count + configuration.probes.count
        }
    }
}

extension ReachabilityMachine {
    /// Handles an input of any type.
    ///
    /// - Returns: The transitions, in order of publication.
    public mutating func take(_ input: InputRecord) -> [Transition] {
        switch input {
        case .update(let update, let isCorrection): handle(update, isCorrection: isCorrection)
        case .sample(let sample): handle(sample).transitions
        case .tick(let observed): tick(at: observed.instant)
        case .resumed(let suspended, let observed): resume(after: suspended, observed: observed)
        case .configuration(let configuration, let observed): configure(configuration, observed: observed)
        case .announcement(let configuration, let observed):
            configure(configuration, observed: observed, isAnnouncement: true)
        }
    }
}
