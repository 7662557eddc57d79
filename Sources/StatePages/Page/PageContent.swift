public import AgentEvents
public import Availability

/// The values that the page shows.
public struct PageContent: Sendable {
    /// The status.
    public var status: AgentStatus
    /// The availability day by day of the default path and of each uplink; empty while the journal was not read yet.
    public var calendars: [AvailabilityCalendar]
    /// The checks of each point in the last 24 hours.
    public var latency: [ProbePoint: [RecentLatency.Hour]]
    /// The transfers over each uplink; those over the default path have no name.
    public var transfers: [String?: RecentTransfers.Series]
    /// The newest events, the newest first.
    public var timeline: [TimelineEntry]
    /// True while the journal is read: there will be more in a moment.
    public var isReading: Bool

    /// Creates the values of a page.
    public init(
        status: AgentStatus,
        calendars: [AvailabilityCalendar] = [],
        latency: [ProbePoint: [RecentLatency.Hour]] = [:],
        transfers: [String?: RecentTransfers.Series] = [:],
        timeline: [TimelineEntry] = [],
        isReading: Bool = false
    ) {
        self.status = status
        self.calendars = calendars
        self.latency = latency
        self.transfers = transfers
        self.timeline = timeline
        self.isReading = isReading
    }
}

/// A moment as the page shows it.
struct PageClock {
    /// The moment of the page.
    let now: Timestamp
    /// RFC 3339 with the offset of the local zone.
    let local: (Timestamp) -> String

    /// The local time, and before it the day when it is another than the page's: `14:02:11`, `2026-11-20 14:02:11`.
    func brief(_ moment: Timestamp) -> String {
        let (then, today) = (local(moment), local(now))
        guard then.utf8.count >= 19 else { return then }
        let time = String(then.dropFirst(11).prefix(8))
        return then.prefix(10) == today.prefix(10) ? time : "\(then.prefix(10)) \(time)"
    }

    /// The local day and time: `2026-11-20 14:02:11`.
    func full(_ moment: Timestamp) -> String { String(local(moment).prefix(19).map { $0 == "T" ? " " : $0 }) }

    /// The age of a moment: `3 h 12 min`.
    func age(of moment: Timestamp, milliseconds: Int64? = nil) -> String {
        let age = milliseconds ?? (now.microsecondsSince1970 &- moment.microsecondsSince1970) / 1000
        return SummaryText.coarse(max(0, age) / 1000)
    }
}

extension HTMLText {
    /// Writes a moment, which a script can keep in mind: `14:02:11`.
    mutating func time(_ moment: Timestamp, _ clock: PageClock) {
        raw("<time datetime=\"\(moment)\">")
        text(clock.brief(moment))
        raw("</time>")
    }

    /// Writes an age, which the script lets grow: `3 h 12 min`.
    mutating func age(of moment: Timestamp, milliseconds: Int64? = nil, _ clock: PageClock) {
        let age = milliseconds ?? (clock.now.microsecondsSince1970 &- moment.microsecondsSince1970) / 1000
        raw("<span data-since=\"\(clock.now.microsecondsSince1970 / 1000 &- age)\">")
        text(clock.age(of: moment, milliseconds: milliseconds))
        raw("</span>")
    }
}
