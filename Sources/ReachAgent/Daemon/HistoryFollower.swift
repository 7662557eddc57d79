internal import AgentEvents
internal import Availability
internal import EventJournal
internal import LinuxSupport
internal import NotificationBus
internal import StatePages
internal import Synchronization

/// The availability of the last 90 days, the checks of the last 24 hours and the newest changes: read from the journal once,
/// on a thread of its own, and followed with each event from then on.
final class HistoryFollower: Sendable {
    /// The maximum number of events that are kept while the journal is read; after more, it is read again.
    private static let maximumWaiting = 4096
    /// The time for which the days are not computed again while nothing changes, in microseconds.
    private static let calendarAge: Int64 = 60_000_000
    /// The maximum number of uplinks whose states are kept where there is no journal.
    fileprivate static let maximumStates = 256
    /// A time before the last reading by more than this shows that the clock was ahead then, in microseconds.
    private static let clockStep: Int64 = 86_400_000_000

    fileprivate struct State {
        var history: RecentHistory?
        /// The time at which the history was begun.
        var begun = Timestamp(microsecondsSince1970: 0)
        /// The newest state of the default path and of each uplink; kept only without a journal.
        var newest: [String?: AgentEvent] = [:]
        var isReading = false
        /// The events that were published while the journal is read.
        var waiting: [AgentEvent] = []
        var isIncomplete = false
        /// The number of events that were handled.
        var taken: UInt64 = 0
        var calendars: (taken: UInt64, at: Timestamp, calendars: [AvailabilityCalendar])?
    }

    private let path: String?
    private let civilTime: CivilTime
    private let state = Mutex(State())

    /// - Parameter path: The journal's directory; without one only published events count.
    init(journal path: String?, in civilTime: CivilTime) {
        self.path = path
        self.civilTime = civilTime
    }

    /// Handles an event, on the thread that publishes it.
    func take(_ event: Event) {
        let mustRead = state.withLock { state in
            state.taken &+= 1
            if state.isReading {
                if state.waiting.count < Self.maximumWaiting {
                    state.waiting.append(event.value)
                } else {
                    state.isIncomplete = true
                }
                return false
            }
            let age = event.time.microsecondsSince1970 &- state.begun.microsecondsSince1970
            guard let end = state.history?.availability.end, event.time < end, age > -Self.clockStep,
                !state.isIncomplete
            else {
                (state.isReading, state.isIncomplete) = (true, false)
                state.waiting = [event.value]
                return true
            }
            state.history?.add(event.value)
            if path == nil { state.note(event.value) }
            return false
        }
        if mustRead { startReading(at: event.time) }
    }

    private func startReading(at now: Timestamp) {
        do throws(SystemError) {
            try NamedThread.start("history") { self.read(at: now) }
        } catch {
            // The next event retries.
            state.withLock { ($0.isReading, $0.isIncomplete, $0.waiting) = (false, true, []) }
        }
    }

    /// Reads the history again if the time zone has changed, because its days then begin at other times.
    private func followTimeZone(at now: Timestamp) {
        CivilTime.updateSystemZone()
        let mustRead = state.withLock { state in
            guard !state.isReading, let history = state.history, !history.hasDays(of: civilTime) else { return false }
            (state.isReading, state.isIncomplete, state.waiting) = (true, false, [])
            return true
        }
        if mustRead { startReading(at: now) }
    }

    /// The number of events that were handled.
    var taken: UInt64 { state.withLock { $0.taken } }

    /// The shares at a time; empty until the journal was read.
    func entries(at now: Timestamp) -> [AgentStatus.Availability] {
        followTimeZone(at: now)
        let history = state.withLock { $0.history }
        return history?.availability.entries(at: now).map { AgentStatus.Availability($0) } ?? []
    }

