internal import AgentEvents
internal import Brokers
internal import CommandText
internal import Glibc
internal import LinuxSupport
internal import Sinks
internal import StateClient

/// The loop of a sink's thread: the engine decides, and the loop does everything else.
///
/// It sleeps in poll(2) for the agent's events, the broker and the inbox; without a timeout while nothing is due. The
/// timeout does not include suspends, unlike the deadlines: the supervisor wakes the inbox after one.
final class SinkLoop {
    /// The number of events taken from the agent before the broker is served again.
    private static let batch = 32
    /// The time for which the end of a sink waits for its last reports.
    private static let patience: Duration = .seconds(1)

    private let name: String
    private let services: SinkServices
    private let inbox: SinkInbox
    private let transport: any SinkTransport
    private let cursor: SinkCursorFile
    /// The position that could not be saved; `nil` after one that could.
    private var unsaved: SinkCursor?
    private var engine: ShippingEngine
    private var journal: JournalSubscription?
    /// The last logged reason that the agent's events cannot be read, until they can.
    private var journalFailure: StateClientError?
    private var reports = ReportQueue()
    private var shown: SinkStatus?
    /// Counts connections and subscriptions: the rest of a former one's batch is dropped.
    private var connections = 0
    private var subscriptions = 0

    /// Runs a sink until the inbox requests its end.
    static func run(_ settings: SinkSettings, host: String, _ services: SinkServices, _ inbox: SinkInbox) {
        do {
            try SinkLoop(settings, host: host, services, inbox).run()
        } catch {
            SinkLog.write(.error, "sink \(settings.name) cannot be used: \(error)")
            // Waits until it is configured again: an immediate restart would fail again.
            while !inbox.take().isStopping { _ = inbox.wakeup.sleep(deadline: nil) }
        }
    }

    private init(
        _ settings: SinkSettings,
        host: String,
        _ services: SinkServices,
        _ inbox: SinkInbox
    ) throws {
        name = settings.name
        self.services = services
        self.inbox = inbox
        cursor = SinkCursorFile(sink: settings.name, in: services.stateDirectory)
        engine = try ShippingEngine(settings, cursor: cursor.read(), seed: .random(in: 0 ... .max), at: .now)
        let wakeup = inbox.wakeup
        transport = try BrokerTransports.make(settings, host: host) { wakeup.signal() }
    }

    private func run() {
        while true {
            let content = inbox.take()
            if let machine = content.machine { handle(.machine(machine)) }
            if let outcome = content.reportOutcome { take(outcome) }
            if let isConnected = content.isAgentConnected { handle(.agent(isConnected: isConnected)) }
            if content.isAgentNew { makeReport() }
            if content.isAgentReloaded { handle(.reloaded) }
            if content.isClockChanged { handle(.clockChanged) }
            guard !content.isStopping else { return stop(content) }
            takeTransportEvents()
            takeJournal()
            if let deadline = engine.deadline, deadline <= .now { handle(.tick) }
            sendReport()
            sleep()
        }
    }

    // MARK: Inputs

    private func takeTransportEvents() {
        let connection = connections
        for event in transport.takeEvents() where connection == connections { handle(.transport(event)) }
    }

    private func takeJournal() {
        guard engine.wantsEvents, journal != nil else { return }
        let subscription = subscriptions
        let inputs = journal?.take(maximum: Self.batch) ?? []
        noteJournalFailure(journal?.failure)
        for input in inputs where subscription == subscriptions {
            handle(.journal(input))
        }
    }

    private func take(_ outcome: ReportSender.Outcome) {
        reports.take(outcome, at: .now)
        if case .taken(let reply) = outcome { handle(.reported(reply, unanswered: reports.bytes)) }
    }

    // MARK: Effects

    private func handle(_ input: ShippingEngine.Input) {
        for effect in engine.handle(input, at: .now) { perform(effect) }
        show(engine.status)
    }

    private func perform(_ effect: ShippingEngine.Effect) {
        switch effect {
        case .connect:
            connections += 1
            transport.connect()
        case .disconnect:
            connections += 1
            transport.disconnect()
        case .subscribe(let stream, let sequence): subscribe(stream, after: sequence)
        case .unsubscribe:
            subscriptions += 1
            journal = nil
        case .publish(let message): transport.publish(message)
        case .publishState(let state): transport.publishState(state)
        case .publishPresence(let isOnline): transport.publishPresence(isOnline: isOnline)
        case .save(let position): save(position)
        case .report: makeReport()
        case .lost(let range, let failure):
            let events =
                range.count == 1
                ? "event \(range.lowerBound) is" : "events \(range.lowerBound) to \(range.upperBound) are"
            SinkLog.write(.warning, "sink \(name): \(events) lost to the broker: \(failure.detail) [\(failure.code)]")
        case .warn(let failure): SinkLog.write(.warning, "sink \(name): \(failure.detail) [\(failure.code)]")
        }
    }

