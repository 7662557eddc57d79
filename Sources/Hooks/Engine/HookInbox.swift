internal import EventEnvelope
internal import NIOCore

/// What was delivered and not yet taken: events and settings, in the order in which they came.
struct HookInbox: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// One thing that was delivered.
    enum Item: Sendable {
        case event(Event, at: Instant)
        /// Other settings, with the state as it was then.
        case settings(HookSettings, last: LastEvents)
    }

    /// The most events that wait; beyond that the oldest are dropped, and counted.
    static let mostEvents = 4096

    /// The types that somebody wants; others are not kept.
    private(set) var wanted: Set<EventType> = []
    private(set) var last = LastEvents()
    private var events: CircularBuffer<(event: Event, at: Instant)> = []
    /// The number of the first event that waits.
    private var first: UInt64 = 0
    /// The settings, with the number of the event before which they were given.
    private var settings: CircularBuffer<(before: UInt64, settings: HookSettings, last: LastEvents)> = []
    private var lost: [EventType: Int] = [:]

    /// Keeps an event, if somebody wants it.
    ///
    /// - Returns: Whether there is something to take.
    mutating func deliver(_ event: Event, at now: Instant) -> Bool {
        last.note(event)
        guard wanted.contains(event.type) else { return false }
        if events.count >= Self.mostEvents, let oldest = events.popFirst() {
            first &+= 1
            lost[oldest.event.type, default: 0] += 1
        }
        events.append((event, now))
        return true
    }

    /// Keeps settings; from here on the types are wanted that they want.
    mutating func configure(_ new: HookSettings) {
        wanted = new.wantedTypes
        settings.append((first &+ UInt64(events.count), new, last))
    }

    /// Takes all, in order, and how many events of each type were dropped.
    mutating func takeAll() -> (items: [Item], lost: [EventType: Int]) {
        var items: [Item] = []
        items.reserveCapacity(events.count + settings.count)
        while !events.isEmpty || !settings.isEmpty {
            if let next = settings.first, next.before <= first || events.isEmpty {
                items.append(.settings(next.settings, last: next.last))
                _ = settings.popFirst()
            } else if let next = events.popFirst() {
                items.append(.event(next.event, at: next.at))
                first &+= 1
            }
        }
        defer { lost = [:] }
        return (items, lost)
    }
}

extension HookSettings {
    /// Whether there is nothing to run.
    var isEmpty: Bool { folders.isEmpty && definitions.isEmpty }

    /// The types of event that any hook is for, or that say whether the machine is online where that matters.
    var wantedTypes: Set<EventType> {
        var types = Set(definitions.flatMap(\.trigger.types))
        if !folders.isEmpty { types.formUnion(HookOccasion.types) }
        if definitions.contains(where: \.isWebhook) { types.insert(.reachabilityChanged) }
        return types
    }
}

extension HookDefinition {
    /// Whether it sends requests.
    var isWebhook: Bool {
        if case .webhook = action { true } else { false }
    }
}
