public import EventEnvelope
internal import EventLoopExecutor
internal import Glibc
internal import NIOCore
internal import NIOPosix
public import NotificationBus
internal import Synchronization

/// The server of `events.sock` and `control.sock`.
///
/// One thread, which sleeps while nothing happens, and up to two more while the journal is replayed.
public final class StateServer: Sendable {
    private struct Running: Sendable {
        var group: MultiThreadedEventLoopGroup
        var gate: LoopGate
        var hub: NIOLoopBound<StreamHub>
        var listeners: [any Channel]
        var files: [SocketFile]
        var directory: SocketDirectory?
    }

    private enum Phase {
        case new
        case starting
        case running(Running)
        case stopped
    }

    private let configuration: StateSocketConfiguration
    private let bus: NotificationBus<Event>
    private let replay: (any ReplaySource)?
    private let agent: any AgentInterface
    private let adopted: ActivatedSockets
    private let counts = StreamHub.Counts()
    private let broadcasts = Broadcasts()
    private let limit = Atomic<Int>(0)
    private let phase = Mutex(Phase.new)

    /// A server that is not started.
    ///
    /// - Parameters:
    ///   - configuration: Where the sockets are, who may use them, and how much is kept for them.
    ///   - bus: Where the events come from; the numbers of the notifications are those of the events.
    ///   - replay: Where older events are read from; without it only those in memory can be asked for.
    ///   - agent: Answers the questions.
    ///   - activated: The sockets that the service manager made; the others are bound in the configuration's directory.
    public init(
        configuration: StateSocketConfiguration,
        bus: NotificationBus<Event>,
        replay: (any ReplaySource)? = nil,
        agent: any AgentInterface,
        adopting activated: ActivatedSockets = ActivatedSockets()
    ) {
        self.configuration = configuration
        self.bus = bus
        self.replay = replay
        self.agent = agent
        adopted = activated
    }

    /// How many clients are connected to both sockets.
    public var connectionCount: Int { counts.connections.load(ordering: .relaxed) }

    /// How many clients there can be: fewer than configured when the process may not have as many open files.
    ///
    /// 0 before the start.
    public var connectionLimit: Int { limit.load(ordering: .relaxed) }

    /// Opens the sockets; clients are served when this returns.
    ///
    /// Blocks shortly. Raises the process's limit of open files to what the connections need.
    ///
    /// - Parameter accepting: Without, who connects waits until ``accept()`` is called.
    /// - Throws: ``StateSocketError``, also when the server was started before; nothing is left open then.
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

    /// Serves those who have connected, after a start without.
    ///
    /// Returns at once, from any thread. Does nothing when clients are served already, before the start and after the end.
    public func accept() {
        phase.withLock { phase in
            guard case .running(let running) = phase else { return }
            for listener in running.listeners { listener.setOption(.autoRead, value: true).whenComplete { _ in } }
        }
    }

    /// Accepts nobody any more; the clients that are there are served on.
    ///
    /// Returns at once, from any thread.
    public func stopAccepting() {
        phase.withLock { phase in
            guard case .running(let running) = phase else { return }
            for listener in running.listeners { listener.setOption(.autoRead, value: false).whenComplete { _ in } }
        }
    }

    /// Has the server's thread call a closure as soon as it is free: a proof that it is not stuck.
    ///
    /// Safe from any thread. Before the start and after the end it is called at once, by the caller.
    public func whenFree(_ body: @escaping @Sendable () -> Void) {
        let gate = phase.withLock { phase -> LoopGate? in
            guard case .running(let running) = phase else { return nil }
            return running.gate
        }
        if let gate { gate.execute(body) } else { body() }
    }

    /// Closes the sockets, and ends every connection in an orderly way.
    ///
    /// Accepts nobody any more and removes the socket files. Every subscriber is given all that was published until the
    /// bus finished, then the last line; who has not taken it within the time is cut off. If the bus is not finished by
    /// then, everybody is. Blocks: not to be called on an event loop. The second call does nothing.
    public func stop(within time: Duration) {
        let running = phase.withLock { phase -> Running? in
            defer { phase = .stopped }
            if case .running(let running) = phase { return running }
            return nil
        }
        guard let running else { return }
        let deadline = NIODeadline.now() + TimeAmount(time)
        for file in running.files { file.remove() }
        for listener in running.listeners { listener.close(promise: nil) }
        let isEmpty = running.gate.eventLoop.makePromise(of: Void.self)
        running.gate.execute { running.hub.value.stop(by: deadline, whenEmpty: isEmpty) }
        try? isEmpty.futureResult.wait()
        running.directory?.unlock()
        let readings = try? running.gate.eventLoop.submit { running.hub.value.readings }.wait()
        running.gate.close()
        // A thread that hangs in the journal keeps the event loop: what it has to say is not heard, but is not wrong.
        if readings == 0 { try? running.group.syncShutdownGracefully() }
    }

    // MARK: Events without a number

    /// Whether anybody asks for a type of event that has no number: only then is it worth making one.
    ///
    /// A look at one counter, from any thread. Only `probeCompleted` is told this way.
    public func wants(_ type: EventType) -> Bool {
        Broadcasts.carries(type) && broadcasts.listeners.load(ordering: .relaxed) > 0
    }

    /// Sends an event without a number to the subscribers that ask for its type.
    ///
    /// Safe from any thread, and never blocks. It comes between the numbered events, at no certain place among them, and is
    /// kept nowhere: who is too slow for it does not get it, and is told how many it did not get.
    public func broadcast(_ event: Event) {
        guard wants(event.type), broadcasts.add(event) else { return }
        phase.withLock { phase in
            guard case .running(let running) = phase else { return }
            running.gate.execute { running.hub.value.broadcast() }
        }
    }

    // MARK: Starting

    private func makeRunning(accepting: Bool) throws(StateSocketError) -> Running {
        let (files, directory) = try open()
        let limit = FileLimit.raise(for: max(1, configuration.mostConnections))
        self.limit.store(limit, ordering: .relaxed)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let gate = LoopGate(group.next())
        var taken = 0
        do {
            let hub = try gate.eventLoop.submit { [configuration, bus, replay, agent, counts, broadcasts] in
                let hub = StreamHub(
                    configuration: configuration,
                    connectionLimit: limit,
                    bus: bus,
                    replay: replay,
                    agent: agent,
                    counts: counts,
                    broadcasts: broadcasts,
                    gate: gate
                )
                hub.subscribe()
                return NIOLoopBound(hub, eventLoop: gate.eventLoop)
            }.wait()
            var running = Running(group: group, gate: gate, hub: hub, listeners: [], files: [], directory: directory)
            for (name, file) in files {
                taken += 1
                running.listeners.append(try Listener.open(name, file, accepting: accepting, hub: hub, on: group))
                running.files.append(file)
            }
            return running
        } catch {
            // NIO has closed the one that it could not take, and closes those that it has.
            for (_, file) in files.dropFirst(taken) { close(file.descriptor) }
            for (_, file) in files { file.remove() }
            directory?.unlock()
            gate.close()
            try? group.syncShutdownGracefully()
            throw StateSocketError(operation: "serve", path: configuration.directory, cause: .eventLoop("\(error)"))
        }
    }

    /// The listening sockets: what was handed over, and what is missing.
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
            for (_, file) in files {
                file.remove()
                close(file.descriptor)
            }
            directory.unlock()
            throw error
        }
        return (files, directory)
    }

    private func socketGroup() throws(StateSocketError) -> gid_t? {
        guard let group = configuration.group else { return nil }
        return try SocketGroup.number(of: group, for: configuration.directory)
    }
}
