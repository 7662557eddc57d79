public import AgentEvents
internal import EventLoopExecutor
internal import Glibc
internal import LinuxSupport
internal import NIOCore
internal import NIOPosix
public import NotificationBus
public import PortAccess
internal import Synchronization

/// The server of `events.sock`, `control.sock` and `http.sock`, and of TCP ports.
///
/// It has one thread, which sleeps while idle, and more once they are needed: two for reading the journal and rendering
/// documents, one for reports, one for the passwords of clients on other hosts, and one for the groups of local users.
public final class StateServer: Sendable {
    struct Running: Sendable {
        var group: MultiThreadedEventLoopGroup
        var gate: LoopGate
        var hub: NIOLoopBound<StreamHub>
        var isAccepting: Bool
        var listeners: [any Channel]
        var ports: PortListeners
        /// The file of each listener.
        var files: [(name: SocketName, file: SocketFile)]
        var directory: SocketDirectory?
    }

    enum Phase {
        case new
        case starting
        case running(Running)
        case stopped
    }

    let configuration: StateSocketConfiguration
    private let bus: NotificationBus<Event>
    private let replay: (any ReplaySource)?
    private let agent: any AgentInterface
    private let adopted: ActivatedSockets
    private let portReport: @Sendable (HTTPPort, StateSocketError?) -> Void
    private let counts = StreamHub.Counts()
    private let broadcasts = Broadcasts()
    private let limit = Atomic<Int>(0)
    let phase = Mutex(Phase.new)
    /// Held while files are restored, so that the server does not stop meanwhile.
    let restoration = Mutex(())

    /// Creates a server without starting it.
    ///
    /// - Parameters:
    ///   - configuration: The directory, permissions and limits of the sockets.
    ///   - bus: The source of the events; the numbers of the notifications are those of the events.
    ///   - replay: The source of older events; without it only those in memory are available.
    ///   - agent: Answers the requests.
    ///   - activated: The sockets passed by the service manager; the others are bound in the configuration's directory.
    ///   - portReport: Called with the reason that the server does not listen on a TCP port, and with `nil` once it
    ///     does; on any thread.
    public init(
        configuration: StateSocketConfiguration,
        bus: NotificationBus<Event>,
        replay: (any ReplaySource)? = nil,
        agent: any AgentInterface,
        adopting activated: ActivatedSockets = ActivatedSockets(),
        portReport: @escaping @Sendable (HTTPPort, StateSocketError?) -> Void = { _, _ in }
    ) {
        self.configuration = configuration
        self.bus = bus
        self.replay = replay
        self.agent = agent
        adopted = activated
        self.portReport = portReport
    }

    /// The number of connected clients.
    public var connectionCount: Int { counts.connections.load(ordering: .relaxed) }

    /// The possible number of clients: fewer than configured if the process may not open as many files.
    ///
    /// 0 before the start.
    public var connectionLimit: Int { limit.load(ordering: .relaxed) }

