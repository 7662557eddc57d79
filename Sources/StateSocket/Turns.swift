internal import EventLoopExecutor
internal import NIOCore

/// The time of the event loop between two polls of its sockets, and the work that waits for it.
///
/// Connections with a request to handle or a stream to start take turns, as do streams with more events than one turn
/// takes; users take turns before their connections do. All work together has a limited time before the next poll, so
/// that a client with little to ask never waits for those with much. Used only on the event loop.
final class Turns {
    /// The maximum time for work before the event loop polls its sockets.
    private static let time: TimeAmount = .milliseconds(2)

    /// Called after a poll, before the waiting work continues.
    var whenPolled: (() -> Void)?

    private let gate: LoopGate
    private let tick: PollTick
    private var connections = FairQueue<Connection>()
    private var streams = CircularBuffer<EventStream>()
    private var results = CircularBuffer<() -> Void>()
    private var areScheduled = false
    private var spent = TimeAmount.zero
    /// The start of the work in progress.
    private var started: NIODeadline?

    /// Creates an empty queue for an event loop.
    init(on gate: LoopGate, polledBy tick: PollTick) {
        self.gate = gate
        self.tick = tick
        tick.whenPolled = { [unowned self] in polled() }
    }

    /// `true` until the time before the next poll is used up.
    var hasTime: Bool { spent + (started.map { NIODeadline.now() - $0 } ?? .zero) < Self.time }

    private var isEmpty: Bool { connections.isEmpty && streams.isEmpty }

    /// Does work at once, and counts its time.
    func spend(_ work: () -> Void) {
        guard started == nil else { return work() }
        let start = NIODeadline.now()
        started = start
        work()
        started = nil
        spent = spent + (NIODeadline.now() - start)
    }

    /// Handles the result of another thread, at once or after the next poll.
    func handle(_ result: @escaping () -> Void) {
        guard hasTime, results.isEmpty else {
            results.append(result)
            return tick.request()
        }
        spend(result)
    }

    /// Calls ``whenPolled`` after the next poll, as after each that is requested.
    func awaitPoll() { tick.request() }

    /// Queues a connection; it is queued only once.
    func add(_ connection: Connection) {
        guard !connection.isQueued else { return }
        connection.isQueued = true
        connections.add(connection, of: connection.origin)
        schedule()
    }

    /// Queues a stream, which continues after the others.
    func add(_ stream: EventStream) {
        streams.append(stream)
        schedule()
    }

    private func schedule() {
        guard !areScheduled, !isEmpty else { return }
        guard hasTime else { return tick.request() }
        areScheduled = true
        let turns = NIOLoopBound(self, eventLoop: gate.eventLoop)
        gate.eventLoop.execute { turns.value.give() }
    }

    /// Gives turns while there is time, and at least one.
    private func give() {
        defer { areScheduled = false }
        guard !isEmpty else { return }
        areScheduled = true
        spend {
            repeat {
                streams.popFirst()?.pump()
                guard let connection = connections.next() else { continue }
                connection.isQueued = false
                if connection.takeTurn() { add(connection) }
            } while !isEmpty && hasTime
        }
        if !isEmpty { tick.request() }
    }

    private func polled() {
        spent = .zero
        whenPolled?()
        while let result = results.popFirst() {
            spend(result)
            guard hasTime else { break }
        }
        if !results.isEmpty { tick.request() }
        give()
    }
}
