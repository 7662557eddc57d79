/// For how long a hook that fails again and again is left alone.
struct HookBackOff: Sendable, Hashable {
    /// How many times in a row it failed.
    private(set) var failures = 0
    /// Until when it is left alone.
    private(set) var until: SuspendingClock.Instant?

    /// The longest pause.
    static let longest = Duration.seconds(300)

    /// The pause after so many failures in a row: none at first, then 1 s, 2 s, 4 s … 300 s.
    static func pause(after failures: Int) -> Duration? {
        let extra = failures - HookStanding.repeatedFailures
        guard extra >= 0 else { return nil }
        return extra >= 9 ? longest : min(longest, .seconds(1 << extra))
    }

    /// Takes how a run ended.
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
