/// One routing table of one family.
struct TableKey: Hashable {
    let family: AddressFamily
    let table: UInt32
}

/// The monitor without its thread: reads notifications, maintains the view, queries the kernel, and reports.
///
/// Notifications are hints, the kernel's answers the truth. Queued messages are applied together, and followed by one
/// round of lookups; only a second change of the same link or address is a report of its own, so that every edge is
/// reported (``UnreportedEdges``).
struct MonitorCore<Kernel: KernelQueries, Source: NotificationSource> {
    /// The maximum number of datagrams read in a turn before a report.
    static var maximumDatagramsPerTurn: Int { 4096 }

    let configuration: MonitorConfiguration
    let questions: SnapshotQueries
    let clock: @Sendable () -> ObservedTime
    let report: (NetworkEvent) -> Void
    var kernel: Kernel
    var source: Source
    var view = KernelView()
    var classifier: KindClassifier
    var snapshot: NetworkSnapshot?
    var pending = KernelView.Effects()
    var unreported = UnreportedEdges()
    var watched = WatchedNetwork()
    /// Causes of changes that no snapshot shows.
    var hints: [NetworkChange] = []
    /// `true` if the routers' states must be read again before an answer counts.
    var routersAreStale = false
    /// The first known expiry of a route; refreshed routes last longer.
    var expiryDue: ContinuousClock.Instant?
    /// The next look at a route that has expired, as long as the kernel keeps it.
    var returnDue: ContinuousClock.Instant?
    /// The end of the looks at a deciding entry, other than a default route, that has expired.
    var returnEnd: ContinuousClock.Instant?
    /// The last answers to the lookups.
    var lastAnswers: [RouteLookup] = [] { didSet { answersByDestination = Dictionary(lastAnswers) } }
    /// The same by their destinations.
    private(set) var answersByDestination: [IPAddress: RouteLookup] = [:]
    /// The kernel's last answers without a source.
    var lastOutcomes: [RouteLookup.Outcome] = []
    /// The table entries that decided these.
    var lastEntries: [Route] = []
    /// `true` if something other than the state of a link has changed since: other table entries may decide.
    var mayDecideDifferently = true
    /// The lookups made at once because the last answer for the first address of the family was not a default route.
    var furtherQuestions: [LookupQuestion] = []
    /// Tables without a default route: the kernel announces the first one, so they need not be read again.
    var emptyTables: Set<TableKey> = []
    var loss = LossRecovery()
    var confirmation = Confirmation.ofChanges
    var failedRouters = Confirmation.ofFailedRouters
    var statistics = MonitorStatistics()
    /// `true` if the event socket failed permanently.
    var isSourceBroken = false

    init(
        configuration: MonitorConfiguration,
        kernel: Kernel,
        source: Source,
        clock: @escaping @Sendable () -> ObservedTime,
        report: @escaping (NetworkEvent) -> Void
    ) {
        self.configuration = configuration
        questions = SnapshotQueries(configuration)
        self.kernel = kernel
        self.source = source
        self.clock = clock
        self.report = report
        classifier = KindClassifier(overrides: configuration.kindOverrides, sysfsRoot: configuration.sysfsRoot)
    }

    /// The time of the next attempt to read everything again, if one is pending.
    var retryDue: ContinuousClock.Instant? { loss.retryDue }

    /// The time at which ``takeTurn()`` must be called even without a message.
    var wakeDue: ContinuousClock.Instant? {
        [retryDue, confirmation.due, failedRouters.due, expiryDue, returnDue].compactMap { $0 }.min()
    }

    /// Reads everything for the first time and reports the first update.
    ///
    /// - Throws: ``NetlinkError`` when the kernel cannot be queried; nothing was reported then.
    mutating func start() throws(NetlinkError) {
        try watchAddresses()
        try readEverything()
        let isComplete = try drainQuietly()
        publish(try currentSnapshot(), clock())
        if !isComplete { recoverFromStart() }
    }

