internal import AgentEvents
internal import NetlinkMonitor

/// The times of events in the order of their numbers: they never run backwards, unless the clock is set back.
///
/// An input that was read before the last event went out has that event's time.
struct EventClock: Sendable {
    private var last: ObservedTime?

    /// The time of the next event, which an input of that moment brings about.
    mutating func stamp(_ observed: ObservedTime) -> ObservedTime {
        // Compared by the clock that nobody sets.
        if let last, observed.instant < last.instant { return last }
        last = observed
        return observed
    }
}
