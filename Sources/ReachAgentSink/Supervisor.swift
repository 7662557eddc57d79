internal import AgentEvents
internal import Glibc
internal import LinuxSupport
internal import Sinks
internal import StateClient
internal import Synchronization

/// The program's main thread: it follows the agent, and runs a thread for each sink in the agent's list.
///
/// It ends when it receives a signal, or when no sink is left.
final class Supervisor {
    /// The time that the sinks have to stop.
    private static let patience: Duration = .milliseconds(1500)

    private let signals: SignalDescriptor
    private let wakeup: Wakeup
    private let directories: SinkDirectories
    private let services: SinkServices
    private let notifier: ServiceNotifier
    private var follower: AgentFollower
    /// Becomes readable when the machine resumes, or the time of day is set: poll(2) does not count suspends.
    private var clock = ClockWatch()
    /// The names of the sinks whose threads have ended.
    private let ended: EndedSinks
    private var roster = SinkRoster<SinkThread> { SinkLog.write(.error, $0) }
    private var machine: MachineState?
    private var isAgentConnected = false
    private var isStopping = false

    /// Runs the program, and returns its exit status.
    static func run(at location: SocketLocation, _ directories: SinkDirectories) -> Int32 {
        defer { SinkLog.finish() }
        if let reason = directories.createState() {
            SinkLog.fail("cannot keep positions in \(directories.state): \(reason)")
            return ExitStatus.cannotCreate
        }
        do {
            return try Supervisor(location, directories).run()
        } catch let error as SystemError {
            SinkLog.fail("cannot start: \(error)")
        } catch {
            SinkLog.fail("\(error)")
        }
        return ExitStatus.tryAgain
    }

    private init(_ location: SocketLocation, _ directories: SinkDirectories) throws {
        // Set up before any thread is started, because threads inherit blocked signals.
        signals = try SignalDescriptor(SIGINT, SIGTERM, SIGHUP)
        let wakeup = try Wakeup()
        let notifier = ServiceNotifier()
        let client = StateClient(location: location)
        self.wakeup = wakeup
        self.notifier = notifier
        self.directories = directories
        ended = EndedSinks(wakeup)
        follower = try AgentFollower(client)
        services = SinkServices(
            client: client,
            stateDirectory: directories.state,
            reports: try .started(client),
            note: { notifier.note($0) }
        )
    }

    private func run() throws -> Int32 {
        readDocument()
        notifier.ready()
        while roster.isNeeded {
            sleep()
            takeSignals()
            guard !isStopping else {
                stop()
                return 0
            }
            for update in try follower.take() { take(update) }
            for name in ended.take() { roster.remove(name) }
            // Without its sockets an agent cannot report that it has removed the list.
            if !isAgentConnected || roster.isRetryDue(at: .now) { readDocument() }
            reconcile()
        }
        SinkLog.write(.notice, "no sink is configured")
        return 0
    }

    private func take(_ update: AgentFollower.Update) {
        switch update {
        case .machine(let state):
            machine = state
            for sink in roster.running.values { sink.put(state) }
        case .agentAppeared:
            isAgentConnected = true
            readDocument()
            for sink in roster.running.values { sink.agentAppeared() }
        case .agentDisappeared:
            isAgentConnected = false
            for sink in roster.running.values { sink.agentDisappeared() }
        case .reloaded:
            readDocument()
            for sink in roster.running.values { sink.agentReloaded() }
        }
    }

    private func takeSignals() {
        while let signal = signals.next() {
            switch signal {
            case SIGHUP: readDocument()
            // As after nohup(1), or of a background job of a script.
            case _ where SignalDescriptor.isIgnored(signal): break
            default: isStopping = true
            }
        }
    }

    // MARK: The sinks

    private func readDocument() { roster.take(SinkDocumentFile.read(in: directories.runtime)) }

    private func reconcile() {
        roster.reconcile(at: .now) { settings, host throws(SystemError) in
            try SinkThread(
                settings,
                host: host,
                services,
                machine: machine,
                isAgentConnected: isAgentConnected
            ) { [ended] in ended.add(settings.name) }
        }
        notifier.keep(roster.names)
    }

    private func stop() {
        // A second signal means that an orderly stop would take too long.
        SignalDescriptor.letEndProcess(SIGINT, SIGTERM)
        notifier.stopping()
        for sink in roster.running.values { sink.stop() }
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        while !roster.running.isEmpty, wakeup.sleep(deadline: deadline) == .woken {
            wakeup.reset()
            for name in ended.take() { roster.remove(name) }
        }
        for name in roster.running.keys.sorted() { SinkLog.write(.warning, "sink \(name) did not end in time") }
    }

    private func sleep() {
        let descriptors = [signals.descriptor, wakeup.descriptor, follower.descriptor, clock.descriptor]
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let deadline = [follower.deadline, roster.retry].compactMap(\.self).min()
        _ = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: deadline))
        if entries[1].revents != 0 { wakeup.reset() }
        guard entries[3].revents != 0 else { return }
        clock.reset()
        for sink in roster.running.values { sink.clockChanged() }
    }
}

/// The names of sinks whose threads have ended.
private final class EndedSinks: Sendable {
    private let names = Mutex<[String]>([])
    private let wakeup: Wakeup

    init(_ wakeup: Wakeup) { self.wakeup = wakeup }

    func add(_ name: String) {
        names.withLock { $0.append(name) }
        wakeup.signal()
    }

    func take() -> [String] {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }
}
