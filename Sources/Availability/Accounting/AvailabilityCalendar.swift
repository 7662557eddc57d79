public import AgentEvents

/// The availability of a subject, day by day, and its outages.
public struct AvailabilityCalendar: Sendable, Hashable {
    /// A day.
    public struct Day: Sendable, Hashable {
        /// The day.
        public var date: CivilTime.Day
        /// The available time, in microseconds.
        public var available: Int64
        /// The time of which something is known, in microseconds; 0 for a day without data.
        public var known: Int64
        /// The time of outages, in microseconds.
        public var outages: Int64

        /// Creates a day.
        public init(date: CivilTime.Day, available: Int64, known: Int64, outages: Int64) {
            self.date = date
            self.available = available
            self.known = known
            self.outages = outages
        }
    }

    /// The interface of an uplink; `nil` for the default path.
    public var uplink: String?
    /// The days without a gap, today being the last.
    public var days: [Day]
    /// The number of outages in these days.
    public var outageCount: Int
    /// The longest of them.
    public var longest: Outage?

    /// Creates a calendar.
    public init(uplink: String? = nil, days: [Day], outageCount: Int = 0, longest: Outage? = nil) {
        self.uplink = uplink
        self.days = days
        self.outageCount = outageCount
        self.longest = longest
    }

    init(_ account: SubjectAccount, days: [Day], in civilTime: CivilTime) {
        let start = days.first.map { civilTime.start(of: $0.date) }
        let outages = account.outages.filter { outage in start.map { outage.end > $0 } ?? true }
        self.init(
            uplink: account.subject.kind == .uplink ? account.subject.name : nil,
            days: days,
            outageCount: outages.count,
            longest: outages.max { $0.duration < $1.duration }
        )
    }

    /// The available share of all days; `nil` where nothing is known.
    public var share: AgentStatus.Availability.Share? {
        let known = days.reduce(0) { $0 + $1.known }
        guard known > 0 else { return nil }
        return .init(availableMicroseconds: days.reduce(0) { $0 + $1.available }, knownMicroseconds: known)
    }
}

extension AvailabilityCalendar.Day {
    /// The available share of the day; `nil` where nothing is known.
    public var share: AgentStatus.Availability.Share? {
        known > 0 ? .init(availableMicroseconds: available, knownMicroseconds: known) : nil
    }
}
