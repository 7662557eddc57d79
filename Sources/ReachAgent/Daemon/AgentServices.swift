internal import AgentEvents
internal import EventJournal
internal import Glibc
internal import Hooks
internal import InputRecording
internal import Logging
internal import NetlinkMonitor
internal import NotificationBus
internal import Probes
internal import Reachability
internal import StateSocket
internal import Synchronization

/// The parts of a running agent and their connections: kernel and probes → state machine → bus → consumers.
///
/// The parts start in the order of the list and stop in the reverse order: first the source, then the state machine,
/// whose last event ends the bus, then the consumers once they have delivered all published events, and last the
/// journal, for which the others wait.
struct AgentServices {
    /// The timeout for stopping all parts together.
    private static let shutdownDeadline: Duration = .seconds(8)

    let loop: AgentLoop
    let logger = AgentLogger.make()
    private var parts: [AgentPart] = []

    /// Opens the journal and wires the parts; nothing runs yet.
    init(_ configuration: AgentConfiguration) throws {
        let reserve = DescriptorReserve()
        let suspendWatch = SuspendWatch()
        let loop = try AgentLoop(suspendWatch: suspendWatch)
        self.loop = loop
        let settings = configuration.loaded.settings
        let journal = try Self.journal(configuration, logger)
        let bus = NotificationBus<Event>(firstSequence: journal?.nextSequence ?? 1, whenHeld: loop.timeRecorder)
        let origin = EventOrigin.current(streamID: journal?.streamID)
        let statusStore = StatusStore(
            agent: AgentFacts(version: Agent.version, processID: getpid(), started: .now, origin: origin),
            targets: settings.targets,
            lastSequence: bus.lastSequence
        )
        let metrics = MetricsStore()
        let driver = ReachabilityDriver(
            bus: bus,
            statusStore: statusStore,
            metrics: metrics,
            origin: origin,
            plan: ConnectivityPlan(settings),
            recorder: try configuration.recording.map { path in
                let header = RecordingHeader(
                    agent: Agent.version,
                    stream: origin.streamID,
                    bootID: origin.bootID,
                    nextSequence: bus.lastSequence + 1,
                    source: origin.source,
                    started: .now
                )
                return try InputRecorder(path: path, header: header) { [logger] reason in
                    logger.error("the recording has ended: \(reason)")
                }
            },
            suspended: suspendWatch.takeSuspension,
            onEarlierDeadline: loop.wake
        )
        let reporter = Self.reporter(statusStore, loop)
        let usageStore = journal.map { DataUsageStore(in: $0) }
        let transfers = TransferSurroundings(
            lockDirectory: configuration.sockets?.directory,
            group: configuration.sockets?.group,
            egress: driver.egress,
            cost: driver.cost
        )
        let runner = ProbeRunner(limits: settings.limits, usageStore: usageStore, transfers: transfers) { check in
            defer { reporter?.noteAwake() }
            return driver.judge(check)
        }
        let kernel = KernelSource(configuration.monitor(settings)) { driver.handle($0) }
        let log = HookLog()
        let containment = HookContainment { [logger] in logger.debug("hooks: \($0)") }
        let hooks = HookRunner(
            configuration.hooks(settings),
            containment: containment,
            isCellular: { driver.cost(of: Vantage(interface: $0))?.isCellular ?? false },
            noticed: { [logger] in logger.warning("hooks: \($0)") }
        ) { completion in
            log.note(completion)
            driver.announce(EventDraft(completion))
        }
        let sinks = SinkRegistry(
            settings.sinks,
            journal: journal,
            stream: origin.streamID,
            newest: { bus.lastSequence },
            document: configuration.sockets.map { SinkDocumentFile(in: $0.directory, host: origin.host) },
            publish: { driver.announce(EventDraft($0)) }
        )
        let reloader = Self.reloader(configuration, driver, runner, kernel, hooks, sinks, loop, reporter)
        let recorder = journal.map { journalRecorder(of: $0, bus, driver) }
        if let recorder { parts.append(recording(bus, by: recorder)) }
        let history = HistoryFollower(journal: journal?.configuration.directory, in: .system)
        let requestHandler = AgentRequestHandler(
            statusStore: statusStore,
            origin: origin,
            journal: journal,
            bus: bus,
            sockets: configuration.sockets,
            driver: driver,
            runner: runner,
            reloader: reloader,
            hooks: hooks,
            sinks: sinks,
            metrics: metrics,
            threads: [
                AgentThread(name: "netlink", whenFree: kernel.whenFree),
                AgentThread(name: "probes", whenFree: runner.whenFree),
                AgentThread(name: "hooks", whenFree: hooks.whenFree),
            ],
            history: history,
            hookSetup: { AgentStatus.HookSetup(configuration.hooks(driver.plan.settings), containment.means) }
        )
        var threads = requestHandler.threads
        var checkPublisher: CheckPublisher?
        var connections: @Sendable () -> Int = { 0 }
        let server = try configuration.sockets.map { try self.server($0, bus, journal, requestHandler) }
        if let server, let sockets = configuration.sockets {
            connections = { server.connectionCount }
            checkPublisher = CheckPublisher(origin: origin, isWanted: server.wants, send: server.broadcast)
            parts.append(serving(server, sockets, isNeeded: configuration.needsSockets))
            reloader.whenApplied { server.setAccess($0.http.access) }
            threads.append(AgentThread(name: "sockets", whenFree: server.whenFree))
        }
        parts.append(AgentPart(name: "sinks", start: sinks.start, stop: sinks.stop))
        let dump = StateDump(of: { [connections] in requestHandler.currentStatus(connections: connections()) })
        loop.setWork(
            AgentLoop.Work(
                tick: { [driver.tick(), reporter?.step()].compactMap(\.self).min() },
                bypassRecorder: { recorder?.bypass() },
                reload: { reloader.reload() },
                dump: { dump.log() },
                reap: containment.reap
            )
        )
        driver.connect(runner: runner, checkPublisher: checkPublisher)
        // A recording without sockets runs beside the service, whose file it is.
        if let path = configuration.metricsFile, configuration.recording == nil || configuration.sockets != nil {
            parts.append(writing(requestHandler.metricsFile(at: path, connections: connections), bus))
        }
        if let format = configuration.format {
            parts.append(printing(try EventPrinter(bus: bus, format: format, origin: origin)))
        }
        // Subscribers get an event in this order; these two delay no other subscriber.
        parts.append(logging(EventLog(bus: bus, logger: logger, isPrinted: configuration.format != nil)))
        parts.append(following(EventDelivery(bus: bus, take: history.take)))
        parts.append(
            AgentPart(name: "state machine") {
            } stop: {
                driver.finish(because: loop.reason ?? "the agent ends")
            }
        )
        parts.append(running(hooks, EventDelivery(bus: bus, take: hooks.deliver)))
        parts.append(
            AgentPart(name: "probes") {
            } stop: {
                runner.stop(whenCancelled: reserve.release)
            }
        )
        parts.append(
            AgentPart(name: "netlink") {
                try kernel.start()
            } stop: {
                kernel.stop()
            }
        )
        if let server { parts.append(Self.answering(server)) }
        if let reporter { parts.append(Self.reporting(reporter, bus, loop, threads)) }
    }

