public import AgentEvents

/// Ships the events of the journal to one broker, each of them once and in order: a pure state machine.
///
/// It restarts on each connection: the broker's newest stored event determines the start (``StreamPosition``), and the
/// journal delivers everything after it. Inputs are occurrences, effects are the resulting actions; the caller handles
/// sockets, files and clocks. A caller
///
/// - passes each ``Input`` together with the moment, and carries out the returned effects in order;
/// - passes ``Input/tick`` when ``deadline`` has passed;
/// - reads the subscription to the journal only while ``wantsEvents`` is true.
public struct ShippingEngine: Sendable {
    /// The maximum spread of attempts after a change of the path or a reload, which is the same for a whole fleet after a
    /// power failure or a rollout.
    static let spread = Duration.seconds(2)
    /// The timeout for connecting.
    static let connectLimit = Duration.seconds(60)
    /// The timeout for an answer of the broker.
    static let answerLimit = Duration.seconds(30)
    /// The duration after which a connection is a success even if it has shipped nothing: a broker that ends each
    /// connection sooner is retried as one that is unreachable.
    static let lastingConnection = RetrySchedule.longest
    /// The minimum interval between two reports, and two cursors, while only numbers change.
    static let reportInterval = Duration.seconds(10)
    static let saveInterval = Duration.seconds(5)
    /// The maximum number of ranges of lost events that are kept for the agent.
    static let maximumLosses = 64
    /// The time for which the agent may be away before its last state is outdated: a restart or an upgrade takes less.
    static let absenceLimit = Duration.seconds(30)

    let settings: SinkSettings
    let template: SubjectTemplate
    let filter: EventFilter
    var jitter: Jitter
    var retries = RetrySchedule()
    /// True if the broker has accepted an event on the current connection.
    var hasShipped = false
    /// The start of the current connection; `nil` without one.
    var connectedSince: ContinuousClock.Instant?
    var histories = KnownHistories()

    // The machine.
    var machine = MachineState.unknown
    /// The last state with a path, which a connection may still use while there is none.
    var lastReachable: MachineState?
    /// The payload that a broker retains.
    var retained = MachineState.unknown.payload
    var agent = AgentPresence.absent
    var allowance = SinkReportReply(isMetered: false)

    // The broker.
    var connection: Connection
    /// The visible state of the sink.
    public internal(set) var status: SinkStatus
    /// The moment that the times of the status agree with.
    var clocks: Moment

    // The journal.
    var subscription = Subscription.closed
    /// The waits before subscribing again after a subscription ended.
    var subscriptionRetries = RetrySchedule()
    var course = Course.idle
    /// The history in which messages are numbered; `nil` before the journal's hello.
    var epoch: StreamEpoch?
    /// The newest event taken from the journal; `nil` to start with any event.
    var seen: (sequence: UInt64, time: Timestamp)?
    /// The number up to which the events after the broker's newest one are known not to be for it, because `types` leaves
    /// them out; 0 if that is not known.
    var examined: UInt64 = 0
    /// The newest number of the journal; `nil` before the subscription has reported it.
    var newest: UInt64?
    var queue = ShippingQueue()
    /// Events that the broker skipped on the last connection.
    var lacking: [ShippingQueue.Entry] = []
    /// The numbers that the journal lacked, each until the broker has everything before them.
    var gaps: [ClosedRange<UInt64>] = []
    /// Events that the broker skipped on a connection of an earlier process.
    var sought: SkippedEvents?
    /// Events that were skipped and sent late: while one of them is the broker's newest, ``LateEvents/position`` counts
    /// instead.
    var late: LateEvents?
    /// The oldest waiting event; `nil` if there is none, or if it is not known.
    var oldestWaiting: OldestWaiting?

    // The cursor and the reports.
    /// The position up to which the broker has everything; `nil` if it is not known.
    var position: StreamPosition?
    var cursorDue: ContinuousClock.Instant?
    var lastSave: ContinuousClock.Instant?
    /// The missing events of the saved cursor.
    var savedMissing: Set<UInt64> = []
    var reportDue: ContinuousClock.Instant?
    var lastReport: ContinuousClock.Instant?
    /// The losses that the agent does not know yet; each report contains one range.
    var losses: [SinkLoss] = []
    /// The bytes of the transport that reports have counted.
    var reportedBytes: UInt64 = 0
    /// The bytes of the events sent since the last report.
    var bytesSinceReport: UInt64 = 0

    var effects: [Effect] = []

    /// The moment at which ``Input/tick`` is due; `nil` if only other inputs cause changes.
    public internal(set) var deadline: ContinuousClock.Instant?

