internal import EventLoopExecutor
internal import NIOCore

/// The turns of connections with a request to handle or a stream to start, and of streams with more events than one
/// turn takes.
///
/// Users take turns, and the event loop polls all sockets in between, so that a client with little to ask never waits
/// for those with much. Used only on the event loop.
final class Turns {
    /// The maximum time for turns before the event loop polls its sockets.
    private static let time: TimeAmount = .milliseconds(2)
    /// The delay of the next turns.
    ///
    /// NIO polls only when no task is due, and one that is added by `execute` is due at once: with it, all requests
    /// that were read would be handled before anything else is accepted or read.
    private static let pause: TimeAmount = .microseconds(50)

    private let gate: LoopGate
    private var connections = FairQueue<Connection>()
    private var streams = CircularBuffer<EventStream>()
    private var areScheduled = false

    /// Creates an empty queue for an event loop.
    init(on gate: LoopGate) { self.gate = gate }

    private var isEmpty: Bool { connections.isEmpty && streams.isEmpty }

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

    private func schedule(after pause: TimeAmount? = nil) {
        guard !areScheduled, !isEmpty else { return }
        areScheduled = true
        let turns = NIOLoopBound(self, eventLoop: gate.eventLoop)
        if let pause {
            gate.eventLoop.scheduleTask(in: pause) { turns.value.give() }
        } else {
            gate.eventLoop.execute { turns.value.give() }
        }
    }

    private func give() {
        let end = NIODeadline.now() + Self.time
        repeat {
            streams.popFirst()?.pump()
            guard let connection = connections.next() else { continue }
            connection.isQueued = false
            if connection.takeTurn() { add(connection) }
        } while !isEmpty && NIODeadline.now() < end
        areScheduled = false
        schedule(after: Self.pause)
    }
}
