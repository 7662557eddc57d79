internal import ArgumentParser
internal import EventEnvelope
internal import EventJournal
internal import EventSchema
internal import Glibc
internal import Hooks
internal import InputRecording
internal import Logging
internal import NetlinkMonitor
internal import NotificationBus
internal import Probes
internal import Reachability
internal import ServiceLifecycle
internal import StateSocket

/// The parts of a running agent and how they hang together: kernel and probes → state machine → bus → consumers.
///
/// Every part is a service of one group. They start in the order of the list and stop in the reverse one: first the
/// source, then the state machine, whose last event ends the bus, then the consumers when they have passed on what was
/// published, and last the journal, which the others wait for.
struct AgentServices {
    /// How long a consumer may take to pass on the rest.
    private static let drainDeadline: Duration = .seconds(2)
    /// How long the parts may take to stop, all together.
    private static let shutdownDeadline: Duration = .seconds(8)

    private let loop: AgentLoop
    private let logger = AgentLogger.make()
    private var parts: [AgentPart] = []

    /// Opens the journal and wires the parts; nothing runs yet.
    init(_ configuration: AgentConfiguration) throws {
        let suspendWatch = SuspendWatch()
        let loop = try AgentLoop(suspendWatch: suspendWatch)
        self.loop = loop
        let settings = configuration.loaded.settings
        let journal = try Self.journal(configuration, logger)
        let bus = NotificationBus<Event>(firstSequence: journal?.nextSequence ?? 1, whenHeld: loop.timeRecorder)
        let origin = EventOrigin.current(streamID: journal?.streamID)
        let board = StatusBoard(
            agent: AgentFacts(version: Agent.version, processID: getpid(), started: .now, origin: origin),
            targets: settings.targets,
            lastSequence: bus.lastSequence
        )
        let driver = ReachabilityDriver(
            bus: bus,
            board: board,
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
            whenEarlier: loop.wake
        )
        let runner = ProbeRunner(limits: settings.limits) { driver.judge($0) }
        let kernel = KernelSource(configuration.monitor(settings)) { driver.handle($0) }
        let log = HookLog()
        let hooks = HookRunner(configuration.hooks(settings)) { completion in
            log.note(completion)
            driver.announce(EventDraft(completion))
        }
        let reloader = Self.reloader(configuration, driver, runner, kernel, hooks, loop)
        loop.setWork(
            AgentLoop.Work(
                tick: driver.tick,
                bypassRecorder: bus.bypassRecorder,
                reload: { reloader.reload() }
            )
        )
        if let journal { parts.append(recording(journal, bus, driver)) }
        var feed: CheckFeed?
        if let sockets = configuration.sockets {
            let desk = AgentDesk(
                board: board,
                origin: origin,
                journal: journal,
                bus: bus,
                sockets: sockets,
                driver: driver,
                runner: runner,
                reloader: reloader,
                hooks: hooks
            )
            let server = try server(sockets, bus, journal, desk)
            feed = CheckFeed(origin: origin, isWanted: { server.wants(.probeCompleted) }, send: server.broadcast)
            parts.append(serving(server, sockets, isNeeded: configuration.needsSockets))
        }
        driver.connect(runner: runner, feed: feed)
        if configuration.format != .none {
            parts.append(printing(try EventPrinter(bus: bus, format: configuration.format, origin: origin)))
        }
        parts.append(
            AgentPart(name: "state machine") {
            } stop: {
                driver.finish(because: loop.reason ?? "the agent ends")
            }
        )
        parts.append(running(hooks, HookFeed(bus: bus, runner: hooks)))
        parts.append(
            AgentPart(name: "probes") {
            } stop: {
                runner.stop()
            }
        )
        parts.append(
            AgentPart(name: "netlink") {
                try kernel.start()
            } stop: {
                kernel.stop()
            }
        )
    }

