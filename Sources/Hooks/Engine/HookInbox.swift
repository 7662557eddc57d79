internal import AgentEvents
internal import NIOCore

/// Delivered events and settings that have not been taken yet, in order.
struct HookInbox: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// A delivered item.
    enum Item: Sendable {
        case event(Event, at: Instant)
        /// New settings, with the state at that time.
        case settings(HookSettings, last: LastEvents)
    }

    /// The maximum number of queued events; beyond it the oldest are dropped, and counted.
    static let maximumEvents = 4096

    /// The event types that at least one hook needs; other events are dropped.
    private(set) var wanted: Set<EventType> = []
    private(set) var last = LastEvents()
    private var events: CircularBuffer<(event: Event, at: Instant)> = []
    /// The number of the first queued event.
    private var first: UInt64 = 0
    /// The settings, with the number of the event before which they were set.
    private var settings: CircularBuffer<(before: UInt64, settings: HookSettings, last: LastEvents)> = []
    private var lost: [EventType: Int] = [:]
    /// `true` if the events that determine whether the machine is online are needed.
    private var followsNetwork = false

    /// Queues an event, if any hook needs it.
    ///
    /// - Returns: `true` if there is something to take.
    mutating func deliver(_ event: Event, at now: Instant) -> Bool {
        last.note(event)
        guard wanted.contains(event.type) else { return false }
        if events.count >= Self.maximumEvents, let oldest = events.popFirst() {
            first &+= 1
            lost[oldest.event.type, default: 0] += 1
        }
        events.append((event, now))
        return true
    }

    /// Queues settings; from then on, the event types that they need are queued.
    mutating func configure(_ new: HookSettings) {
        // Also without webhooks from now on: a run of a removed one may wait to be online.
        followsNetwork = followsNetwork || new.definitions.contains(where: \.isWebhook)
        wanted = new.wantedTypes
        if followsNetwork { wanted.insert(.reachabilityChanged) }
        settings.append((first &+ UInt64(events.count), new, last))
    }

    /// Removes the states of all other targets and probes: no event reports that one does not exist any more.
    mutating func forgetStates(except subjects: HookSubjects) { last.keep(subjects) }

    /// Takes all items, in order, and the number of dropped events of each type.
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
    /// `true` if there is nothing to run.
    var isEmpty: Bool { directories.isEmpty && definitions.isEmpty }

    /// The event types of all hooks.
    var wantedTypes: Set<EventType> {
        var types = Set(definitions.flatMap(\.trigger.types))
        if !directories.isEmpty { types.formUnion(HookOccasion.types) }
        return types
    }
}

extension HookDefinition {
    /// `true` if the hook sends requests.
    var isWebhook: Bool {
        if case .webhook = action { true } else { false }
    }
}

/// The last event of each subject, and of a probe over each interface and in each family, for hooks that are added later
/// with `at_start`.
struct LastEvents: Sendable {
    /// The event types that report a state, also when the agent starts.
    static let types: Set<EventType> = [.reachabilityChanged, .targetChanged, .probeChanged, .pathChanged]
    /// The maximum number of events; beyond it the least recently changed one is dropped, of a probe if there is one,
    /// and never the default path's state, for which requests wait.
    static let maximumEvents = 1024

    private struct Key: Hashable {
        var type: EventType
        var subject: String
        /// The probe's vantage point: it has a verdict at each.
        var point: ProbePoint?

        init(_ event: Event) {
            (type, subject) = (event.type, event.subject)
            if case .probeChanged(let change) = event.value.content { point = change.point }
        }
    }

    private var events: [Key: (order: UInt64, event: Event)] = [:]
    private var order: UInt64 = 0

    /// The number of events.
    var count: Int { events.count }
    /// The sequence number of the newest event; 0 without one.
    var newest: UInt64 { events.values.compactMap(\.event.sequence).max() ?? 0 }

    /// Records an event, if it is of one of the types.
    mutating func note(_ event: Event) {
        guard Self.types.contains(event.type) else { return }
        let key = Key(event)
        if events[key] == nil, events.count >= Self.maximumEvents, let leastWanted { events[leastWanted] = nil }
        order &+= 1
        events[key] = (order, event)
    }

    /// Removes the events of other targets and probes.
    mutating func keep(_ subjects: HookSubjects) {
        events = events.filter { key, last in
            switch key.type {
            case .probeChanged: subjects.probes.contains(key.subject)
            case .targetChanged, .pathChanged:
                key.subject == AgentEvent.defaultSubject
                    || subjects.targets[key.subject].map { $0 == last.event.targetAddress } ?? false
            default: true
            }
        }
    }

    /// The event to drop first.
    private var leastWanted: Key? {
        events.min { ($0.key.type.rank, $0.value.order) < ($1.key.type.rank, $1.value.order) }?.key
    }

    /// Returns the last events of some types, in order.
    func events(of types: Set<EventType>) -> [Event] {
        events.values.filter { types.contains($0.event.type) }.sorted { $0.order < $1.order }.map(\.event)
    }
}

extension Event {
    /// The address of the target that the event is about; nil for other events.
    fileprivate var targetAddress: String? {
        switch value.content {
        case .pathChanged(let change), .targetChanged(let change): change.to.address
        default: nil
        }
    }
}

extension EventType {
    /// The order in which last events are dropped.
    fileprivate var rank: Int {
        switch self {
        case .probeChanged: 0
        case .reachabilityChanged: 2
        default: 1
        }
    }
}