    /// Returns the reloader, which applies a new configuration first to the kernel's monitor and then to the state
    /// machine.
    private static func reloader(
        _ configuration: AgentConfiguration,
        _ driver: ReachabilityDriver,
        _ runner: ProbeRunner,
        _ kernel: KernelSource,
        _ hooks: HookRunner,
        _ sinks: SinkRegistry,
        _ loop: AgentLoop,
        _ reporter: ServiceReporter?
    ) -> Reloader {
        Reloader(
            source: configuration.source,
            loaded: configuration.loaded,
            noteReading: { reporter?.note($0) },
            reject: { driver.announce(EventDraft($0)) }
        ) { old, new, reload throws(NetlinkError) in
            AgentLogger.setLevel(new.agent.logLevel)
            runner.setLimits(new.limits)
            hooks.configure(configuration.hooks(new))
            sinks.configure(new.sinks)
            driver.configure(new, reload)
            do throws(NetlinkError) {
                try kernel.watch(configuration.monitor(new))
            } catch {
                if !kernel.isWatching { loop.stop(becauseOf: error) }
                throw error
            }
        }
    }

    /// Runs until a signal comes or a part ends the loop; then stops all parts in order.
    ///
    /// - Throws: The reason that a part could not start, or the error that ended the loop; the parts have been
    ///   stopped.
    func run() throws {
        let whenLate: (String) -> Void = { [logger] name in
            logger.error("the part '\(name)' did not stop within \(Self.shutdownDeadline.components.seconds) s")
        }
        try parts.start(stoppingWithin: Self.shutdownDeadline, whenLate: whenLate)
        StartUpCode.release()
        loop.run()
        parts.stop(within: Self.shutdownDeadline, whenLate: whenLate)
        if let failure = loop.failure { throw failure }
    }
}

/// File descriptors that are reserved for the end of the process.
///
/// A process that has used up its descriptors (RLIMIT_NOFILE) cannot even end: the journal is closed with new files, and
/// libdispatch, on whose queues NIO ends its threads, traps when it cannot open the descriptors of its own event loop.
private final class DescriptorReserve: Sendable {
    /// The number that the end needs, with some to spare for descriptors that are opened at the same time.
    private static let count = 32

    private let descriptors: Mutex<[CInt]>

    /// Reserves the descriptors, or as many as there are.
    init() {
        let taken = (0..<Self.count).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        descriptors = Mutex(taken.filter { $0 >= 0 })
    }

    deinit { release() }

    /// Releases the descriptors; a second call does nothing.
    func release() {
        let taken = descriptors.withLock { descriptors in
            defer { descriptors = [] }
            return descriptors
        }
        for descriptor in taken { close(descriptor) }
    }
}
