internal import Glibc
internal import LinuxSupport

/// A reader of the agent's events for a program with its own poll(2) loop: the stream of ``StateStream``, without a
/// task.
///
/// It belongs to one thread, which sleeps until ``descriptor`` is readable or ``deadline`` has passed, and then calls
/// ``take(maximum:)``. If the thread does not call it, the agent eventually closes the connection to this slow reader,
/// and the stream then resumes from the journal.
package final class StateReader {
    private let locate: @Sendable () -> SocketLocation
    private let wakeup: Wakeup
    private let connectTimeout: Duration?
    private var location: SocketLocation
    private var watch: SocketWatch
    private var resumption: StreamResumption
    private var connection: AgentConnection?
    /// The time of the next attempt to connect; `nil` with a connection.
    private var retry: ContinuousClock.Instant?
    /// The time by which the agent must have sent its hello; `nil` once it has.
    private var helloDeadline: ContinuousClock.Instant?
    /// The time at which an attempt to connect gives up in any case; `nil` for none.
    private var connectLimit: ContinuousClock.Instant?
    /// The reason for the stream's end, until it is thrown.
    private var failure: StateClientError?
    /// `true` if the last call may have left received lines behind.
    private var hasMore = false

    /// Creates a reader whose waits inside ``take(maximum:)`` are interrupted by a wake-up, with
    /// ``StateClientError/cancelled``.
    ///
    /// - Parameters:
    ///   - locate: Returns the location of the agent's socket; called before each attempt until an agent was found.
    ///   - connectTimeout: The maximum time that an attempt to connect waits for an agent with many other clients.
    ///   - patience: The time for which the agent may be silent on its first connection.
    init(
        _ locate: @escaping @Sendable () -> SocketLocation,
        _ subscription: StateSubscription,
        wakeup: Wakeup,
        connectTimeout: Duration? = nil,
        patience: Duration = StreamResumption.usualPatience
    ) {
        let location = locate()
        self.locate = locate
        self.location = location
        self.wakeup = wakeup
        self.connectTimeout = connectTimeout
        watch = SocketWatch(location)
        resumption = StreamResumption(subscription, patience: patience)
        retry = .now
    }

    /// The descriptor to poll for reading; negative if there is none.
    package var descriptor: Int32 { connection?.descriptor ?? (retry == nil ? -1 : watch.descriptor) }

    /// The time at which ``take(maximum:)`` must be called even if nothing is readable; `nil` for none.
    package var deadline: ContinuousClock.Instant? { hasMore || failure != nil ? .now : retry ?? helloDeadline }

    /// Returns the received items, and connects if an attempt is due.
    ///
    /// - Parameter maximum: The number of lines after which the rest is left for the next call.
    /// - Throws: ``StateClientError`` if a retry is useless, as ``StateStream/AsyncIterator/next(isolation:)`` does.
    package func take(maximum: Int) throws(StateClientError) -> [StreamItem] {
        if let failure {
            self.failure = nil
            throw failure
        }
        var items: [StreamItem] = []
        do throws(StreamResumption.End) {
            guard try isConnected() else { return [] }
            try read(&items, maximum)
            try checkForHello()
        } catch {
            connection = nil
            helloDeadline = nil
            hasMore = false
            switch resumption.connectionEnded(error, fraction: .random(in: 0...1)) {
            case .fail(let error):
                guard !items.isEmpty else { throw error }
                failure = error
            case .retry(let more, let time):
                items += more
                retry = .now.advanced(by: time)
                if time > .zero { watch.start() }
            }
        }
        return items
    }

    /// Waits for items, and returns them; empty at the deadline.
    ///
    /// Sleeps on the calling thread, and needs no other.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of lines, as for ``take(maximum:)``.
    ///   - deadline: The end of the wait; `nil` for none.
    /// - Throws: As ``take(maximum:)``.
    package func wait(
        maximum: Int,
        until deadline: ContinuousClock.Instant?
    ) throws(StateClientError) -> [StreamItem] {
        connectLimit = deadline
        defer { connectLimit = nil }
        while true {
            let items = try take(maximum: maximum)
            guard items.isEmpty else { return items }
            if let deadline, deadline <= .now { return [] }
            let next = [self.deadline, deadline].compactMap(\.self).min()
            _ = wakeup.sleep(untilReady: descriptor, for: POLLIN, deadline: next)
        }
    }

    /// Returns whether there is a connection, after connecting if an attempt is due.
    private func isConnected() throws(StreamResumption.End) -> Bool {
        guard connection == nil else { return true }
        guard let retry else { return false }
        if retry > .now {
            guard watch.takeAppearance() else { return false }
            resumption.socketAppeared()
        }
        self.retry = nil
        updateLocation()
        let parameters = resumption.parameters
        let helloDeadline = ContinuousClock.now.advanced(by: resumption.helloTimeout)
        connection = try failing { () throws(StateClientError) in
            let timeout = connectTimeout.map { ContinuousClock.now.advanced(by: $0) } ?? helloDeadline
            let deadline = min(timeout, connectLimit ?? timeout)
            let connection = try AgentConnection(to: location, wakeup: wakeup, deadline: deadline)
            try connection.send("subscribe", parameters: parameters, wantsMore: true, deadline: deadline)
            return connection
        }
        self.helloDeadline = helloDeadline
        return true
    }

    /// Moves to the present location of the agent, which may have started at another one since.
    ///
    /// After the first hello the stream stays with its agent, whose restart must not lead to another one.
    private func updateLocation() {
        guard !resumption.hasBegun, case let found = locate(), found != location else { return }
        location = found
        watch = SocketWatch(found)
    }

    /// Ends a connection on which the agent is silent: it hangs, or was stopped.
    private func checkForHello() throws(StreamResumption.End) {
        if resumption.isOpen { helloDeadline = nil }
        guard let helloDeadline, helloDeadline <= .now else { return }
        throw .failed(.timedOut(socket: location.path))
    }

    private func read(_ items: inout [StreamItem], _ maximum: Int) throws(StreamResumption.End) {
        hasMore = false
        for _ in 0..<maximum {
            let line = try failing { () throws(StateClientError) in try connection?.nextLineWithoutWaiting() }
            guard let line else { return }
            let (event, dropped) = try event(in: line)
            let received = try resumption.receive(event)
            if dropped > 0 { items.append(.dropped(dropped)) }
            items += received
        }
        hasMore = true
    }

    private func failing<Value: ~Copyable>(
        _ body: () throws(StateClientError) -> Value
    ) throws(StreamResumption.End) -> Value {
        do throws(StateClientError) {
            return try body()
        } catch {
            throw .failed(error)
        }
    }

    /// Returns the event in a reply's parameters, and the number of events that were dropped before it.
    private func event(
        in line: ArraySlice<UInt8>
    ) throws(StreamResumption.End) -> (event: StreamLine, dropped: UInt64) {
        switch try failing({ () throws(StateClientError) in try Reply(line) }) {
        case .error(let error): throw .refused(error)
        case .parameters(let parameters, let dropped):
            guard let event = StreamLine(Array(parameters)) else {
                throw .failed(.malformed("a reply is not an event"))
            }
            return (event, dropped)
        }
    }
}

extension StateClient {
    /// Creates a reader of the agent's current state and later events, or of the events after a number.
    ///
    /// The reader connects in the first call of ``StateReader/take(maximum:)``.
    ///
    /// - Parameter connectTimeout: The maximum time that an attempt to connect waits for an agent with many other clients;
    ///   `nil` for the time for which the agent may be silent.
    /// - Throws: ``StateClientError`` if no descriptor is left.
    package func reader(
        _ subscription: StateSubscription,
        connectTimeout: Duration? = .milliseconds(300)
    ) throws(StateClientError) -> StateReader {
        StateReader(locate, subscription, wakeup: try .make(), connectTimeout: connectTimeout)
    }

    /// Sends one request and decodes its one reply; blocks the calling thread.
    ///
    /// - Throws: As ``call(_:parameters:timeout:as:)``.
    package func callAndWait<Reply: Decodable>(
        _ method: String,
        parameters: [UInt8],
        timeout: Duration,
        as type: Reply.Type
    ) throws(StateClientError) -> Reply {
        let reply = try Self.call(method, parameters, at: location, .make(), .now.advanced(by: timeout))
        return try Self.decode(type, from: reply, to: method)
    }
}
