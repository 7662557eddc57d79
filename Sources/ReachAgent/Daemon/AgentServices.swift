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

/// The parts of a running agent and their connections: kernel and probes → state machine → bus → consumers.
///
/// The parts start in the order of the list and stop in the reverse order: first the source, then the state machine,
/// whose last event ends the bus, then the consumers once they have delivered all published events, and last the
/// journal, for which the others wait.
struct AgentServices {
    /// The timeout for stopping all parts together.
    private static let shutdownDeadline: Duration = .seconds(8)

    private let startUpCode = StartUpCode()
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

        // The bus continues the numbers of the journal.
        let journal = try Self.journal(configuration, logger)
        let bus = NotificationBus<Event>(firstSequence: journal?.nextSequence ?? 1, whenHeld: loop.timeRecorder)
        let origin = EventOrigin.current(streamID: journal?.streamID)

        // The state machine, between its inputs and the bus.
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
            recorder: try configuration.recording.map { try inputRecorder($0, origin, bus) },
            suspended: suspendWatch.takeSuspension,
            onEarlierDeadline: loop.wake
        )
        let reporter = Self.reporter(statusStore, loop, startUpCode)

        // Its inputs.
        let kernel = KernelSource(configuration.monitor(settings)) { driver.handle($0) }
        let runner = ProbeRunner(
            limits: settings.limits,
            usageStore: journal.map { DataUsageStore(in: $0) },
            transfers: TransferSurroundings(
                lockDirectory: configuration.sockets?.directory,
                group: configuration.sockets?.group,
                egress: driver.egress,
                cost: driver.cost
            ),
            resolverWatch: ResolverWatch(whenChanged: driver.recheckNames)
        ) { check in
            defer { reporter?.noteAwake() }
            return driver.judge(check)
        }

        // The consumers of the bus.
        let containment = HookContainment { [logger] in logger.debug("hooks: \($0)") }
        let hooks = hookRunner(configuration.hooks(settings), containment, driver)
        let hookDelivery = EventDelivery(bus: bus, take: hooks.deliver)
        let sinks = SinkRegistry(
            settings.sinks,
            journal: journal,
            stream: origin.streamID,
            newest: { bus.lastSequence },
            document: configuration.sockets.map { SinkDocumentFile(in: $0.directory, host: origin.host) },
            wake: loop.wake,
            publish: { driver.announce(EventDraft($0)) }
        )
        let recorder = journal.map { journalRecorder(of: $0, bus, driver) }
        let history = HistoryFollower(journal: journal?.configuration.directory, in: .system)

        // The sockets, and the requests of their clients.
        let reloader = Self.reloader(configuration, driver, runner, kernel, hooks, hookDelivery, sinks, loop, reporter)
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
        let server = try configuration.sockets.map { try self.server($0, bus, journal, requestHandler) }
        let connections: @Sendable () -> Int = { server?.connectionCount ?? 0 }
        var threads = requestHandler.threads
        if let server {
            reloader.beforeReading { [logger] in Self.restoreFiles(of: server, sinks, logger) }
            reloader.whenApplied { [logger] in Self.setAccess($0.http, of: server, logger) }
            threads.append(AgentThread(name: "sockets", whenFree: server.whenFree))
        }

        driver.connect(
            runner: runner,
            checkPublisher: server.map { CheckPublisher(origin: origin, isWanted: $0.wants, send: $0.broadcast) }
        )
        let dump = StateDump(of: { requestHandler.currentStatus(connections: connections()) })
        loop.setWork(
            AgentLoop.Work(
                tick: { [driver.tick(), reporter?.step(), sinks.step()].compactMap(\.self).min() },
                bypassRecorder: { recorder?.bypass() },
                reload: { reloader.reload() },
                dump: { dump.log() },
                reap: containment.reap
            )
        )
        let parts: [AgentPart?] = [
            recorder.map { recording(bus, by: $0) },
            server.map { serving($0, requestHandler, configuration) },
            Self.handingOver(sinks, configuration),
            configuration.metricsFile.map { path in
                writing(requestHandler.metricsFile(at: path, connections: connections), bus, suspendWatch)
            },
            try configuration.format.map { printing(try EventPrinter(bus: bus, format: $0, origin: origin)) },
            // Subscribers get an event in this order; these two delay no other subscriber.
            logging(EventLog(bus: bus, logger: logger, isPrinted: configuration.format != nil)),
            following(EventDelivery(bus: bus, take: history.take)),
            publishing(driver, recorder),
            running(hooks, hookDelivery),
            AgentPart(name: "probes", start: {}) { runner.stop(whenCancelled: reserve.release) },
            AgentPart(name: "netlink", start: kernel.start, stop: kernel.stop),
            server.map(Self.answering),
            reporter.map { Self.reporting($0, bus, loop, threads) },
        ]
        self.parts = parts.compactMap(\.self)
    }

    /// Returns the recorder of the state machine's inputs.
    private func inputRecorder(
        _ path: String,
        _ origin: EventOrigin,
        _ bus: NotificationBus<Event>
    ) throws -> InputRecorder {
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
    }

    /// Returns the hooks, whose completions are logged and published.
    private func hookRunner(
        _ settings: HookSettings,
        _ containment: HookContainment,
        _ driver: ReachabilityDriver
    ) -> HookRunner {
        let log = HookLog()
        return HookRunner(
            settings,
            containment: containment,
            isCellular: { driver.cost(of: $0)?.isCellular ?? false },
            alternativeNames: driver.alternativeNames,
            noticed: { [logger] in logger.warning("hooks: \($0)") }
        ) { completion in
            log.note(completion)
            driver.announce(EventDraft(completion))
        }
    }

    /// Returns the reloader, which applies a new configuration first to the state machine and then to the kernel's
    /// monitor.
    private static func reloader(
        _ configuration: AgentConfiguration,
        _ driver: ReachabilityDriver,
        _ runner: ProbeRunner,
        _ kernel: KernelSource,
        _ hooks: HookRunner,
        _ hookDelivery: EventDelivery,
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
            let hookSettings = configuration.hooks(new)
            let subjects = HookSubjects(ConnectivityPlan(new, portals: driver.plan.portals))
            // An event is for the hooks of its time, also where it has not been delivered to them yet.
            hookDelivery.afterPublishedEvents { hooks.configure(hookSettings, subjects: subjects) }
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
        startUpCode.release()
        loop.run()
        parts.stop(within: Self.shutdownDeadline, whenLate: whenLate)
        if let failure = loop.failure { throw failure }
    }
}

extension HookSubjects {
    /// The targets and probes of a plan, including those that the agent adds.
    init(_ plan: ConnectivityPlan) {
        let configuration = plan.machineConfiguration
        self.init(
            targets: Dictionary(configuration.targets.map { ($0.name, $0.address.description) }) { first, _ in first },
            probes: Set(configuration.probes.map(\.name))
        )
    }
}
