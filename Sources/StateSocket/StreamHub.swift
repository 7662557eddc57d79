internal import EventEnvelope
internal import EventLoopExecutor
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NotificationBus
internal import Synchronization

/// What all connections share: the ring of events, and who is there.
///
/// Used on the event loop only.
final class StreamHub {
    /// What other threads may see of the hub.
    final class Counts: Sendable {
        let connections = Atomic<Int>(0)
    }

    let configuration: StateSocketConfiguration
    let agent: any AgentInterface
    let replay: (any ReplaySource)?
    private(set) var ring: EventRing
    /// Whether the bus has ended, and the ring has its last event.
    private(set) var isFinished = false

    /// How long turns are given before everything else on the event loop has its own.
    private static let turnTime: TimeAmount = .milliseconds(2)

    private let gate: LoopGate
    private let bus: NotificationBus<Event>
    private let counts: Counts
    private let broadcasts: Broadcasts
    private var subscription: Subscription<Event>?
    private var connections: [Int: Connection] = [:]
    private var lastConnection = 0
    private var limits: ConnectionLimits
    /// The connections that have something to do: a request to handle, or a stream to begin.
    private var turns = FairQueue<Connection>()
    private var areTurnsScheduled = false
    private var requestMemory: RequestMemory
    private var isPatienceWatched = false
    private var live: [EventStream] = []
    /// Those of the live streams that ask for events without a number.
    private var listening: [EventStream] = []
    private var parked: [EventStream] = []
    private var isDraining = false
    private var whenEmpty: EventLoopPromise<Void>?
    private let pool = NIOThreadPool(numberOfThreads: 2)
    private var isPoolStarted = false
    /// How many readings of the journal are under way.
    private(set) var readings = 0

    init(
        configuration: StateSocketConfiguration,
        connectionLimit: Int,
        bus: NotificationBus<Event>,
        replay: (any ReplaySource)?,
        agent: any AgentInterface,
        counts: Counts,
        broadcasts: Broadcasts,
        gate: LoopGate
    ) {
        self.configuration = configuration
        limits = ConnectionLimits(total: connectionLimit, ownUser: geteuid())
        requestMemory = RequestMemory(limit: configuration.requestMemory)
        self.bus = bus
        self.replay = replay
        self.agent = agent
        self.counts = counts
        self.broadcasts = broadcasts
        self.gate = gate
        ring = EventRing(next: 1, mostBytes: configuration.ringBytes, mostEvents: configuration.ringEvents)
    }

    /// The time for reading the last line.
    var lagPatience: TimeAmount { TimeAmount(configuration.lagPatience) }
    var connectionCount: Int { connections.count }
    var connectionLimit: Int { limits.total }
    var connectionList: [Connection] { connections.values.sorted { $0.number < $1.number } }

    // MARK: The bus

    /// Subscribes to the bus.
    func subscribe() {
        let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
        let gate = gate
        let subscription = bus.subscribe(capacity: max(8192, configuration.ringEvents)) {
            gate.execute { hub.value.drain() }
        }
        self.subscription = subscription
        let released = bus.lastReleased
        let batch = subscription.take()
        // What was released between the two calls is in the batch; if there is none, nothing was.
        let next: UInt64
        if case .notifications(let events) = batch, let first = events.first {
            next = first.sequence
        } else {
            next = released + 1
        }
        if next != ring.next {
            ring = EventRing(next: next, mostBytes: configuration.ringBytes, mostEvents: configuration.ringEvents)
        }
        take(batch)
    }

    /// Takes what the bus has released, and hands it on.
    func drain() {
        guard !isDraining, let subscription else { return }
        isDraining = true
        take(subscription.take())
        isDraining = false
    }

    private func take(_ batch: Subscription<Event>.Batch) {
        switch batch {
        case .notifications(let batch):
            ring.expect(batch.first?.sequence ?? ring.next)
            var events = batch.map(\.content)[...]
            while !events.isEmpty {
                ring.append(&events)
                serve()
            }
            return
        case .lagged: subscribe()
        case .empty: return
        case .finished:
            guard !isFinished else { return }
            isFinished = true
        }
        serve()
        if isFinished { endConversations() }
    }

