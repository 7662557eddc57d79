internal import AgentEvents
internal import Configuration
internal import EventJournal
internal import FoundationEssentials
internal import Glibc
internal import Hooks
internal import Logging
internal import NotificationBus
internal import ServiceSupport
internal import StateSocket

/// The consumers of the bus, as parts.
extension AgentServices {
    /// The timeout for writing the last events to the journal before subscribers receive them.
    private static let recordingDeadline: Duration = .seconds(1)
    /// The timeout for writing the remaining events to the journal.
    private static let drainDeadline: Duration = .seconds(2)
    /// The timeout for the last write of a file that is not the journal's, and may be lost.
    private static let fileDeadline: Duration = .seconds(1)
    /// The timeout for sending the remaining events; a slower subscriber resumes from the journal, and does not delay
    /// the end.
    private static let clientDeadline: Duration = .milliseconds(700)

    /// Opens the journal; returns `nil` if it cannot be opened and was not requested.
    static func journal(_ configuration: AgentConfiguration, _ logger: Logger) throws -> EventJournal? {
        guard let journal = configuration.journal else { return nil }
        do throws(JournalError) {
            return try EventJournal(opening: journal, now: { .now }, isClockTrusted: ClockTrust.isTrusted) { error in
                logger.warning("journal: \(error)")
            }
        } catch {
            if case .inUse = error.cause { throw error }
            if configuration.needsJournal { throw error }
            logger.warning("there is no journal: \(error)")
            return nil
        }
    }

    func journalRecorder(
        of journal: EventJournal,
        _ bus: NotificationBus<Event>,
        _ driver: ReachabilityDriver
    ) -> JournalRecorder {
        for repair in journal.status().repairs { logger.notice("journal: \(repair)") }
        return JournalRecorder(recording: bus, in: journal) { [logger] condition in
            let change = JournalDegraded(condition)
            logger.log(level: condition.logLevel, "\(change.summary)")
            driver.announce(change)
        }
    }

    func recording(_ bus: NotificationBus<Event>, by recorder: JournalRecorder) -> AgentPart {
        AgentPart(name: "journal") {
            try recorder.start()
        } stop: { [logger] in
            // The recorder ends with the bus, which nothing has ended if a part before the state machine could not start.
            bus.finish()
            if !recorder.finish(within: Self.drainDeadline) {
                logger.error("the journal's disk did not answer in time")
            }
        }
    }

    func server(
        _ sockets: StateSocketConfiguration,
        _ bus: NotificationBus<Event>,
        _ journal: EventJournal?,
        _ requestHandler: AgentRequestHandler
    ) throws -> StateServer {
        StateServer(
            configuration: sockets,
            bus: bus,
            replay: journal.map { JournalReplay($0) },
            agent: requestHandler,
            adopting: try ActivatedSockets.take(),
            portReport: { [logger] port, error in
                requestHandler.note(error?.reason, at: port)
                if let error {
                    logger.error("\(error); retrying every \(sockets.portRetryInterval.components.seconds) s")
                } else {
                    logger.notice("listening on \(port)")
                }
            }
        )
    }

    /// Applies the access rules of other settings to the ports, which remain those of the start.
    static func setAccess(_ http: HTTPSettings, of server: StateServer, _ logger: Logger) {
        let listen = http.listen.map { HTTPPort(address: $0.address.description, port: $0.port) }
        guard !server.setAccess(http.access, listen: listen) else { return }
        logger.warning(
            """
            the open HTTP ports serve no other machine until the next start: 'insecure' is for the new addresses of \
            'listen' only
            """
        )
    }

    /// Restores the files beside which clients and `reachagent-sink` find the agent, if something has removed them.
    static func restoreFiles(of server: StateServer, _ sinks: SinkRegistry, _ logger: Logger) {
        do throws(StateSocketError) {
            let opened = try server.restoreFiles()
            if !opened.isEmpty {
                logger.warning(
                    "the sockets had lost their files, and are open again: \(opened.joined(separator: ", "))"
                )
            }
        } catch {
            logger.error("\(error); retry with 'kill -HUP \(getpid())', or restart the agent")
        }
        sinks.restoreDocument()
    }

    /// Opens the sockets before the kernel is queried, so that a failure to open them ends the agent first.
    func serving(
        _ server: StateServer,
        _ requestHandler: AgentRequestHandler,
        _ configuration: AgentConfiguration
    ) -> AgentPart {
        AgentPart(name: "sockets") { [logger] in
            do throws(StateSocketError) {
                try server.start(accepting: false)
            } catch {
                if case .inUse = error.cause { throw error }
                if configuration.needsSockets { throw error }
                return logger.warning("there are no sockets: \(error)")
            }
            requestHandler.note(connectionLimit: server.connectionLimit)
            if let sockets = configuration.sockets, server.connectionLimit < sockets.maximumConnections {
                let clients = SummaryText.count(UInt64(server.connectionLimit), "connection")
                let remedy = Shortage.remedy(errno: EMFILE).map { ": \($0)" } ?? ""
                logger.warning("at most \(clients) to the sockets\(remedy)")
            }
        } stop: {
            server.stop(within: Self.clientDeadline)
        }
    }

