internal import EventLoopExecutor
internal import Glibc
internal import NIOCore
internal import Synchronization

/// The connections by their numbers, and the limits on their number, their memory and the time of their requests.
///
/// Used only on the event loop.
final class ConnectionRegistry {
    private let configuration: StateSocketConfiguration
    private let gate: LoopGate
    private let counts: StreamHub.Counts
    private var connections: [Int: Connection] = [:]
    private var lastNumber = 0
    private var limits: ConnectionLimits
    private var requestMemory: RequestMemory
    private(set) var unreadAnswers: UnreadAnswers
    private var isPatienceWatched = false

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of connections.
    ///   - counts: The counters for other threads.
    init(limit: Int, configuration: StateSocketConfiguration, counts: StreamHub.Counts, on gate: LoopGate) {
        self.configuration = configuration
        self.counts = counts
        self.gate = gate
        limits = ConnectionLimits(total: limit, ownUser: geteuid())
        requestMemory = RequestMemory(limit: configuration.requestMemory)
        unreadAnswers = UnreadAnswers(limit: configuration.answerMemory)
    }

    var count: Int { connections.count }
    var isEmpty: Bool { connections.isEmpty }
    /// The maximum number of connections.
    var limit: Int { limits.total }
    /// The connections, the oldest first.
    var list: [Connection] { connections.values.sorted { $0.number < $1.number } }

    /// Returns the connection with a number, if it is not closed.
    subscript(number: Int) -> Connection? { connections[number] }

    /// Counts a connection that is accepted, but waits to be admitted; returns `false` if the limits do not allow it.
    func hold(_ origin: ClientOrigin) -> Bool { limits.add(origin) == nil }

    /// Ends the count of a connection that waited.
    func release(_ origin: ClientOrigin) { limits.remove(origin) }

    /// Assigns a number to a connection, or returns the reason for refusing it.
    func admit(_ connection: Connection) -> Result<Int, ConnectionLimits.Refusal> {
        if let refusal = limits.add(connection.origin) { return .failure(refusal) }
        lastNumber += 1
        connections[lastNumber] = connection
        counts.connections.store(connections.count, ordering: .relaxed)
        return .success(lastNumber)
    }

    /// Removes a closed connection.
    func remove(_ connection: Connection) {
        if connections.removeValue(forKey: connection.number) != nil { limits.remove(connection.origin) }
        counts.connections.store(connections.count, ordering: .relaxed)
    }

    // MARK: Requests and answers

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
                    code: .tooMuchUnfinished,
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
        let registry = NIOLoopBound(self, eventLoop: gate.eventLoop)
        gate.eventLoop.scheduleTask(deadline: since + TimeAmount(configuration.requestPatience)) {
            registry.value.endLateRequests()
        }
    }

    private func endLateRequests() {
        isPatienceWatched = false
        let earliest = NIODeadline.now() - TimeAmount(configuration.requestPatience)
        for requests in list.compactMap(\.requests)
        where requests.owesSince ?? .distantFuture <= earliest {
            requests.refuse(
                ControlFailure(
                    code: .requestTimeout,
                    message: "no complete request arrived within \(configuration.requestPatience)"
                )
            )
        }
        if let next = list.compactMap({ $0.requests?.owesSince }).min() {
            expectRequests(since: max(next, earliest))
        }
    }
}