    private func serve() {
        leaveParkingPlaces()
        // A copy, because a stream that ends leaves the array.
        for stream in live { stream.pump() }
    }

    /// Takes what the bus has released when a number is said to be among it that is not in the ring yet.
    func catchUp(to sequence: UInt64) {
        if sequence > ring.newest, bus.lastReleased > ring.newest { drain() }
    }

    /// Whether the bus has released a number; when it has ended nothing is waited for.
    func hasReleased(_ sequence: UInt64) -> Bool { sequence < ring.next || isFinished }

    // MARK: Streams

    /// Lets a stream wait until the bus has released what its snapshot shows.
    func park(_ stream: EventStream) { parked.append(stream) }

    private func leaveParkingPlaces() {
        guard !parked.isEmpty else { return }
        let waiting = parked
        parked = []
        for stream in waiting where stream.phase == .waiting {
            if let opening = stream.opening, !hasReleased(opening.sequence) {
                parked.append(stream)
            } else {
                stream.leaveParkingPlace()
            }
        }
    }

    /// Gives a stream every event from now on.
    func addLive(_ stream: EventStream) {
        guard stream.liveIndex == nil else { return }
        stream.liveIndex = live.count
        live.append(stream)
        guard stream.listener != nil else { return }
        listening.append(stream)
        broadcasts.listeners.store(listening.count, ordering: .relaxed)
    }

    /// Hands on the events without a number that wait.
    func broadcast() {
        let batch = broadcasts.take()
        for stream in listening { stream.hear(batch) }
    }

    /// Gives a stream nothing more, wherever it is.
    func removeLive(_ stream: EventStream) {
        parked.removeAll { $0 === stream }
        guard let index = stream.liveIndex else { return }
        stream.liveIndex = nil
        if stream.listener != nil {
            listening.removeAll { $0 === stream }
            broadcasts.listeners.store(listening.count, ordering: .relaxed)
        }
        live.swapAt(index, live.count - 1)
        live.removeLast()
        if index < live.count { live[index].liveIndex = index }
    }

    /// Pumps a stream after the others had their turn.
    func pumpLater(_ stream: EventStream) {
        let stream = NIOLoopBound(stream, eventLoop: gate.eventLoop)
        gate.eventLoop.execute { stream.value.pump() }
    }

    /// Reads a part of the journal on another thread.
    func read(with reader: ReplayReader, _ whenRead: @escaping (Result<ReplayReader.Part, any Error>) -> Void) {
        if !isPoolStarted {
            isPoolStarted = true
            pool.start()
        }
        readings += 1
        let limit = ring.newest
        let done = NIOLoopBound((hub: self, whenRead: whenRead), eventLoop: gate.eventLoop)
        let gate = gate
        pool.submit { state in
            let result = Result { () throws -> ReplayReader.Part in
                guard state == .active else { throw CancellationError() }
                return try reader.read(through: limit)
            }
            gate.execute {
                done.value.hub.readings -= 1
                done.value.whenRead(result)
                done.value.hub.tellWhetherEmpty()
            }
        }
    }

    // MARK: Connections

    /// Gives a connection its number, or says why it cannot stay.
    func admit(_ connection: Connection) -> Result<Int, ConnectionLimits.Refusal> {
        if let refusal = limits.add(connection.user) { return .failure(refusal) }
        lastConnection += 1
        connections[lastConnection] = connection
        counts.connections.store(connections.count, ordering: .relaxed)
        return .success(lastConnection)
    }

    /// Forgets a connection that is closed.
    func remove(_ connection: Connection) {
        if connections.removeValue(forKey: connection.number) != nil { limits.remove(connection.user) }
        counts.connections.store(connections.count, ordering: .relaxed)
        tellWhetherEmpty()
    }

    /// Asks the agent, and brings its answer back to the connection.
    func ask(_ request: AgentRequest, for connection: Connection, slot: Int) {
        let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
        let (gate, number) = (gate, connection.number)
        agent.answer(request, from: connection.peer?.user) { reply in
            gate.execute { hub.value.connections[number]?.conversation?.take(reply, slot: slot) }
        }
    }

