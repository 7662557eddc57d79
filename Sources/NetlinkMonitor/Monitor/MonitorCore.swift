/// Where notifications come from: the event socket, or a test's script.
protocol NotificationSource {
    /// Reads one datagram if there is one.
    mutating func receive() throws(NetlinkError) -> NetlinkSocket.Received
    /// Lets only those route and neighbour messages pass that concern these addresses and routers.
    mutating func watch(_ watched: WatchedNetwork) throws(NetlinkError)
    /// How many datagrams were dropped since the last call.
    mutating func takeDrops() -> UInt32
    /// Replaces a socket that cannot be read any more by a fresh one, which lets nothing pass but what it is told to.
    mutating func reopen(watching watched: WatchedNetwork) throws(NetlinkError)
}

/// What the filter of the event socket lets pass.
struct WatchedNetwork: Sendable, Equatable {
    /// The addresses that are looked up, and the far ends of tunnels.
    var addresses: Set<IPAddress> = []
    /// The routers that the kernel chooses among, with their states as far as they are known.
    var routers: [Router: RouterState] = [:]
}

/// One routing table of one family.
struct TableKey: Hashable {
    let family: AddressFamily
    let table: UInt32
}

/// The monitor without its thread: reads notifications, keeps the view, asks the kernel, and reports.
///
/// Notifications are hints and the kernel's answers the truth. Each link or address message is followed by lookups of
/// its own, so that every edge is seen; route and rule messages are taken together until the queue is empty. When more
/// messages wait than ``mostEdgesPerTurn``, the rest of the queue is taken together too, so that a storm is followed
/// rather than outrun.
struct MonitorCore<Kernel: KernelQueries, Source: NotificationSource> {
    /// How many link and address messages of one turn are looked into one by one.
    private static var mostEdgesPerTurn: Int { 64 }
    /// How many datagrams one turn reads at the most before it reports what it has.
    static var mostDatagramsPerTurn: Int { 4096 }

    let configuration: MonitorConfiguration
    let questions: StandingQuestions
    let clock: @Sendable () -> ObservedTime
    let report: (NetworkEvent) -> Void
    var kernel: Kernel
    var source: Source
    var view = KernelView()
    var classifier: KindClassifier
    var snapshot: NetworkSnapshot?
    var pending = KernelView.Effects()
    var watched = WatchedNetwork()
    /// Causes of the snapshot's answers that no snapshot shows.
    var hints: [NetworkChange] = []
    /// Routers' states are to be read again before an answer counts.
    var routersAreStale = false
    /// When the first route expires that has a lifetime, as far as is known: refreshed ones last longer.
    var expiryDue: ContinuousClock.Instant?
    /// The answers to the lookups the last time.
    var lastAnswers: [RouteLookup] = []
    /// What the kernel answered to them without a source.
    var lastOutcomes: [RouteLookup.Outcome] = []
    /// Something other than the state of a link changed since: the table entries that decide may be others.
    var mayDecideDifferently = true
    /// What is asked at once, because the first address of its family was not answered by a default route the last time.
    var furtherQuestions: [LookupQuestion] = []
    /// Tables without a default route: the kernel announces the first one, until then they need not be read again.
    var emptyTables: Set<TableKey> = []
    var loss = LossRecovery()
    var confirmation = Confirmation.ofChanges
    var failedRouters = Confirmation.ofFailedRouters
    var statistics = MonitorStatistics()
    /// The event socket failed in a way that reading again does not mend.
    var isSourceBroken = false

    init(
        configuration: MonitorConfiguration,
        kernel: Kernel,
        source: Source,
        clock: @escaping @Sendable () -> ObservedTime,
        report: @escaping (NetworkEvent) -> Void
    ) {
        self.configuration = configuration
        questions = StandingQuestions(configuration)
        self.kernel = kernel
        self.source = source
        self.clock = clock
        self.report = report
        classifier = KindClassifier(overrides: configuration.kindOverrides, sysfsRoot: configuration.sysfsRoot)
    }

    /// When the next attempt to read everything again is due, if one is.
    var retryDue: ContinuousClock.Instant? { loss.retryDue }

    /// When ``takeTurn()`` has something to do, whether a message comes or not.
    var wakeDue: ContinuousClock.Instant? {
        [retryDue, confirmation.due, failedRouters.due, expiryDue].compactMap { $0 }.min()
    }

    /// Reads everything for the first time and reports the first update.
    ///
    /// - Throws: ``NetlinkError`` when the kernel cannot be asked; nothing was reported then.
    mutating func start() throws(NetlinkError) {
        try watchAddresses()
        try readEverything()
        let isComplete = try drainQuietly()
        publish(try currentSnapshot(), clock())
        if !isComplete { recoverFromStart() }
    }

    /// Reads what waits on the event socket, and reports what it means.
    mutating func takeTurn() {
        var edges = 0
        var observed = clock()
        reading: for _ in 0..<Self.mostDatagramsPerTurn where !isSourceBroken {
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
                if effects.isEdge, edges < Self.mostEdgesPerTurn {
                    edges += 1
                    publishCurrentState(observed)
                }
            }
            // What waits behind a loss is older than what is about to be read.
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
        // Asked again, because publishing may have failed just now; nothing else would wake the thread for it.
        if loss.isPending, loss.isDue(observed.instant) { recover() }
    }

    // MARK: Notifications

    /// Reads one datagram.
    ///
    /// A socket that cannot be read is left alone until it was replaced.
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

    mutating func apply(_ bytes: UnsafeRawBufferPointer, _ observed: ObservedTime) -> KernelView.Effects {
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
                    var effect = view.apply(message)
                    switch message {
                    case .neighbour(let router, .failed):
                        failedRouters.note(news(.failed, of: router), at: observed.instant)
                    case .neighbour(let router, let state): effect = noteState(state, of: router)
                    case .address(let address) where !effect.isRelevant: effect = noteRefresh(of: address)
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
        // Before the first view there is nothing that a loss could have made wrong; `start()` sees to it.
        guard snapshot != nil else { return }
        report(.overrun(Overrun(code: code, detail: detail, dropped: source.takeDrops(), observed: observed)))
    }
}