    /// The state of the connection to the broker.
    enum Connection: Sendable, Hashable {
        /// Not connected; the next attempt is due at this time, unless the sink has to wait for another reason.
        case waiting(until: ContinuousClock.Instant)
        case connecting(until: ContinuousClock.Instant)
        /// Connected; a due answer times out at this time.
        case connected(until: ContinuousClock.Instant?)
        case stopped
    }

    /// The state of the subscription to the journal.
    enum Subscription: Sendable, Hashable {
        case closed, open
        /// Subscribes again at this time.
        case reopening(at: ContinuousClock.Instant)
    }

    /// The presence of the agent, without which nothing is known of the machine.
    enum AgentPresence: Sendable, Hashable {
        case present
        /// The connection has ended; the agent counts as absent from this time on.
        case away(until: ContinuousClock.Instant)
        case absent
    }

    /// The use of the subscription's events.
    enum Course: Sendable, Hashable {
        case idle
        /// Only the oldest waiting event is needed.
        case peeking
        /// The event at a position comes first, and shows if the journal's numbers are still those of the broker.
        case verifying(StreamPosition)
        /// The numbers went back: the events up to a moment are at the broker, under numbers of the former epoch.
        case skipping(through: Timestamp)
        /// Each event is shipped to the broker.
        case shipping
    }

    /// Creates an engine that is not connected, and connects as soon as it may.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - cursor: The saved cursor; one of another target is ignored.
    ///   - seed: The random seed, which spreads the attempts of many devices.
    ///   - now: The current moment.
    /// - Throws: ``SinkSettingError`` if the template of the subjects is not valid.
    public init(_ settings: SinkSettings, cursor: SinkCursor?, seed: UInt64, at now: Moment) throws(SinkSettingError) {
        self.settings = settings
        template = try settings.template()
        filter = EventFilter(settings.types)
        jitter = Jitter(seed: seed)
        connection = .waiting(until: now.instant + jitter.duration(upTo: Self.spread))
        status = SinkStatus(
            name: settings.name,
            broker: settings.target.broker,
            state: .waiting,
            since: now.time
        )
        clocks = now
        reportDue = now.instant
        if let cursor, cursor.target == settings.target { adopt(cursor) }
        status.acknowledged = position?.sequence
    }

    /// Handles an input, and returns the effects to carry out, in order.
    public mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        guard connection != .stopped else { return [] }
        followClock(now)
        switch input {
        case .machine(let state): take(state, now)
        case .agent(let isConnected): noteAgent(isConnected: isConnected, now)
        case .reported(let reply, let unanswered):
            allowance = reply
            // The agent does not know yet what was sent in the meantime.
            reduceBudget(by: unanswered)
            reduceBudget(by: bytesSinceReport)
        case .journal(let input): take(input, now)
        case .transport(let event): take(event, now)
        case .clockChanged:
            // The wait for the next day was computed with the former time of day.
            if status.code == TransportFailure.budgetExhausted { reportDue = now.instant }
        case .reloaded: takeReload(now)
        case .tick: break
        case .stop: stop(now)
        }
        if connection != .stopped { settle(now) }
        defer { effects = [] }
        return effects
    }

    /// True while the engine accepts events of the journal; otherwise the caller leaves them in the socket.
    public var wantsEvents: Bool { !queue.isFull }

    /// Returns the report for ``Effect/report``.
    ///
    /// Each report contains the bytes and the loss since the previous one, so none may be lost.
    ///
    /// - Parameter total: ``SinkTransport/bytes``.
    public mutating func takeReport(bytes total: UInt64) -> SinkReport {
        // A new transport counts from zero.
        let bytes = total < reportedBytes ? total : total - reportedBytes
        reportedBytes = total
        bytesSinceReport = 0
        return SinkReport(
            status: status,
            device: settings.device,
            stream: position?.epoch.stream,
            bytes: bytes,
            lost: losses.isEmpty ? nil : losses.removeFirst()
        )
    }

    private mutating func stop(_ now: Moment) {
        if isOnline { effects.append(.disconnect) }
        keepLacking()
        unsubscribe()
        saveLast(now)
        connection = .stopped
        deadline = nil
        // The agent itself notices the end of the process, and shows the sink as absent.
        setState(.waiting, nil, now)
        appendReports()
    }

    /// Requests as many reports as it takes: each has room for one loss.
    mutating func appendReports() {
        for _ in 0..<max(1, losses.count) { effects.append(.report) }
    }
}
