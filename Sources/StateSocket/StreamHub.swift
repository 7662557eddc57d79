internal import AgentEvents
internal import EventLoopExecutor
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NotificationBus
internal import PortAccess
internal import Synchronization

/// The state that all connections share: the ring of events, and the connections.
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
    /// The queue of reports, each of which reads the whole journal.
    let reports = WorkQueue("report-", share: 1)
    /// `true` once the bus has ended, and the ring has its last event.
    private(set) var isFinished = false

    /// The number of events that wake the event loop while no stream waits for any.
    private static let idleEvents = 64

    private let gate: LoopGate
    private let bus: NotificationBus<Event>
    private let counts: Counts
    private let broadcasts: Broadcasts
    private var subscription: Subscription<Event>?
    private var connections: [Int: Connection] = [:]
    private var lastConnection = 0
    private var limits: ConnectionLimits
    private var requestMemory: RequestMemory
    private var unreadAnswers: UnreadAnswers
    private var isPatienceWatched = false
    private var live: [EventStream] = []
    /// The live streams that select unnumbered events.
    private var listening: [EventStream] = []
    private var parked: [EventStream] = []
    /// The events of the last batch that are not in the ring yet.
    private var untaken: ArraySlice<Event> = []
    private var isDraining = false
    /// `true` while the bus has released events for which there was no time before the next poll.
    private(set) var isBehind = false
    /// `true` while each event is taken at once, because a stream waits for it.
    private var isAttentive = false
    private var whenEmpty: EventLoopPromise<Void>?
    private let pool = NIOThreadPool(numberOfThreads: 2)
    private var isPoolStarted = false
    /// The number of tasks on threads that may block, such as reads of the journal.
    private(set) var readings = 0

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
        limits = ConnectionLimits(total: connectionLimit, ownUser: geteuid())
        requestMemory = RequestMemory(limit: configuration.requestMemory)
        unreadAnswers = UnreadAnswers(limit: configuration.answerMemory)
        self.bus = bus
        self.replay = replay
        self.agent = agent
        self.counts = counts
        self.broadcasts = broadcasts
        self.gate = gate
        turns = Turns(on: gate, polledBy: tick)
        ring = EventRing(next: 1, maximumBytes: configuration.ringBytes, maximumEvents: configuration.ringEvents)
        turns.whenPolled = { [unowned self] in drain() }
    }

    /// The time limit for reading the last line.
    var lagPatience: TimeAmount { TimeAmount(configuration.lagPatience) }
    var connectionCount: Int { connections.count }
    /// The event loop, for calls from other threads.
    var loop: LoopGate { gate }
    var connectionLimit: Int { limits.total }
    var connectionList: [Connection] { connections.values.sorted { $0.number < $1.number } }

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
    /// When the time before the next poll is used up, the rest follows after it; and while a stream is behind, one part
    /// of a batch between two polls, so that no batch cuts off a client that reads as fast as it can.
    ///
    /// - Parameter completely: `true` to take everything now, for a stream that opens or ends with what there is.
    func drain(completely: Bool = false) {
        guard !isDraining else { return }
        isDraining = true
        isBehind = true
        turns.spend {
            while completely || turns.hasTime {
                if untaken.isEmpty, !receiveMore() {
                    isBehind = false
                    break
                }
                ring.append(&untaken)
                serve()
                if !completely, !untaken.isEmpty, live.contains(where: \.isBehind) { break }
            }
            // A history ends with the newest event, and which one that is was not known before.
            if !isBehind { for stream in live where stream.isHistory { stream.pump() } }
        }
        isDraining = false
        if isBehind { turns.awaitPoll() }
    }

    /// Takes the next batch of the bus; returns `false` if there is none.
    private func receiveMore() -> Bool {
        guard let subscription else { return false }
        return receive(subscription.take())
    }

    /// Wakes the event loop for each event while a stream waits for events, otherwise once for many.
    private func attend() {
        guard isAttentive != (!live.isEmpty || !parked.isEmpty) else { return }
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
        for stream in live { stream.pump() }
    }

    /// Returns whether the bus has released a number; always `true` after its end.
    func hasReleased(_ sequence: UInt64) -> Bool { sequence < ring.next || isFinished }

    // MARK: Streams

    /// Parks a stream until the bus has released the events in its snapshot.
    func park(_ stream: EventStream) {
        parked.append(stream)
        attend()
    }

    private func leaveParkingSlots() {
        guard !parked.isEmpty else { return }
        let waiting = parked
        parked = []
        for stream in waiting where stream.phase == .waiting {
            if let opening = stream.opening, !hasReleased(opening.sequence) {
                parked.append(stream)
            } else {
                stream.leaveParkingSlot()
            }
        }
        attend()
    }

    /// Delivers every event to a stream from now on.
    func addLive(_ stream: EventStream) {
        guard stream.liveIndex == nil else { return }
        stream.liveIndex = live.count
        live.append(stream)
        defer { attend() }
        guard stream.listener != nil else { return }
        listening.append(stream)
        broadcasts.select(listening.lazy.flatMap { $0.listener?.types ?? [] })
    }

    /// Delivers the queued unnumbered events.
    func broadcast() {
        let batch = broadcasts.take()
        for stream in listening { stream.receive(batch) }
    }

    /// Stops delivering to a stream.
    func removeLive(_ stream: EventStream) {
        defer { attend() }
        parked.removeAll { $0 === stream }
        guard let index = stream.liveIndex else { return }
        stream.liveIndex = nil
        if stream.listener != nil {
            listening.removeAll { $0 === stream }
            broadcasts.select(listening.lazy.flatMap { $0.listener?.types ?? [] })
        }
        live.swapAt(index, live.count - 1)
        live.removeLast()
        if index < live.count { live[index].liveIndex = index }
    }

    /// Reads a part of the journal on another thread.
    func read(with reader: ReplayReader, _ whenRead: @escaping (Result<ReplayReader.Part, any Error>) -> Void) {
        let limit = ring.newest
        work({ () throws -> ReplayReader.Part in try reader.read(through: limit) }, whenRead)
    }

    /// Runs work that may take a while on another thread; a connection must run only one piece of work at a time.
    func work<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) {
        if !isPoolStarted {
            isPoolStarted = true
            pool._start(threadNamePrefix: "replay-")
        }
        work(on: pool, body, whenDone)
    }

    /// Runs work on a thread of a started pool.
    func work<Output: Sendable>(
        on pool: NIOThreadPool,
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) {
        readings += 1
        let done = NIOLoopBound((hub: self, whenDone: whenDone), eventLoop: gate.eventLoop)
        let gate = gate
        pool.submit { state in
            let result = Result { () throws -> Output in
                guard state == .active else { throw CancellationError() }
                return try body()
            }
            gate.execute {
                let (hub, whenDone) = done.value
                hub.turns.handle {
                    hub.readings -= 1
                    whenDone(result)
                    hub.reportIfEmpty()
                }
            }
        }
    }

    // MARK: Connections

    /// Assigns a number to a connection, or returns the reason for refusing it.
    func admit(_ connection: Connection) -> Result<Int, ConnectionLimits.Refusal> {
        if let refusal = limits.add(connection.origin) { return .failure(refusal) }
        lastConnection += 1
        connections[lastConnection] = connection
        counts.connections.store(connections.count, ordering: .relaxed)
        return .success(lastConnection)
    }

    /// Removes a closed connection.
    func remove(_ connection: Connection) {
        if connections.removeValue(forKey: connection.number) != nil { limits.remove(connection.origin) }
        counts.connections.store(connections.count, ordering: .relaxed)
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
        for connection in connectionList where connection.isRemote { connection.close() }
    }

    // MARK: Late requests

    /// Records a change of the memory of a connection's requests; if the total exceeds the limit, a connection is
    /// closed.
    func noteHeldBytes(_ difference: Int, of connection: Connection) {
        requestMemory.change(connection.origin, by: difference)
        while let origin = requestMemory.greediest {
            let largest = connections.values.filter { $0.origin == origin }
                .max { $0.requests?.heldBytes ?? 0 < $1.requests?.heldBytes ?? 0 }
            guard let requests = largest?.requests, requests.heldBytes > 0 else { return }
            requests.refuse(
                ControlFailure(
                    code: "too_much_unfinished",
                    message: "the requests that clients have not finished take more than "
                        + "\(configuration.requestMemory) bytes, and this client's the most"
                )
            )
        }
    }

    /// Records the size of a connection's unread answers; if the total exceeds the limit, a connection is closed.
    func noteUnreadAnswers(_ bytes: Int, of connection: Connection) {
        unreadAnswers.set(bytes, of: connection.number, connection.origin)
        while let excess = unreadAnswers.excess {
            // An error message would have to wait behind the unread answers.
            unreadAnswers.set(0, of: excess.connection, excess.origin)
            connections[excess.connection]?.close()
        }
    }

    /// Enforces that each client that owes a request sends it in time.
    ///
    /// A single timer runs for the client that has owed a request the longest; none runs while no client owes one.
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
        for requests in connectionList.compactMap(\.requests)
        where requests.owesSince ?? .distantFuture <= earliest {
            requests.refuse(
                ControlFailure(
                    code: "request_timeout",
                    message: "no complete request arrived within \(configuration.requestPatience)"
                )
            )
        }
        if let next = connectionList.compactMap({ $0.requests?.owesSince }).min() {
            expectRequests(since: max(next, earliest))
        }
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
        for connection in connectionList { connection.requests?.closeIfDone() }
    }

    private func cutOff() {
        for connection in connectionList {
            connection.stream?.endForShutdown()
            connection.close()
        }
        stopThreads()
        whenEmpty?.succeed()
        whenEmpty = nil
    }

    private func reportIfEmpty() {
        guard connections.isEmpty, readings == 0, let whenEmpty else { return }
        stopThreads()
        whenEmpty.succeed()
        self.whenEmpty = nil
    }

    private func stopThreads() {
        if isPoolStarted { pool.shutdownGracefully { _ in } }
        passwords.stop()
        reports.stop()
    }
}
