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
    private(set) var ring: EventRing
    /// The users that may use a TCP port.
    let members: SocketMembers
    /// The access rules for the ports that other hosts can reach.
    private(set) var access: PortAccess?
    /// The check of the passwords of requests at those ports.
    let passwords = PasswordCheck()
    /// The turns of the connections and streams.
    let turns: Turns
    /// The connections, and the limits on them.
    let connections: ConnectionRegistry
    /// The work on threads that may block, such as reads of the journal.
    let work: BlockingWork
    /// The queue of reports, each of which reads the whole journal.
    let reports = WorkQueue("report-", share: 1)
    /// `true` once the bus has ended, and the ring has its last event.
    private(set) var isFinished = false

    /// The number of events that wake the event loop while no stream waits for any.
    private static let idleEvents = 64
    /// The time that streams have for one part of a batch before the next one follows anyway.
    ///
    /// A client must get processor time to read at all, which no number of polls gives it: 64 parts replace the ring.
    private static let partTime: TimeAmount = .milliseconds(2)

    private let gate: LoopGate
    private let bus: NotificationBus<Event>
    private var subscription: Subscription<Event>?
    private var streams: LiveStreams
    private let heartbeat: StreamHeartbeat
    /// The events of the last batch that are not in the ring yet.
    private var untaken: ArraySlice<Event> = []
    private var isDraining = false
    /// The time of the next part, unless all streams have written this one before.
    private var nextPart: NIODeadline?
    /// A stream that was behind when it was last asked: as long as it is, the others need not be.
    private weak var laggard: EventStream?
    /// `true` while the bus has released events for which there was no time before the next poll.
    private(set) var isBehind = false
    /// `true` while each event is taken at once, because a stream waits for it.
    private var isAttentive = false
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
        self.bus = bus
        self.replay = replay
        self.agent = agent
        streams = LiveStreams(broadcasts)
        heartbeat = StreamHeartbeat(every: configuration.heartbeatInterval, on: gate)
        self.gate = gate
        turns = Turns(on: gate, polledBy: tick)
        work = BlockingWork(on: gate, turns: turns)
        ring = EventRing(next: 1, maximumBytes: configuration.ringBytes, maximumEvents: configuration.ringEvents)
        turns.whenPolled = { [unowned self] in drain() }
        work.whenHandled = { [weak self] in self?.reportIfEmpty() }
    }

    /// The time limit for reading the last line.
    var lagPatience: TimeAmount { TimeAmount(configuration.lagPatience) }
    /// The event loop, for calls from other threads.
    var loop: LoopGate { gate }

    // MARK: The bus

    /// Subscribes to the bus, and takes what it has released.
    func start() {
        subscribe()
        drain()
    }

    private func subscribe() {
        let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
        let gate = gate
        let subscription = bus.subscribe(capacity: max(8192, configuration.ringEvents)) {
            gate.execute { hub.value.drain() }
        }
        self.subscription = subscription
        subscription.setWakeThreshold(isAttentive ? 1 : Self.idleEvents)
        let released = bus.lastReleased
        let batch = subscription.take()
        // Events released between the two calls are in the batch; without a batch there were none.
        let next: UInt64
        if case .notifications(let events) = batch, let first = events.first {
            next = first.sequence
        } else {
            next = released + 1
        }
        if next != ring.next {
            ring = EventRing(next: next, maximumBytes: configuration.ringBytes, maximumEvents: configuration.ringEvents)
        }
        _ = receive(batch)
    }

    /// Takes the events released by the bus, and delivers them.
    ///
    /// When the time before the next poll is used up, the rest follows after it; and while a stream is behind, the next
    /// part of a batch follows once it has caught up, or after ``partTime``, so that no batch cuts off a client that reads
    /// as fast as it can.
    ///
    /// - Parameter completely: `true` to take everything now, for a stream that opens or ends with what there is.
    func drain(completely: Bool = false) {
        guard !isDraining, completely || !awaitsStreams() else { return }
        isDraining = true
        isBehind = true
        nextPart = nil
        turns.spend {
            while completely || turns.hasTime {
                if untaken.isEmpty, !receiveMore() {
                    isBehind = false
                    break
                }
                ring.append(&untaken)
                serve()
                if !completely, !untaken.isEmpty, hasLaggard() {
                    nextPart = .now() + Self.partTime
                    break
                }
            }
            // A history ends with the newest event, and which one that is was not known before.
            if !isBehind { for stream in streams.all where stream.isHistory { stream.pump() } }
        }
        isDraining = false
        if let nextPart {
            let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
            gate.eventLoop.scheduleTask(deadline: nextPart) { hub.value.drain() }
        } else if isBehind {
            turns.awaitPoll()
        }
    }

    /// Returns whether a stream still writes a part of a batch, and the next one is not due.
    private func awaitsStreams() -> Bool {
        guard let nextPart, NIODeadline.now() < nextPart else { return false }
        return hasLaggard()
    }

    /// Returns whether a stream has not written all of the ring.
    private func hasLaggard() -> Bool {
        if laggard?.isBehind != true { laggard = streams.all.first(where: \.isBehind) }
        return laggard != nil
    }

    /// Takes the next batch of the bus; returns `false` if there is none.
    private func receiveMore() -> Bool {
        guard let subscription else { return false }
        return receive(subscription.take())
    }

    /// Wakes the event loop for each event while a stream waits for events, otherwise once for many.
    private func attend() {
        guard isAttentive == streams.isEmpty else { return }
        isAttentive.toggle()
        subscription?.setWakeThreshold(isAttentive ? 1 : Self.idleEvents)
    }

    private func receive(_ batch: Subscription<Event>.Batch) -> Bool {
        switch batch {
        case .notifications(let batch):
            ring.expect(batch.first?.sequence ?? ring.next)
            untaken = batch.map(\.content)[...]
        case .lagged:
            subscribe()
            serve()
        case .empty: break
        case .finished:
            guard !isFinished else { return false }
            isFinished = true
            serve()
            endConversations()
        }
        return !untaken.isEmpty
    }

    private func serve() {
        leaveParkingSlots()
        // A copy, because a stream that ends is removed from the array.
        for stream in streams.all { stream.pump() }
    }

    /// Returns whether the bus has released a number; always `true` after its end.
    func hasReleased(_ sequence: UInt64) -> Bool { sequence < ring.next || isFinished }

    // MARK: Streams

    /// Parks a stream until the bus has released the events in its snapshot.
    func park(_ stream: EventStream) {
        streams.park(stream)
        attend()
    }

    private func leaveParkingSlots() {
        let waiting = streams.takeParked()
        guard !waiting.isEmpty else { return }
        for stream in waiting where stream.phase == .waiting {
            if let opening = stream.opening, !hasReleased(opening.sequence) {
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

    /// Reads a part of the journal on another thread.
    func read(with reader: ReplayReader, _ whenRead: @escaping (Result<ReplayReader.Part, any Error>) -> Void) {
        let limit = ring.newest
        work.run({ () throws -> ReplayReader.Part in try reader.read(through: limit) }, whenRead)
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
        drain(completely: true)
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
        reports.stop()
    }
}
