internal import Glibc
internal import LinuxSupport

/// The agent's events for a program that sleeps in poll(2) by itself: the stream of ``StateStream``, without a task.
///
/// Belongs to one thread, which sleeps until ``descriptor`` is readable or ``deadline`` is over, and then calls
/// ``take(maximum:)``. A thread that does not call it lets the agent wait, which cuts the connection at last; the stream
/// then resumes from the journal.
package final class StateReader {
    private let location: SocketLocation
    private let wakeup: Wakeup
    private let connectTimeout: Duration?
    private let watch: SocketWatch
    private var resumption: StreamResumption
    private var connection: AgentConnection?
    /// The moment of the next attempt to connect, without a connection.
    private var retry: ContinuousClock.Instant?
    /// The reason of the stream's end, until it is thrown.
    private var failure: ClientError?
    /// `true` when the last call left lines behind that have been received already.
    private var hasMore = false

    /// A reader whose time limit applies to one attempt to connect.
    ///
    /// - Throws: ``ClientError`` when there is no descriptor left.
    package convenience init(
        _ location: SocketLocation,
        _ subscription: StateSubscription,
        connectTimeout: Duration
    ) throws(ClientError) {
        self.init(location, subscription, wakeup: try .make(), connectTimeout: connectTimeout)
    }

    /// A reader that a wake-up ends with ``ClientError/cancelled`` where it has to wait inside of ``take(maximum:)``.
    ///
    /// - Parameter connectTimeout: The maximum time that an attempt to connect waits for an agent with many other clients.
    init(
        _ location: SocketLocation,
        _ subscription: StateSubscription,
        wakeup: Wakeup,
        connectTimeout: Duration? = nil
    ) {
        self.location = location
        self.wakeup = wakeup
        self.connectTimeout = connectTimeout
        watch = SocketWatch(location)
        resumption = StreamResumption(subscription)
        retry = .now
    }

    /// The descriptor to wait for until it is readable; negative for none.
    package var descriptor: Int32 { connection?.descriptor ?? (retry == nil ? -1 : watch.descriptor) }

    /// The moment at which ``take(maximum:)`` has something to do by itself; `nil` for none.
    package var deadline: ContinuousClock.Instant? { hasMore || failure != nil ? .now : retry }

    /// Takes what has come, and connects when it is time to.
    ///
    /// - Parameter maximum: The number of lines after which the rest is left for the next call.
    /// - Throws: ``ClientError`` when it makes no sense to try again, as ``StateStream/AsyncIterator/next(isolation:)``.
    package func take(maximum: Int) throws(ClientError) -> [StreamItem] {
        if let failure {
            self.failure = nil
            throw failure
        }
        var items: [StreamItem] = []
        do throws(StreamResumption.End) {
            guard try isConnected() else { return [] }
            try read(&items, maximum)
        } catch {
            connection = nil
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

    /// Connects if there is no connection and it is time for one; `false` when it is not.
    private func isConnected() throws(StreamResumption.End) -> Bool {
        guard connection == nil else { return true }
        guard let retry else { return false }
        if retry > .now {
            guard watch.takeAppearance() else { return false }
            resumption.socketAppeared()
        }
        self.retry = nil
        let parameters = resumption.parameters
        connection = try failing { () throws(ClientError) in
            let deadline = connectTimeout.map { ContinuousClock.now.advanced(by: $0) }
            let connection = try AgentConnection(to: location, wakeup: wakeup, deadline: deadline)
            try connection.send("subscribe", parameters: parameters, wantsMore: true, deadline: deadline)
            return connection
        }
        return true
    }

    private func read(_ items: inout [StreamItem], _ maximum: Int) throws(StreamResumption.End) {
        hasMore = false
        for _ in 0..<maximum {
            let line = try failing { () throws(ClientError) in try connection?.nextLineWithoutWaiting() }
            guard let line else { return }
            items += try resumption.receive(try event(in: line))
        }
        hasMore = true
    }

    private func failing<Value: ~Copyable>(
        _ body: () throws(ClientError) -> Value
    ) throws(StreamResumption.End) -> Value {
        do throws(ClientError) {
            return try body()
        } catch {
            throw .failed(error)
        }
    }

    /// The event that is a reply's parameters.
    private func event(in line: ArraySlice<UInt8>) throws(StreamResumption.End) -> StreamLine {
        switch try failing({ () throws(ClientError) in try Reply(line) }) {
        case .error(let error): throw .refused(error)
        case .parameters(let parameters):
            guard let event = StreamLine(Array(parameters)) else { throw .failed(.malformed("a reply is no event")) }
            return event
        }
    }
}

extension StateClient {
    /// A reader of the agent's state and events from now on, or from a number on.
    ///
    /// Nothing is connected before the first call of ``StateReader/take(maximum:)``.
    ///
    /// - Throws: ``ClientError`` when there is no descriptor left.
    package func reader(_ subscription: StateSubscription) throws(ClientError) -> StateReader {
        try StateReader(location, subscription, connectTimeout: .milliseconds(300))
    }

    /// Sends one request and decodes its one reply, while the calling thread waits.
    ///
    /// - Throws: As ``call(_:parameters:timeout:as:)``.
    package func callAndWait<Reply: Decodable>(
        _ method: String,
        parameters: [UInt8],
        timeout: Duration,
        as type: Reply.Type
    ) throws(ClientError) -> Reply {
        let reply = try Self.call(method, parameters, at: location, .make(), .now.advanced(by: timeout))
        return try Self.decode(type, from: reply, to: method)
    }
}