    private func subscribe(_ stream: String?, after sequence: UInt64) {
        subscriptions += 1
        do throws(StateClientError) {
            journal = try JournalSubscription(
                services.client,
                stream: stream,
                after: sequence,
                failure: journalFailure
            )
        } catch {
            noteJournalFailure(error)
            journal = nil
            // The engine subscribes again after a pause.
            for effect in engine.handle(.journal(.closed), at: .now) { perform(effect) }
        }
    }

    /// Logs a new reason that the agent's events cannot be read.
    private func noteJournalFailure(_ failure: StateClientError?) {
        guard failure != journalFailure else { return }
        journalFailure = failure
        guard let failure else { return }
        SinkLog.write(.warning, "sink \(name): cannot follow the agent's events: \(failure)")
    }

    private func save(_ position: SinkCursor) {
        do throws(FileError) {
            try cursor.write(position)
            unsaved = nil
        } catch {
            unsaved = position
            SinkLog.write(.warning, "sink \(name): cannot save the position in \(cursor.path): \(error.reason)")
        }
    }

    private func makeReport() { reports.add(engine.takeReport(bytes: transport.bytes)) }

    private func sendReport() {
        guard let report = reports.next(at: .now) else { return }
        services.reports.send(report) { [inbox] outcome in inbox.put { $0.reportOutcome = outcome } }
    }

    private func show(_ status: SinkStatus) {
        guard status.state != shown?.state || status.code != shown?.code else { return }
        shown = status
        services.note(status)
        let reason = status.detail.map { ": \($0)" } ?? ""
        let code = status.code.map { " [\($0)]" } ?? ""
        let isNotable = status.state == .connected || status.code != nil && status.state != .connecting
        SinkLog.write(
            isNotable ? .notice : .info,
            "sink \(name): \(status.state.rawValue), \(status.broker)\(reason)\(code)"
        )
    }

    // MARK: Sleep and end

    /// Removes retained messages, and waits briefly for the broker's answers: one after the end of the connection would
    /// reset it, and the broker might not read what was sent last.
    private func clear(_ topics: [String]) {
        guard !topics.isEmpty else { return }
        transport.clear(topics)
        let end = ContinuousClock.now.advanced(by: Self.patience)
        while transport.isClearing, end > .now {
            let events = POLLIN | (transport.wantsToWrite ? POLLOUT : 0)
            let deadline = min(transport.deadline ?? end, end)
            _ = inbox.wakeup.sleep(untilReady: transport.descriptor ?? -1, for: events, deadline: deadline)
            if let outcome = inbox.take().reportOutcome { take(outcome) }
            takeTransportEvents()
        }
    }

    private func sleep() {
        var entries = [pollfd(fd: inbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
        var deadlines = [engine.deadline, transport.deadline, reports.retry]
        if let descriptor = transport.descriptor {
            let events = POLLIN | (transport.wantsToWrite ? POLLOUT : 0)
            entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        }
        if engine.wantsEvents, let journal {
            entries.append(pollfd(fd: journal.descriptor, events: Int16(POLLIN), revents: 0))
            deadlines.append(journal.deadline)
        }
        let deadline = deadlines.compactMap(\.self).min()
        _ = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: deadline))
    }

    /// Ends the connections in order, and waits briefly for the agent to accept the last reports.
    private func stop(_ content: SinkInbox.Content) {
        clear(content.abandonedTopics)
        // Not shown: a sink that stops is not news.
        for effect in engine.handle(.stop, at: .now) { perform(effect) }
        // The engine does not save the same position twice, and the disk may have room again.
        if let unsaved { save(unsaved) }
        if content.isReplaced { reports.dropNumbers() }
        journal = nil
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        repeat {
            sendReport()
            guard reports.isPending else { return }
            _ = inbox.wakeup.sleep(deadline: deadline)
            if let outcome = inbox.take().reportOutcome { reports.take(outcome, at: .now) }
        } while deadline > .now
    }
}

/// The transports of the protocols.
private enum BrokerTransports {
    /// Creates the transport of a sink, not connected.
    ///
    /// - Parameter wake: Called from any thread when the transport has events.
    /// - Throws: ``SinkSettingError`` if the settings are not valid.
    static func make(
        _ settings: SinkSettings,
        host: String,
        wake: @escaping @Sendable () -> Void
    ) throws(SinkSettingError) -> any SinkTransport {
        guard settings.broker.scheme.isNATS else {
            return try MQTTTransport(settings, host: host, version: ProgramVersion.text, wake: wake)
        }
        return try NATSTransport(settings, wake: wake)
    }
}
