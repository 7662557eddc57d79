public import NetlinkMonitor
public import Probes

/// A moment on two clocks, as it came with the kernel's message.
public typealias Observed = ObservedTime

/// A change of state, raw or settled.
public enum Transition: Sendable, Equatable {
    /// The default path changed; every edge, at once.
    case path(Change<ReachabilityState>)
    /// The path to a target changed; every edge, at once.
    case targetPath(Target, Change<TargetState>)
    /// The machine's reachability changed, and held.
    case reachability(Change<ReachabilityState>)
    /// A target's reachability changed, and held.
    case target(Target, Change<TargetState>)
    /// An uplink's state changed, and held.
    case uplink(Change<Uplink>)
    /// What a probe's checks come to changed.
    case probe(ProbePoint, Change<ProbeStanding>)
    /// A certificate came to the end of its lifetime as far as a threshold.
    case certificate(CertificateExpiry)
    /// The machine was suspended for so long, and is awake again.
    case resumed(after: Duration, observed: Observed)
}

/// One value that became another.
public struct Change<Value: Sendable & Equatable>: Sendable, Equatable {
    /// Before.
    public let from: Value
    /// After.
    public let to: Value
    /// What made it change.
    public let cause: ChangeCause
    /// When the kernel's message that made it change was read.
    public let observed: Observed
    /// How long the new value had held when it was published; zero for a raw change.
    public let settled: Duration

    /// A change.
    public init(from: Value, to: Value, cause: ChangeCause, observed: Observed, settled: Duration = .zero) {
        self.from = from
        self.to = to
        self.cause = cause
        self.observed = observed
        self.settled = settled
    }
}