    static func handingOver(_ sinks: SinkRegistry, _ configuration: AgentConfiguration) -> AgentPart {
        let directory = configuration.sockets?.directory
        return AgentPart(name: "sinks") {
            SinkDocumentFile.removeLeftOver(besides: directory, environment: ProcessInfo.processInfo.environment)
            sinks.start()
        } stop: {
            sinks.stop(within: fileDeadline)
        }
    }

    /// Starts after the kernel, so that clients that are already connected, as with sockets of the service manager, get
    /// the state.
    static func answering(_ server: StateServer) -> AgentPart {
        AgentPart(name: "clients") {
            server.accept()
        } stop: {
            // The descriptors that are reserved for the end are not for new clients.
            server.stopAccepting()
        }
    }

    /// Needs no stop: the last events, published with the end of the bus, are logged too.
    func logging(_ log: EventLog) -> AgentPart {
        AgentPart(name: "log") {
            log.start()
        } stop: {
        }
    }

    func following(_ delivery: EventDelivery) -> AgentPart {
        AgentPart(name: "history") {
            delivery.start()
        } stop: {
            delivery.end()
        }
    }

    func printing(_ printer: EventPrinter) -> AgentPart {
        AgentPart(name: "standard output") { [loop] in
            try printer.start { loop.stop(because: "the reader of standard output has gone") }
        } stop: {
            printer.finish()
        }
    }

    func writing(_ file: MetricsFile, _ bus: NotificationBus<Event>, _ suspendWatch: SuspendWatch) -> AgentPart {
        suspendWatch.whenClockSet(file.takeClockChange)
        let delivery = EventDelivery(bus: bus, take: file.take)
        return AgentPart(name: "metrics file") {
            delivery.start()
            try file.start()
        } stop: {
            delivery.end()
            file.stop(within: Self.fileDeadline)
        }
    }

    func publishing(_ driver: ReachabilityDriver, _ recorder: JournalRecorder?) -> AgentPart {
        AgentPart(name: "state machine") {
        } stop: { [loop] in
            driver.finish(because: loop.reason ?? "the agent ends")
            // The loop no longer bypasses a journal that hangs, and the consumers stop next.
            recorder?.deliver(within: Self.recordingDeadline)
        }
    }

    /// Stops the hooks before the state machine: the events about them are part of the history.
    func running(_ hooks: HookRunner, _ delivery: EventDelivery) -> AgentPart {
        AgentPart(name: "hooks") {
            delivery.start()
        } stop: {
            delivery.end()
            hooks.stop()
        }
    }

    // MARK: The service manager

    /// Returns the reporter to the service manager; `nil` where there is none.
    static func reporter(
        _ statusStore: StatusStore,
        _ loop: AgentLoop,
        _ startUpCode: StartUpCode
    ) -> ServiceReporter? {
        let environment = ProcessInfo.processInfo.environment
        do throws(NotifySocketError) {
            guard let socket = try NotifySocket.named(in: environment) else { return nil }
            return ServiceReporter(
                socket: socket,
                watchdog: WatchdogTimeout(in: environment, of: getpid()),
                startUpCode: startUpCode,
                sentence: { StateText.headline(statusStore.reachability) },
                wake: loop.wake
            )
        } catch {
            AgentLogger.make().warning("\(error)")
            return nil
        }
    }

    /// Starts last and stops first: readiness is reported when every other part runs.
    ///
    /// - Parameter threads: The threads that the agent depends on.
    static func reporting(
        _ reporter: ServiceReporter,
        _ bus: NotificationBus<Event>,
        _ loop: AgentLoop,
        _ threads: [AgentThread]
    ) -> AgentPart {
        let delivery = EventDelivery(bus: bus) { event in
            if event.type == .reachabilityChanged { reporter.stateChanged() }
        }
        return AgentPart(name: "service manager") {
            delivery.start()
            reporter.ready(threads)
        } stop: {
            delivery.end()
            reporter.stopping(because: loop.reason ?? "the agent ends")
        }
    }
}

extension JournalCondition {
    /// The importance in the log: an error while it lasts, a warning about events that were lost before.
    fileprivate var logLevel: Logger.Level {
        if isDegraded { return .error }
        return code == .resumed ? .notice : .warning
    }
}
