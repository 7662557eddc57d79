internal import AgentEvents
internal import EventLoopExecutor
internal import NIOCore
internal import NotificationBus
internal import PortAccess
internal import Synchronization

/// The state that all connections share: the events of the bus, the streams that get them, and the connections.
///
/// Used only on the event loop.
final class StreamHub {
    /// The hub's counters for other threads.
    final class Counts: Sendable {
        let connections = Atomic<Int>(0)
    }

    let configuration: StateSocketConfiguration
    let agent: any AgentInterface
    let replay: (any ReplaySource)?
    /// The intake of the ring, which gets the events of the bus.
    let intake: EventIntake
    /// The users that may use a TCP port.
    let members: SocketMembers
    /// The access rules for the ports that other hosts can reach.
    private(set) var access: PortAccess?
    /// The check of the passwords of requests at those ports.
    let passwords = PasswordCheck()
    /// The check of the agent's threads.
    let health: HealthCheck
    /// The turns of the connections and streams.
    let turns: Turns
    /// The connections, and the limits on them.
    let connections: ConnectionRegistry
    /// The work on threads that may block, such as reads of the journal.
    let work: BlockingWork
    /// The queue of reports, each of which reads the whole journal.
    let reports = WorkQueue("report-", share: 1)

    private let gate: LoopGate
    private var streams: LiveStreams
    private let heartbeat: StreamHeartbeat
    private var whenEmpty: EventLoopPromise<Void>?

    init(
        configuration: StateSocketConfiguration,
        connectionLimit: Int,
        bus: NotificationBus<Event>,
        replay: (any ReplaySource)?,
        agent: any AgentInterface,
        counts: Counts,
        broadcasts: Broadcasts,
        gate: LoopGate,
        tick: PollTick,
        members: SocketMembers
    ) {
        self.configuration = configuration
        self.members = members
        access = configuration.http.access
        connections = ConnectionRegistry(
            limit: connectionLimit,
            configuration: configuration,
            counts: counts,
            on: gate
        )
        self.replay = replay
        self.agent = agent
        streams = LiveStreams(broadcasts)
        heartbeat = StreamHeartbeat(every: configuration.heartbeatInterval, on: gate)
        self.gate = gate
        health = HealthCheck(on: gate)
        turns = Turns(on: gate, polledBy: tick)
        work = BlockingWork(on: gate, turns: turns)
        intake = EventIntake(bus, on: gate, in: turns, configuration: configuration)
        intake.whenTaken = { [weak self] in self?.serve() }
        intake.whenCaughtUp = { [weak self] in self?.endHistories() }
        intake.whenFinished = { [weak self] in self?.endConversations() }
        intake.findLaggard = { [weak self] in self?.streams.all.first(where: \.isBehind) }
        turns.whenPolled = { [weak intake] in intake?.drain() }
        work.whenHandled = { [weak self] in self?.reportIfEmpty() }
    }

    /// The maximum time in which a client may read nothing of an answer or of its last line.
    var lagPatience: TimeAmount { TimeAmount(configuration.lagPatience) }
    /// The event loop, for calls from other threads.
    var loop: LoopGate { gate }

    // MARK: Streams

    /// Delivers what the ring has got to the streams.
    private func serve() {
        leaveParkingSlots()
        // A copy, because a stream that ends is removed from the array.
        for stream in streams.all { stream.pump() }
    }

    /// Ends the histories, which end with the newest event: which one that is was not known before.
    private func endHistories() { for stream in streams.all where stream.isHistory { stream.pump() } }

    /// Takes each event at once while a stream waits for events, otherwise many together.
    private func attend() { intake.isAttentive = !streams.isEmpty }

    /// Parks a stream until the bus has released the events in its snapshot.
    func park(_ stream: EventStream) {
        streams.park(stream)
        attend()
    }

    private func leaveParkingSlots() {
        let waiting = streams.takeParked()
        guard !waiting.isEmpty else { return }
        for stream in waiting where stream.phase == .waiting {
            if let opening = stream.opening, !intake.hasTaken(opening.sequence) {
                streams.park(stream)
            } else {
                stream.leaveParkingSlot()
            }
        }
        attend()
    }

    /// Delivers every event to a stream from now on.
    func addLive(_ stream: EventStream) {
        streams.add(stream)
        attend()
        if stream.parameters.format == .serverSent { heartbeat.start { [weak self] in self?.beat() ?? false } }
    }

    /// Writes to the idle server-sent streams; returns whether there are any server-sent streams.
    private func beat() -> Bool {
        let live = streams.all.filter { $0.parameters.format == .serverSent }
        for stream in live { stream.beat() }
        return !live.isEmpty
    }

    /// Delivers the queued unnumbered events.
    func broadcast() {
        let (batch, listening) = streams.takeBroadcasts()
        for stream in listening { stream.receive(batch) }
    }

    /// Stops delivering to a stream.
    func removeLive(_ stream: EventStream) {
        streams.remove(stream)
        attend()
    }

    // MARK: Connections

    /// Removes a closed connection.
    func remove(_ connection: Connection) {
        connections.remove(connection)
        reportIfEmpty()
    }

    /// Passes a request to the agent, and its answer back to the connection.
    func ask(_ request: AgentRequest, for connection: Connection, slot: Int) {
        let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
        let (gate, number) = (gate, connection.number)
        let client = AgentClient(user: connection.peer?.user, process: connection.peer?.process)
        agent.answer(request, from: client) { reply in
            gate.execute { hub.value.connections[number]?.conversation?.take(reply, slot: slot) }
        }
    }

    /// Applies other access rules to the ports that other hosts can reach.
    ///
    /// Their connections are closed, so that clients admitted by the former rules are checked by the new ones.
    func setAccess(_ access: PortAccess?) {
        guard access != self.access else { return }
        self.access = access
        passwords.forget()
        for connection in connections.list where connection.isRemote { connection.close() }
    }

    // MARK: End

    /// Ends every connection once it has got its last line, at a deadline at the latest.
    ///
    /// - Parameter whenEmpty: Fulfilled when no connections are left.
    func stop(by deadline: NIODeadline, whenEmpty: EventLoopPromise<Void>) {
        guard self.whenEmpty == nil else { return whenEmpty.succeed() }
        self.whenEmpty = whenEmpty
        intake.drain(completely: true)
        let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
        let cut = gate.eventLoop.scheduleTask(deadline: deadline) { hub.value.cutOff() }
        whenEmpty.futureResult.whenComplete { _ in cut.cancel() }
        endConversations()
        reportIfEmpty()
    }

    private func endConversations() {
        for connection in connections.list { connection.requests?.closeIfDone() }
    }

    private func cutOff() {
        for connection in connections.list {
            connection.stream?.endForShutdown()
            connection.close()
        }
        stopThreads()
        whenEmpty?.succeed()
        whenEmpty = nil
    }

    private func reportIfEmpty() {
        guard connections.isEmpty, work.count == 0, let whenEmpty else { return }
        stopThreads()
        whenEmpty.succeed()
        self.whenEmpty = nil
    }

    private func stopThreads() {
        work.stop()
        passwords.stop()
        members.stop()
        reports.stop()
    }
}