    // MARK: Turns

    /// Lets a connection do what it has to do when its turn comes.
    func queue(_ connection: Connection) {
        guard !connection.isQueued else { return }
        connection.isQueued = true
        turns.add(connection, of: connection.user)
        scheduleTurns()
    }

    private func scheduleTurns() {
        guard !areTurnsScheduled, !turns.isEmpty else { return }
        areTurnsScheduled = true
        let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
        gate.eventLoop.execute { hub.value.giveTurns() }
    }

    /// Gives turns for a moment; what is read, accepted and published has its own in between.
    private func giveTurns() {
        let end = NIODeadline.now() + Self.turnTime
        repeat {
            guard let connection = turns.next() else { break }
            connection.isQueued = false
            if connection.takeTurn() { queue(connection) }
        } while NIODeadline.now() < end
        areTurnsScheduled = false
        scheduleTurns()
    }

    // MARK: Clients that do not come to the point

    /// Notes that a connection's requests take more memory, or less; ends the largest one when all take too much.
    func noteHeldBytes(_ difference: Int, of connection: Connection) {
        requestMemory.change(connection.user, by: difference)
        while let user = requestMemory.greediest {
            let largest = connections.values.filter { $0.user == user }
                .max { $0.conversation?.heldBytes ?? 0 < $1.conversation?.heldBytes ?? 0 }
            guard let conversation = largest?.conversation, conversation.heldBytes > 0 else { return }
            conversation.refuse(
                ControlFailure(
                    code: "too_much_unfinished",
                    message: "the requests that clients have not finished take more than "
                        + "\(configuration.requestMemory) bytes, and this client's the most"
                )
            )
        }
    }

    /// Watches that each client that owes a request sends it in time.
    ///
    /// One timer, for the client that has owed the longest; none while no client owes a request.
    func expectRequests(since: NIODeadline = .now()) {
        guard !isPatienceWatched else { return }
        isPatienceWatched = true
        let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
        gate.eventLoop.scheduleTask(deadline: since + TimeAmount(configuration.requestPatience)) {
            hub.value.endLateRequests()
        }
    }

    private func endLateRequests() {
        isPatienceWatched = false
        let earliest = NIODeadline.now() - TimeAmount(configuration.requestPatience)
        for conversation in connectionList.compactMap(\.conversation)
        where conversation.owesSince ?? .distantFuture <= earliest {
            conversation.refuse(
                ControlFailure(
                    code: "request_timeout",
                    message: "no whole request came within \(configuration.requestPatience)"
                )
            )
        }
        if let next = connectionList.compactMap({ $0.conversation?.owesSince }).min() {
            expectRequests(since: max(next, earliest))
        }
    }

    // MARK: The end

    /// Ends every connection as soon as it was given what it is to be given, by a deadline.
    ///
    /// - Parameter whenEmpty: Fulfilled when there is no connection any more.
    func stop(by deadline: NIODeadline, whenEmpty: EventLoopPromise<Void>) {
        guard self.whenEmpty == nil else { return whenEmpty.succeed() }
        self.whenEmpty = whenEmpty
        drain()
        let hub = NIOLoopBound(self, eventLoop: gate.eventLoop)
        let cut = gate.eventLoop.scheduleTask(deadline: deadline) { hub.value.cutOff() }
        whenEmpty.futureResult.whenComplete { _ in cut.cancel() }
        endConversations()
        tellWhetherEmpty()
    }

    private func endConversations() {
        for connection in connectionList { connection.conversation?.closeIfDone() }
    }

    private func cutOff() {
        for connection in connectionList {
            connection.stream?.sayGoodbye()
            connection.close()
        }
        if isPoolStarted { pool.shutdownGracefully { _ in } }
        whenEmpty?.succeed()
        whenEmpty = nil
    }

    private func tellWhetherEmpty() {
        guard connections.isEmpty, readings == 0, let whenEmpty else { return }
        if isPoolStarted { pool.shutdownGracefully { _ in } }
        whenEmpty.succeed()
        self.whenEmpty = nil
    }
}