    /// Reads the queued messages of the event socket, and reports the changes.
    mutating func takeTurn() {
        var observed = clock()
        unreported.beginTurn()
        reading: for _ in 0..<Self.maximumDatagramsPerTurn where !isSourceBroken {
            switch receive(observed) {
            case .drained: break reading
            case .foreign: statistics.foreign += 1
            case .overrun: lost(.bufferFull, "the kernel's receive buffer was full", \.overruns, observed)
            case .truncated: lost(.truncated, "a message was longer than the buffer", \.truncated, observed)
            case .datagram(let bytes):
                observed = clock()
                let effects = apply(bytes, observed)
                pending.formUnion(effects)
                confirmation.note(effects, at: observed.instant)
            }
            // Messages queued behind a loss are older than the data about to be read.
            if loss.isPending, loss.isDue(observed.instant) { break }
        }
        noteExpiry(observed.instant)
        let doubtful = [confirmation.take(at: observed.instant), failedRouters.take(at: observed.instant)]
        for effects in doubtful.compactMap({ $0 }) {
            pending.formUnion(effects)
            mayDecideDifferently = true
            routersAreStale = true
        }
        let recoversNow = loss.isPending && loss.isDue(observed.instant)
        if !recoversNow, pending.isRelevant { publishCurrentState(observed) }
        // Checked again, because publishing may have just failed; nothing else would wake the thread for it.
        guard loss.isPending else { return }
        if loss.isDue(observed.instant) { recover() } else { publishUncertainty(observed) }
    }

    // MARK: Notifications

    /// Reads one datagram.
    ///
    /// A broken socket is not read until it has been replaced.
    private mutating func receive(_ observed: ObservedTime) -> NetlinkSocket.Received {
        do throws(NetlinkError) {
            return try source.receive()
        } catch {
            isSourceBroken = true
            loss.note(.requestFailed)
            report(.overrun(Overrun(code: .requestFailed, detail: error.description, dropped: 0, observed: observed)))
            return .drained
        }
    }

    /// Applies the messages of a datagram.
    ///
    /// - Parameter isQuiet: `true` to report nothing.
    mutating func apply(
        _ bytes: UnsafeRawBufferPointer,
        _ observed: ObservedTime,
        isQuiet: Bool = false
    ) -> KernelView.Effects {
        statistics.datagrams += 1
        var effects = KernelView.Effects()
        var failure: MessageError?
        do throws(MessageError) {
            try MessageParser.forEachMessage(in: bytes) { parsed in
                switch parsed.content {
                case .success(.overrun): loss.note(.bufferFull)
                case .success(let message):
                    if case .route(let route, _) = message {
                        emptyTables.remove(TableKey(family: route.family, table: route.table))
                    }
                    // The kernel puts one such message into a datagram, which reports do not touch.
                    if !isQuiet, !effects.isRelevant, unreported.mustPrecede(message) {
                        publishCurrentState(unreported.observed ?? observed)
                    }
                    var effect = view.apply(message)
                    if !isQuiet, effect.isEdge { unreported.note(message, at: observed) }
                    switch message {
                    case .neighbour(let router, .failed, _):
                        failedRouters.note(failureEffects(of: router), at: observed.instant)
                    case .neighbour(let router, let state, _): effect = noteState(state, of: router)
                    case .address(let address): effect.formUnion(noteRefresh(of: address))
                    default: break
                    }
                    if !effect.isLinkStateAlone(message) { mayDecideDifferently = true }
                    effects.formUnion(effect)
                case .failure(let error): failure = failure ?? error
                }
            }
        } catch {
            failure = failure ?? error
        }
        if let failure { lost(.malformed, failure.description, \.malformed, observed) }
        return effects
    }

    private mutating func lost(
        _ code: Overrun.Code,
        _ detail: String,
        _ counter: WritableKeyPath<MonitorStatistics, UInt64>,
        _ observed: ObservedTime
    ) {
        statistics[keyPath: counter] += 1
        loss.note(code)
        // A loss before the first view affects nothing; `start()` handles it.
        guard snapshot != nil else { return }
        report(.overrun(Overrun(code: code, detail: detail, dropped: source.takeDrops(), observed: observed)))
    }
}