    /// What reads the configuration again, and takes it into use: first what the kernel is asked, then how it is judged.
    private static func reloader(
        _ configuration: AgentConfiguration,
        _ driver: ReachabilityDriver,
        _ runner: ProbeRunner,
        _ kernel: KernelSource,
        _ hooks: HookRunner,
        _ loop: AgentLoop
    ) -> Reloader {
        Reloader(source: configuration.source, loaded: configuration.loaded) { old, new, reload in
            runner.setLimits(new.limits)
            hooks.configure(configuration.hooks(new))
            driver.configure(new, reload)
            do throws(NetlinkError) {
                try kernel.watch(configuration.monitor(new))
            } catch {
                AgentLogger.make().error("the kernel cannot be asked for what the new configuration wants: \(error)")
                if !kernel.isWatching { loop.stop(because: "the kernel cannot be watched any more") }
            }
        }
    }

    // MARK: The consumers

    /// Opens the journal; where nobody asked for one and none can be made, there is none.
    private static func journal(_ configuration: AgentConfiguration, _ logger: Logger) throws -> EventJournal? {
        guard let journal = configuration.journal else { return nil }
        do throws(JournalError) {
            return try EventJournal(opening: journal) { .now }
        } catch {
            if case .inUse = error.cause { throw error }
            if configuration.needsJournal { throw error }
            logger.warning("there is no journal: \(error)")
            return nil
        }
    }

    private func recording(
        _ journal: EventJournal,
        _ bus: NotificationBus<Event>,
        _ driver: ReachabilityDriver
    ) -> AgentPart {
        for repair in journal.status().repairs { logger.notice("journal: \(repair)") }
        let recorder = JournalRecorder(recording: bus, in: journal) { [logger] condition in
            let draft = EventDraft.journal(condition)
            logger.log(level: condition.isTrouble ? .error : .notice, "\(draft.summary)")
            driver.announce(draft)
        }
        return AgentPart(name: "journal") {
            try recorder.start()
        } stop: { [logger] in
            if !recorder.finish(within: Self.drainDeadline) {
                logger.error("the journal's disk did not answer in time")
            }
        }
    }

    private func server(
        _ sockets: StateSocketConfiguration,
        _ bus: NotificationBus<Event>,
        _ journal: EventJournal?,
        _ desk: AgentDesk
    ) throws -> StateServer {
        StateServer(
            configuration: sockets,
            bus: bus,
            replay: journal.map { JournalReplay(journal: $0) },
            agent: desk,
            adopting: try ActivatedSockets.take()
        )
    }

    private func serving(
        _ server: StateServer,
        _ sockets: StateSocketConfiguration,
        isNeeded: Bool
    ) -> AgentPart {
        AgentPart(name: "sockets") { [logger] in
            do throws(StateSocketError) {
                try server.start()
            } catch {
                if case .inUse = error.cause { throw error }
                if isNeeded { throw error }
                return logger.warning("there are no sockets: \(error)")
            }
            if server.connectionLimit < sockets.mostConnections {
                logger.warning("the limit of open files allows \(server.connectionLimit) connections only")
            }
        } stop: {
            server.stop(within: Self.drainDeadline)
        }
    }

    private func printing(_ printer: EventPrinter) -> AgentPart {
        AgentPart(name: "standard output") { [loop] in
            printer.start { loop.stop(because: "the reader of standard output has gone") }
        } stop: {
            printer.finish()
        }
    }

    /// Hooks end before the state machine does: what it announces of them is part of the history.
    private func running(_ hooks: HookRunner, _ feed: HookFeed) -> AgentPart {
        AgentPart(name: "hooks") {
            feed.start()
        } stop: {
            feed.end()
            hooks.stop()
        }
    }

    // MARK: The group

    /// Runs until a signal comes or a part ends; then stops all parts in order.
    ///
    /// - Throws: Why a part could not start; those before it have been stopped.
    func run() throws {
        try start()
        var services = parts.map {
            ServiceGroupConfiguration.ServiceConfiguration(
                service: $0,
                successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: $0.name
            )
        }
        services.append(
            ServiceGroupConfiguration.ServiceConfiguration(
                service: loop,
                successTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: "signals"
            )
        )
        var configuration = ServiceGroupConfiguration(services: services, logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownDeadline
        let group = ServiceGroup(configuration: configuration)
        let outcome = Blocking.run { () -> Result<Void, any Error> in
            do {
                return .success(try await group.run())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }

    private func start() throws {
        for (index, part) in parts.enumerated() {
            do {
                try part.start()
            } catch {
                for started in parts[..<index].reversed() { started.stop() }
                throw error
            }
        }
    }
}