    /// Opens the sockets; clients are served when this returns.
    ///
    /// Blocks briefly. Raises the process's limit of open files as needed for the connections. A TCP port that cannot be
    /// opened is reported and retried.
    ///
    /// - Parameter accepting: If false, clients wait until ``accept()`` is called.
    /// - Throws: ``StateSocketError``, also if the server was started before; nothing is left open then.
    public func start(accepting: Bool = true) throws(StateSocketError) {
        let isNew = phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .starting
            return true
        }
        guard isNew else {
            throw StateSocketError(operation: "start", path: configuration.directory, cause: .startedBefore)
        }
        do {
            let running = try makeRunning(accepting: accepting)
            phase.withLock { $0 = .running(running) }
        } catch {
            phase.withLock { $0 = .stopped }
            throw error
        }
    }

    /// Accepts clients, after a start without accepting.
    ///
    /// Safe to call from any thread, and returns immediately. Has no effect if clients are already accepted, before the
    /// start, and after the end.
    public func accept() {
        setAccepting(true)
    }

    /// Stops accepting clients; the existing ones are still served.
    ///
    /// Safe to call from any thread, and returns immediately.
    public func stopAccepting() {
        setAccepting(false)
    }

    private func setAccepting(_ isAccepting: Bool) {
        phase.withLock { phase in
            guard case .running(var running) = phase else { return }
            running.isAccepting = isAccepting
            phase = .running(running)
            for listener in running.listeners {
                listener.setOption(.autoRead, value: isAccepting).whenComplete { _ in }
            }
            running.ports.setAccepting(isAccepting)
        }
    }

    /// Calls a closure on the server's thread as soon as it is idle, which proves that it is not stuck.
    ///
    /// Safe to call from any thread. Before the start and after the end, the closure is called immediately, by the
    /// caller.
    public func whenFree(_ body: @escaping @Sendable () -> Void) {
        let gate = phase.withLock { phase -> LoopGate? in
            guard case .running(let running) = phase else { return nil }
            return running.gate
        }
        if let gate { gate.execute(body) } else { body() }
    }

    /// Closes the sockets, and ends every connection in an orderly way.
    ///
    /// Stops accepting and removes the socket files. Every subscriber gets all events published until the bus finished,
    /// then the last line; a subscriber that has not read them in time is cut off, and so are all subscribers if the
    /// bus has not finished by then. Blocks: must not be called on an event loop. The second call has no effect.
    public func stop(within time: Duration) {
        let running = restoration.withLock { _ in
            phase.withLock { phase -> Running? in
                defer { phase = .stopped }
                if case .running(let running) = phase { return running }
                return nil
            }
        }
        guard let running else { return }
        let deadline = NIODeadline.now() + TimeAmount(time)
        for (_, file) in running.files { file.remove() }
        for listener in running.listeners { listener.close(promise: nil) }
        running.ports.close()
        let isEmpty = running.gate.eventLoop.makePromise(of: Void.self)
        running.gate.execute { running.hub.value.stop(by: deadline, whenEmpty: isEmpty) }
        try? isEmpty.futureResult.wait()
        running.directory?.unlock()
        let readings = try? running.gate.eventLoop.submit { running.hub.value.work.count }.wait()
        running.gate.close()
        // A thread that hangs in the journal retains the event loop: its result is ignored, which is harmless.
        if readings == 0 { running.group.shutDown() }
    }

    /// Applies other access rules to the ports that other hosts can reach, and closes their connections.
    ///
    /// Safe to call from any thread, and returns immediately. Has no effect before the start and after the end, and if
    /// the rules are the same.
    ///
    /// The ports remain those of the start. The administrator accepts insecure rules only for the ports configured along
    /// with them, so such rules are not applied if one of the open ports is another: then these ports serve no client.
    ///
    /// - Parameters:
    ///   - access: The rules; `nil` to serve no other host.
    ///   - listen: The ports configured along with the rules.
    /// - Returns: `false` if the rules are insecure and not for the open ports.
    @discardableResult
    public func setAccess(_ access: PortAccess?, listen: [HTTPPort]) -> Bool {
        let remote = configuration.http.listen.filter { !$0.isLoopback }
        let isInsecure = access.map { $0.isInsecure && !$0.isSecure } ?? false
        let isApplicable = !isInsecure || remote.allSatisfy { listen.contains($0) }
        phase.withLock { phase in
            guard case .running(let running) = phase else { return }
            running.gate.execute { running.hub.value.setAccess(isApplicable ? access : nil) }
        }
        return isApplicable
    }

    // MARK: Unnumbered events

    /// Returns whether a client has subscribed to an unnumbered type: only then is such an event worth creating.
    ///
    /// Safe to call from any thread, and reads only one number. Such types are `probeCompleted` and `probeProgress`.
    public func wants(_ type: EventType) -> Bool { broadcasts.wants(type) }

    /// Sends an unnumbered event to the subscribers of its type.
    ///
    /// Safe to call from any thread, and never blocks. The event is sent between numbered events, in no defined order
    /// relative to them, and is not stored: a slow subscriber gets the number of missed events instead.
    public func broadcast(_ event: Event) {
        guard wants(event.type), broadcasts.add(event) else { return }
        phase.withLock { phase in
            guard case .running(let running) = phase else { return }
            running.gate.execute { running.hub.value.broadcast() }
        }
    }

    // MARK: Start

    private func makeRunning(accepting: Bool) throws(StateSocketError) -> Running {
        let (files, directory) = try open()
        let limit = FileLimit.raise(for: max(1, configuration.maximumConnections))
        self.limit.store(limit, ordering: .relaxed)
        let group: MultiThreadedEventLoopGroup
        do throws(SystemError) {
            group = try MultiThreadedEventLoopGroup(named: "sockets")
        } catch {
            Self.discard(files, directory)
            throw failure(error)
        }
        let gate = LoopGate(group.next())
        var taken = 0
        do {
            let rights = files.first { $0.0 == .http }.flatMap { SocketRights(of: $0.1.descriptor) }
            let tick = try PollTick.open(on: gate)
            let hub = try gate.eventLoop.submit { [configuration, bus, replay, agent, counts, broadcasts] in
                let hub = StreamHub(
                    configuration: configuration,
                    connectionLimit: limit,
                    bus: bus,
                    replay: replay,
                    agent: agent,
                    counts: counts,
                    broadcasts: broadcasts,
                    gate: gate,
                    tick: tick.value,
                    members: SocketMembers(rights)
                )
                hub.intake.start()
                return NIOLoopBound(hub, eventLoop: gate.eventLoop)
            }.wait()
            let ports = PortListeners(
                accepting: accepting,
                hub: hub,
                on: group,
                retryingEvery: configuration.portRetryInterval,
                report: portReport
            )
            var running = Running(
                group: group,
                gate: gate,
                hub: hub,
                isAccepting: accepting,
                listeners: [],
                ports: ports,
                files: [],
                directory: directory
            )
            for (name, file) in files {
                taken += 1
                running.listeners.append(try Listener.open(name, file, accepting: accepting, hub: hub, on: group))
                running.files.append((name, file))
            }
            for port in configuration.http.listen { ports.open(port) }
            return running
        } catch {
            // NIO has already closed the socket that it could not adopt, and closes the adopted ones.
            Self.discard(files, directory, adopted: taken)
            gate.close()
            group.shutDown()
            throw failure(error)
        }
    }

    func failure(_ error: any Error) -> StateSocketError {
        if let error = error as? StateSocketError { return error }
        let cause = (error as? SystemError).map { StateSocketError.Cause.errno($0.errno) } ?? .eventLoop("\(error)")
        return StateSocketError(operation: "serve", path: configuration.directory, cause: cause)
    }

    /// Returns the listening sockets: those that were passed, and new ones for the rest.
    private func open() throws(StateSocketError) -> ([(SocketName, SocketFile)], SocketDirectory?) {
        var files = adopted.descriptors.map { ($0.key, SocketFile(adopting: $0.value)) }
        let missing = SocketName.allCases.filter { adopted.descriptors[$0] == nil }
        guard !missing.isEmpty else { return (files, nil) }
        let directory = try SocketDirectory(locking: configuration.directory)
        do {
            let group = try socketGroup()
            for name in missing {
                files.append((name, try SocketFile(name, in: directory, mode: configuration.mode, group: group)))
            }
        } catch {
            Self.discard(files, directory)
            throw error
        }
        return (files, directory)
    }

    /// Removes the files, and closes the sockets that the event loop has not adopted.
    private static func discard(
        _ files: [(SocketName, SocketFile)],
        _ directory: SocketDirectory?,
        adopted count: Int = 0
    ) {
        for (_, file) in files.dropFirst(count) { close(file.descriptor) }
        for (_, file) in files { file.remove() }
        directory?.unlock()
    }

    func socketGroup() throws(StateSocketError) -> gid_t? {
        guard let group = configuration.group else { return nil }
        return try SocketGroup.number(of: group, for: configuration.directory)
    }
}
