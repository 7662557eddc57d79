/// The agent's events, as one stream over all connections.
///
/// ```swift
/// for try await item in StateClient().events(StateSubscription(types: ["reachability.changed"])) {
///     if case .event(let line) = item { print(String(decoding: line.bytes, as: UTF8.self)) }
/// }
/// ```
///
/// Each iteration has a connection and a thread of its own, from its first item to its end. What the consumer does not
/// take stays in the socket; an agent that notices cuts the connection, and the stream goes on from the journal. The
/// end of the task, or of the iterator, ends the connection; a cancelled task sees the stream's end.
public struct StateStream: AsyncSequence, Sendable {
    /// The elements of the stream.
    public typealias Element = StreamItem
    /// The reason of its end, unless it was cancelled.
    public typealias Failure = ClientError

    private let location: SocketLocation
    private let subscription: StateSubscription

    init(_ location: SocketLocation, _ subscription: StateSubscription) {
        self.location = location
        self.subscription = subscription
    }

    /// Begins to follow.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(location, subscription) }

    /// One consumer's place in the stream; for one task at a time.
    public final class AsyncIterator: AsyncIteratorProtocol {
        private let location: SocketLocation
        private let subscription: StateSubscription
        private var pump: StreamPump?

        fileprivate init(_ location: SocketLocation, _ subscription: StateSubscription) {
            self.location = location
            self.subscription = subscription
        }

        deinit { pump?.cancel() }

        /// The next item; `nil` when the task was cancelled.
        ///
        /// - Throws: ``ClientError`` when it makes no sense to try again: the socket may not be used, the agent refuses
        ///   the subscription, or the connection was lost and ``StateSubscription/reconnects`` is false.
        public func next(isolation actor: isolated (any Actor)? = #isolation) async throws(ClientError) -> StreamItem? {
            if let pump { return try await pump.next() }
            let pump = try StreamPump.started(location, subscription)
            self.pump = pump
            return try await pump.next()
        }
    }
}

extension StateClient {
    /// The agent's state and events from now on, or from a number on.
    ///
    /// Nothing is connected before the first item is asked for.
    public func events(_ subscription: StateSubscription = StateSubscription()) -> StateStream {
        StateStream(location, subscription)
    }
}
