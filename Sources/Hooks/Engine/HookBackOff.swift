internal import AgentEvents

/// The backoff of a hook that fails repeatedly.
struct HookBackOff: Sendable, Hashable {
    /// The number of consecutive failures.
    private(set) var failures = 0
    /// The end of the current pause.
    private(set) var until: SuspendingClock.Instant?

    /// The maximum pause.
    static let longest = Duration.seconds(300)

    /// Returns the pause after a number of consecutive failures: none at first, then 1 s, 2 s, 4 s … 300 s.
    static func pause(after failures: Int) -> Duration? {
        let extra = failures - AgentStatus.HookStatus.repeatedFailures
        guard extra >= 0 else { return nil }
        return extra >= 9 ? longest : min(longest, .seconds(1 << extra))
    }

    /// Records the end of a run.
    mutating func ended<Element>(_ ending: HookQueue<Element>.Ending, at now: SuspendingClock.Instant) {
        switch ending {
        case .succeeded: self = HookBackOff()
        case .failed:
            if failures < Int.max { failures += 1 }
            until = Self.pause(after: failures).map { now.advanced(by: $0) }
        case .stopped: break
        }
    }
}
