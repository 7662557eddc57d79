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
}