    /// The transfers of points in the last 24 hours; empty until the journal was read.
    ///
    /// - Parameter summaries: The checks that were not published yet.
    func transfers(
        of points: [ProbePoint],
        _ summaries: [ProbeSummary],
        at now: Timestamp
    ) -> [ProbePoint: TransferSketches] {
        guard !points.isEmpty, var transfers = state.withLock({ $0.history?.transfers }) else { return [:] }
        for summary in summaries { transfers.add(ScannedSummary(summary)) }
        return Dictionary(
            points.map { ($0, transfers.series(of: $0, at: now).lastDay) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The content of the page at a time; empty until the journal was read.
    ///
    /// Costs as much as computing 90 days: must not be called on a thread that others wait for.
    ///
    /// - Parameter summaries: The checks that were not published yet.
    func page(of status: AgentStatus, _ summaries: [ProbeSummary], at now: Timestamp) -> PageContent {
        followTimeZone(at: now)
        let (known, taken, kept) = state.withLock { ($0.history, $0.taken, $0.calendars) }
        guard let history = known else { return PageContent(status: status, isReading: true) }
        var calendars = kept?.calendars ?? []
        let age = kept.map { now.microsecondsSince1970 &- $0.at.microsecondsSince1970 } ?? .max
        // A clock that was set back makes the age negative.
        let isStale = kept?.taken != taken || !(0...Self.calendarAge).contains(age)
        if isStale { calendars = history.availability.calendars(at: now) }
        let entries = history.timeline.entries
        state.withLock { [calendars] state in
            if isStale { state.calendars = (taken, now, calendars) }
            state.history?.timeline.keep(entries)
        }
        var latency = history.latency
        var transfers = history.transfers
        for summary in summaries {
            latency.add(summary)
            transfers.add(ScannedSummary(summary))
        }
        return PageContent(
            status: status,
            calendars: calendars,
            latency: latency.hours(at: now),
            transfers: Self.byUplink(transfers, at: now),
            timeline: entries
        )
    }

    /// The transfers over each uplink, of all probes; those over the default path have no name.
    private static func byUplink(_ transfers: RecentTransfers, at now: Timestamp) -> [String?: RecentTransfers.Series] {
        Dictionary(grouping: transfers.probePoints, by: \.interface)
            .mapValues { transfers.series(of: $0, at: now) }
    }

    // MARK: On the thread

    private func read(at now: Timestamp) {
        CivilTime.updateSystemZone()
        // Without a journal only the newest state of each subject is added again, and not the events behind it.
        var history = RecentHistory(at: now, in: civilTime, numbering: path == nil ? .selected : .complete)
        if path == nil {
            state.withLock { state in
                history?.continue(state.history, from: state.newest.values.filter { $0.time <= now })
            }
        }
        var reading = path.map { JournalReading(of: $0) }
        reading?.add(to: &history, at: now)
        state.withLock { [reading] state in
            for event in state.waiting where reading?.hasRead(event) != true {
                history?.add(event)
                if path == nil { state.note(event) }
            }
            (state.history, state.begun, state.isReading, state.waiting) = (history, now, false, [])
            // A page that was made meanwhile is outdated.
            state.taken &+= 1
        }
    }
}

extension HistoryFollower.State {
    /// Keeps an event if it is the newest state of its subject.
    fileprivate mutating func note(_ event: AgentEvent) {
        let subject: String?
        switch event.content {
        case .reachabilityChanged: subject = nil
        case .uplinkChanged(let change): subject = change.to.interface
        default: return
        }
        guard newest[subject] != nil || newest.count < HistoryFollower.maximumStates else { return }
        newest[subject] = event
    }
}

/// The memory of the events.
struct RecentHistory: Sendable {
    var availability: RecentAvailability
    var latency = RecentLatency()
    var transfers: RecentTransfers
    var timeline = Timeline()

    init?(at now: Timestamp, in civilTime: CivilTime, numbering: Accountant.Numbering = .complete) {
        guard let availability = RecentAvailability(at: now, in: civilTime, numbering: numbering) else { return nil }
        self.availability = availability
        transfers = RecentTransfers(in: civilTime)
    }

    /// Returns whether the first and the last day begin and end at midnight of this local time.
    func hasDays(of civilTime: CivilTime) -> Bool {
        // A device without a clock of its own starts in 1970, at any time of the day.
        [availability.start, availability.end].allSatisfy { moment in
            moment.microsecondsSince1970 == 0 || civilTime.start(of: civilTime.day(of: moment)) == moment
        }
    }

    /// Continues an earlier history: its states last, and its checks, transfers and changes stay.
    mutating func `continue`(_ former: RecentHistory?, from states: some Sequence<AgentEvent>) {
        for event in states.sorted(by: { $0.sequence ?? 0 < $1.sequence ?? 0 }) { availability.add(event) }
        guard let former else { return }
        (latency, transfers, timeline) = (former.latency, former.transfers, former.timeline)
    }

    /// Adds an event, in the order of the numbers.
    mutating func add(_ event: AgentEvent) {
        availability.add(event)
        timeline.add(event)
        guard case .probeSummary(let summary) = event.content else { return }
        latency.add(summary)
        transfers.add(ScannedSummary(summary))
    }
}

extension AgentStatus.Availability {
    init(_ entry: RecentAvailability.Entry) {
        self.init(
            uplink: entry.subject.kind == .uplink ? entry.subject.name : nil,
            today: Share(availableMicroseconds: entry.today.available, knownMicroseconds: entry.today.known),
            thirtyDays: Share(availableMicroseconds: entry.recent.available, knownMicroseconds: entry.recent.known)
        )
    }
}
