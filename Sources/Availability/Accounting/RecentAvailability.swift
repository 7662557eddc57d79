public import AgentEvents

/// The availability of the default path and of each uplink, day by day over the last 90 days, event by event.
///
/// The cost of reading this value depends on its days and uplinks, not on the number of events.
public struct RecentAvailability: Sendable {
    /// The number of days, including today.
    public static let days = 90
    /// The number of days of ``Entry/recent``, including today.
    public static let recentDays = 30
    /// The number of days after the current one for which a value can be used.
    private static let daysAhead = 30

    /// The available share of the known time.
    public struct Share: Sendable, Hashable {
        /// The available time in microseconds.
        public var available: Int64 = 0
        /// The known time, in microseconds.
        public var known: Int64 = 0

        /// Creates the share of a period: nothing is known where no probe had a verdict in it.
        init(_ tally: Tally) {
            guard !tally.lacksVerdicts else { return }
            (available, known) = (tally.available, tally.known)
        }
    }

    /// The shares of the default path or of an uplink.
    public struct Entry: Sendable, Hashable {
        /// The subject.
        public var subject: Subject
        /// The share of the current day.
        public var today: Share
        /// The share of the last 30 days.
        public var recent: Share
    }

    private var accountant: Accountant
    private let window: Window

    /// Creates the availability before the first event; `nil` for a time outside the calendar.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - civilTime: The time zone in which days begin.
    ///   - numbering: The completeness of the events that will be added.
    public init?(at now: Timestamp, in civilTime: CivilTime, numbering: Accountant.Numbering = .complete) {
        let today = civilTime.day(of: now)
        // A device without a clock of its own starts in 1970.
        let start = max(
            civilTime.start(of: CivilTime.Day(number: today.number - Int64(Self.days - 1))),
            Timestamp(microsecondsSince1970: 0)
        )
        let end = civilTime.start(of: CivilTime.Day(number: today.number + Int64(Self.daysAhead + 1)))
        guard let window = Window(from: start, to: end, in: civilTime) else { return nil }
        self.window = window
        accountant = Accountant(window: window, numbering: numbering, countsProbes: false)
    }

    /// The first moment of the 90 days at the time of creation.
    public var start: Timestamp { window.start }

    /// The moment at which the value must be replaced.
    public var end: Timestamp { window.end }

    /// Returns true for types whose content matters; for others, number and time are sufficient.
    public static func needsContent(_ type: EventType?) -> Bool {
        type != .probeChanged && type != .probeSummary && type != .certificateExpiring && Accountant.needsContent(type)
    }

    /// Adds an event, in the order of the numbers.
    public mutating func add(_ event: AgentEvent) {
        guard Self.needsContent(event.knownType) else {
            if let sequence = event.sequence { add(sequence: sequence, time: event.time) }
            return
        }
        accountant.add(event)
    }

    /// Adds an event of which only number and time matter.
    public mutating func add(sequence: UInt64, time: Timestamp) { accountant.add(sequence: sequence, time: time) }

    /// Returns the shares at a moment: the default path, then the uplinks by name.
    public func entries(at now: Timestamp) -> [Entry] {
        subjects(at: now).map { account in
            let days = days(of: account, at: now)
            var recent = Tally()
            for (_, tally) in days.suffix(Self.recentDays) { recent.add(tally) }
            return Entry(
                subject: account.subject,
                today: Share(days.last?.tally ?? Tally()),
                recent: Share(recent)
            )
        }
    }

    /// Returns the days at a moment: of the default path, then of the uplinks by name.
    public func calendars(at now: Timestamp) -> [AvailabilityCalendar] {
        subjects(at: now).map { account in
            AvailabilityCalendar(account, days: days(of: account, at: now), in: window.civilTime)
        }
    }

    private func subjects(at now: Timestamp) -> [SubjectAccount] {
        accountant.account(aliveUntil: now).subjects.filter { $0.subject.kind != .probe }
    }

    /// Returns the last 90 days of a subject, the last one being today.
    private func days(of account: SubjectAccount, at now: Timestamp) -> [(day: CivilTime.Day, tally: Tally)] {
        let today = Int(clamping: window.civilTime.day(of: now).number - (window.days.first?.number ?? 0))
        return zip(window.days, account.days).enumerated()
            .filter { (today - Self.days + 1...today).contains($0.offset) }
            .map { (day: $0.element.0, tally: $0.element.1) }
    }
}

/// The availability of a subject, day by day, and its outages.
public struct AvailabilityCalendar: Sendable, Hashable {
    /// A day.
    public struct Day: Sendable, Hashable {
        /// The day.
        public var date: CivilTime.Day
        /// The available time, in microseconds.
        public var available: Int64
        /// The known time, in microseconds; 0 for a day without data, and for one on which no probe had a verdict.
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

        init(_ date: CivilTime.Day, _ tally: Tally) {
            self.init(
                date: date,
                available: tally.available,
                known: tally.lacksVerdicts ? 0 : tally.known,
                outages: tally.unavailable
            )
        }
    }

    /// The interface of an uplink; `nil` for the default path.
    public var uplink: String?
    /// The days without a gap, the last one being today.
    public var days: [Day]
    /// The known time of all days together, in microseconds; if any has a verdict, with the losses on those without one.
    public var known: Int64
    /// The number of outages in these days.
    public var outageCount: Int
    /// The longest of them.
    public var longest: Outage?

    /// Creates a calendar; without the known time of all days it is the sum of that of each.
    public init(
        uplink: String? = nil,
        days: [Day],
        known: Int64? = nil,
        outageCount: Int = 0,
        longest: Outage? = nil
    ) {
        self.uplink = uplink
        self.days = days
        self.known = known ?? days.reduce(0) { $0 + $1.known }
        self.outageCount = outageCount
        self.longest = longest
    }

    init(_ account: SubjectAccount, days: [(day: CivilTime.Day, tally: Tally)], in civilTime: CivilTime) {
        let start = days.first.map { civilTime.start(of: $0.day) }
        var sum = Tally()
        for (_, tally) in days { sum.add(tally) }
        let outages = account.outages.filter { outage in start.map { outage.end > $0 } ?? true }
        // The list has the earliest outages, up to a maximum; the count and the longest one are of all.
        let omitted = account.outageCount - account.outages.count
        let longest = account.longest.flatMap { longest in start.map { longest.end > $0 } ?? true ? longest : nil }
        self.init(
            uplink: account.subject.kind == .uplink ? account.subject.name : nil,
            days: days.map(Day.init),
            known: sum.lacksVerdicts ? 0 : sum.known,
            outageCount: outages.count + omitted,
            longest: longest ?? outages.max { $0.duration < $1.duration }
        )
    }

    /// The available share of all days; `nil` if nothing is known.
    public var share: AgentStatus.Availability.Share? {
        guard known > 0 else { return nil }
        return .init(availableMicroseconds: days.reduce(0) { $0 + $1.available }, knownMicroseconds: known)
    }
}

extension AvailabilityCalendar.Day {
    /// The available share of the day; `nil` if nothing is known.
    public var share: AgentStatus.Availability.Share? {
        known > 0 ? .init(availableMicroseconds: available, knownMicroseconds: known) : nil
    }
}
