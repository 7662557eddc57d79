public import CheckResults
public import NetlinkMonitor

/// A time on two clocks, taken with the kernel's message.
public typealias Observed = ObservedTime

/// A change of state, raw or settled.
public enum Transition: Sendable, Equatable {
    /// The default path changed; unsettled.
    case path(Change<ReachabilityState>)
    /// The path to a target changed; unsettled.
    case targetPath(Target, Change<TargetState>)
    /// The machine's reachability changed; settled.
    case reachability(Change<ReachabilityState>)
    /// A target's reachability changed; settled.
    case target(Target, Change<TargetState>)
    /// An uplink's state changed; settled.
    case uplink(Change<Uplink>)
    /// A probe's verdict changed.
    case probe(ProbePoint, Change<ProbeStanding>)
    /// A certificate is about to expire.
    case certificate(CertificateExpiry)
    /// The machine resumed after a suspend of this duration.
    case resumed(after: Duration, observed: Observed)
}

/// A value before and after a change.
public struct Change<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The old value.
    public let from: Value
    /// The new value.
    public let to: Value
    /// The cause of the change.
    public let cause: ChangeCause
    /// The time at which the causing kernel message was read.
    public let observed: Observed
    /// The time for which the new value had held when it was published; zero for an unsettled change.
    public let settled: Duration

    /// Creates a change.
    public init(from: Value, to: Value, cause: ChangeCause, observed: Observed, settled: Duration = .zero) {
        self.from = from
        self.to = to
        self.cause = cause
        self.observed = observed
        self.settled = settled
    }
}
