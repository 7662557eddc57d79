public import AgentEvents

/// An entry of the timeline, which describes an event.
public struct TimelineEntry: Sendable, Hashable {
    /// The number of the event.
    public var sequence: UInt64
    /// The time at which the event was published.
    public var time: Timestamp
    /// The first component of the type, by which the page filters: `reachability`, `path`, `uplink`, `probe`, `target`,
    /// `agent`.
    public var kind: String
    /// The uplinks concerned.
    public var interfaces: [String]
    /// The probe concerned.
    public var probe: String?
    var summary: EventSummary

    /// Creates the entry of an event; `nil` for an unnumbered event, or for content that this version does not know.
    public init?(_ event: AgentEvent) {
        guard let sequence = event.sequence, Timeline.shows(event.knownType), let summary = EventSummary(event) else {
            return nil
        }
        self.sequence = sequence
        time = event.time
        self.summary = summary
        kind =
            switch event.knownType {
            case .reachabilityChanged: "reachability"
            case .pathChanged: "path"
            case .uplinkChanged: "uplink"
            case .probeChanged, .certificateExpiring: "probe"
            case .targetChanged: "target"
            default: "agent"
            }
        (interfaces, probe) = Self.names(in: event)
    }

    private static func names(in event: AgentEvent) -> (interfaces: [String], probe: String?) {
        var (names, probe): ([String?], String?) = ([], nil)
        switch event.content {
        case .pathChanged(let change), .reachabilityChanged(let change), .targetChanged(let change):
            for state in [change.from, change.to] {
                names += [state.path.ipv4?.interface, state.path.ipv6?.interface, state.path.interface]
            }
            names.append(change.cause.interface)
            probe = change.to.connectivityProbe ?? change.from.connectivityProbe
        case .uplinkChanged(let change):
            names = [change.to.interface]
            probe = change.to.reason?.probe
        case .probeChanged(let change):
            names = [change.point.interface]
            probe = change.point.probe
        case .certificateExpiring(let expiry): probe = expiry.probe
        default: break
        }
        var seen: [String] = []
        for case let name? in names where !seen.contains(name) { seen.append(name) }
        return (seen, probe)
    }
}

/// The newest events for people, limited to the number that a page shows.
///
/// Events that occur in bursts have a limit of their own, and never displace settled changes. The description of an
/// event is created only on demand.
public struct Timeline: Sendable {
    /// The maximum number of settled changes.
    public static let maximumSettled = 150
    /// The maximum number of unsettled path changes and hook runs.
    public static let maximumFrequent = 50

    private enum Item: Sendable {
        case event(AgentEvent)
        // Twice as large as an event.
        indirect case entry(TimelineEntry)

        var sequence: UInt64 {
            switch self {
            case .event(let event): event.sequence ?? 0
            case .entry(let entry): entry.sequence
            }
        }
    }

    /// Up to twice the limit, as the oldest ones are only removed in one go: this runs for each event.
    private var settled: [Item] = []
    private var frequent: [Item] = []

    /// Creates a timeline without events.
    public init() {}

    /// Returns whether events of a type are shown.
    public static func shows(_ type: EventType?) -> Bool {
        guard let type, type.isNumbered else { return false }
        return type != .probeSummary && type != .eventsOmitted
    }

    /// Returns whether events of a type may occur in bursts.
    public static func isFrequent(_ type: EventType?) -> Bool { type == .pathChanged || type == .hookCompleted }

    /// Adds an event, in the order of the numbers; an event that was already read from the journal is ignored.
    public mutating func add(_ event: AgentEvent) {
        let type = event.knownType
        guard Self.shows(type) else { return }
        if Self.isFrequent(type) {
            Self.add(event, to: &frequent, atMost: Self.maximumFrequent)
        } else {
            Self.add(event, to: &settled, atMost: Self.maximumSettled)
        }
    }

    private static func add(_ event: AgentEvent, to items: inout [Item], atMost limit: Int) {
        guard let sequence = event.sequence, sequence > items.last?.sequence ?? 0 else { return }
        if items.count == 2 * limit { items.removeFirst(limit) }
        items.append(.event(event))
    }

    /// The entries, the newest first.
    public var entries: [TimelineEntry] {
        (settled.suffix(Self.maximumSettled) + frequent.suffix(Self.maximumFrequent)).compactMap { item in
            switch item {
            case .event(let event): TimelineEntry(event)
            case .entry(let entry): entry
            }
        }
        .sorted { $0.sequence > $1.sequence }
    }

    /// Replaces events with their entries, so that each description is created only once.
    public mutating func keep(_ entries: [TimelineEntry]) {
        let known = Dictionary(entries.map { ($0.sequence, $0) }) { first, _ in first }
        func kept(_ item: Item) -> Item { known[item.sequence].map(Item.entry) ?? item }
        (settled, frequent) = (settled.map(kept), frequent.map(kept))
    }
}
