public import AgentEvents

/// Ships the events of the journal to one broker, each of them once and in order: a pure state machine.
///
/// It begins anew on each connection: the broker's newest stored event decides where (``StreamPosition``), and the
/// journal delivers everything from there on. Inputs are things that happened, effects what is to be done about them;
/// sockets, files and clocks are the caller's. A caller
///
/// - hands in each ``Input`` together with the moment, and carries out the returned effects in their order;
/// - hands in ``Input/tick`` when ``deadline`` is over;
/// - reads the subscription to the journal only while ``wantsEvents`` is true.
public struct ShippingEngine: Sendable {
    /// The maximum spread of attempts that a change of the path causes: it is the same change for a whole fleet after a
    /// power cut.
    static let spread = Duration.seconds(2)
    /// The time that a connection may take to be made.
    static let connectLimit = Duration.seconds(60)
    /// The time that the broker may stay silent while an answer is due.
    static let answerLimit = Duration.seconds(30)
    /// The minimum interval between two reports, and two cursors, while nothing but numbers changes.
    static let reportInterval = Duration.seconds(10)
    static let saveInterval = Duration.seconds(5)
    /// The maximum number of ranges of lost events that are kept for the agent.
    static let maximumLosses = 64
    /// The wait before a subscription to the journal that ended is made again.
    static let subscribeInterval = Duration.seconds(1)

    let settings: SinkSettings
    let template: SubjectTemplate
    let filter: EventFilter
    var jitter: Jitter
    var retries = RetrySchedule()
    /// True when the broker has taken an event on the present connection.
    var hasShipped = false
    var histories = KnownHistories()

    // The machine.
    var machine = MachineState.unknown
    var allowance = SinkReportReply(isMetered: false)

    // The broker.
    var connection: Connection
    /// The state of the sink, as people see it.
    public internal(set) var status: SinkStatus

    // The journal.
    var subscription = Subscription.closed
    var course = Course.idle
    /// The history that messages are numbered in; `nil` before the journal has said hello.
    var epoch: StreamEpoch?
    /// The newest event that was taken from the journal; `nil` to begin with any.
    var seen: (sequence: UInt64, time: Timestamp)?
    /// The newest number of the journal; `nil` before the subscription has said it.
    var newest: UInt64?
    var queue = ShippingQueue()
    /// Events that the broker passed over on the last connection.
    var lacking: [ShippingQueue.Entry] = []
    /// Events that were passed over and sent late: while one of them is the broker's newest, ``LateEvents/position``
    /// counts in its place.
    var late: LateEvents?
    /// The time of the oldest event that waits; `nil` when none does, or that is not known.
    var oldestWaiting: Timestamp?

    // The cursor and the reports.
    /// Everything up to here is at the broker; `nil` when nothing is known.
    var position: StreamPosition?
    var cursorDue: ContinuousClock.Instant?
    var lastSave: ContinuousClock.Instant?
    var reportDue: ContinuousClock.Instant?
    var lastReport: ContinuousClock.Instant?
    /// The events that the broker will never have, and the agent does not know of; each report has one range.
    var losses: [SinkLoss] = []
    /// The bytes of the transport that reports have counted.
    var reportedBytes: UInt64 = 0
    /// The bytes of the events that were sent since the last report.
    var bytesSinceReport: UInt64 = 0

    var effects: [Effect] = []

    /// The moment at which ``Input/tick`` is due; `nil` while nothing but other inputs changes anything.
    public internal(set) var deadline: ContinuousClock.Instant?

    /// The state of the connection to the broker.
    enum Connection: Sendable, Hashable {
        /// Not connected; the next attempt is due then, unless the sink has to wait for something else.
        case waiting(until: ContinuousClock.Instant)
        case connecting(until: ContinuousClock.Instant)
        /// Connected; where an answer is due, it is awaited no longer than until then.
        case connected(until: ContinuousClock.Instant?)
        case stopped
    }

    /// The state of the subscription to the journal.
    enum Subscription: Sendable, Hashable {
        case closed, open
        /// To be made again then.
        case reopening(at: ContinuousClock.Instant)
    }

    /// The use of the events that the subscription brings.
    enum Course: Sendable, Hashable {
        case idle
        /// Only the time of the oldest event that waits is wanted.
        case peeking
        /// The event at a position comes first, and shows whether the journal's numbers are still those that the broker
        /// has.
        case verifying(StreamPosition)
        /// Numbers went back: events up to a moment are at the broker, under numbers of the former epoch.
        case skipping(through: Timestamp)
        /// Each event goes to the broker.
        case shipping
    }

    /// Events that reached the broker behind later ones.
    struct LateEvents: Sendable, Hashable {
        var numbers: [UInt64]
        /// The newest event that the broker had before them.
        var position: StreamPosition
    }

    /// An engine that is not connected, and connects as soon as it may.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - cursor: The saved cursor; one of another broker or device does not count.
    ///   - seed: Chance: it spreads the attempts of many devices.
    ///   - now: The present moment.
    /// - Throws: ``SinkSettingError`` when the template of the subjects is not valid.
    public init(_ settings: SinkSettings, cursor: SinkCursor?, seed: UInt64, at now: Moment) throws(SinkSettingError) {
        self.settings = settings
        template = try settings.template()
        filter = EventFilter(settings.types)
        jitter = Jitter(seed: seed)
        let broker = settings.broker.description
        if let cursor, cursor.broker == broker, cursor.device == settings.device {
            position = cursor.position
            late = cursor.late.isEmpty ? nil : LateEvents(numbers: cursor.late, position: cursor.position)
        }
        connection = .waiting(until: now.instant + jitter.duration(upTo: Self.spread))
        status = SinkStatus(name: settings.name, broker: broker, state: .waiting, since: now.time)
        status.acknowledged = position?.sequence
        reportDue = now.instant
    }

    /// Takes an input, and returns what is to be done, in order.
    public mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        guard connection != .stopped else { return [] }
        switch input {
        case .machine(let state): take(state, now)
        case .reported(let reply):
            allowance = reply
            // What was sent meanwhile, the agent does not know yet.
            let sent = bytesSinceReport
            bytesSinceReport = 0
            spend(sent)
        case .journal(let input): take(input, now)
        case .transport(let event): take(event, now)
        case .tick: break
        case .stop: stop(now)
        }
        if connection != .stopped { settle(now) }
        defer { effects = [] }
        return effects
    }

    /// True while events of the journal are welcome; otherwise the caller leaves them in the socket.
    public var wantsEvents: Bool { !queue.isFull }

    /// Returns the report that ``Effect/report`` asks for.
    ///
    /// Each one has the bytes and the loss that the one before had not, so none may get lost.
    ///
    /// - Parameter total: ``SinkTransport/bytes``.
    public mutating func takeReport(bytes total: UInt64) -> SinkReport {
        // A transport that was made anew counts from zero.
        let bytes = total < reportedBytes ? total : total - reportedBytes
        reportedBytes = total
        bytesSinceReport = 0
        return SinkReport(
            status: status,
            stream: position?.epoch.stream,
            bytes: bytes,
            lost: losses.isEmpty ? nil : losses.removeFirst()
        )
    }

    private mutating func stop(_ now: Moment) {
        if isOnline { effects.append(.disconnect) }
        unsubscribe()
        if cursorDue != nil { save(now) }
        connection = .stopped
        deadline = nil
        // The agent shows it as it shows a sink that does not run.
        status.state = .absent
        status.since = nil
        status.code = nil
        status.detail = nil
        effects.append(.report)
    }
}
