public import AgentEvents

/// The part of a journal that an account read, and what was irregular about it.
public struct Coverage: Sendable, Hashable {
    /// The time of the first event.
    public internal(set) var first: Timestamp?
    /// The time of the last event.
    public internal(set) var last: Timestamp?
    /// The number of events.
    public internal(set) var events = 0
    /// The number of numbers that are missing between events.
    public internal(set) var missing: UInt64 = 0
    /// The number of events that were there twice, and counted once.
    public internal(set) var duplicates = 0
    /// The number of ends of the agent without a last event.
    public internal(set) var crashes = 0
    /// The number of times that the clock was set back between two events.
    public internal(set) var clockSteps = 0
    /// The time that the clock repeated, in microseconds.
    public internal(set) var repeated: Int64 = 0
    /// The number of changes to another agent's numbers.
    public internal(set) var streams = 0
}
