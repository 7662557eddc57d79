internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// The agent's events as one stream over all connections.
///
/// ```swift
/// for try await item in StateClient().events(StateSubscription(types: ["reachability.changed"])) {
///     if case .event(let line) = item { print(String(decoding: line.bytes, as: UTF8.self)) }
/// }
/// ```
///
/// Each iteration has its own connection and thread, from its first item to its end. Items that the consumer does not
/// take stay in the socket; if the agent then closes the connection to this slow reader, the stream resumes from the
/// journal. The end of the task or of the iterator ends the connection; for a cancelled task the stream ends. An agent
/// that takes a connection and is silent for 10 s counts as lost; this time doubles with each such connection, up to
/// 160 s. Without a named socket, the agent is looked for anew at each attempt; once found, the stream stays with it.
public struct StateStream: AsyncSequence, Sendable {
    /// The elements of the stream.
    public typealias Element = StreamItem
    /// The reason for the stream's end, unless it was cancelled.
    public typealias Failure = StateClientError

    private let locate: @Sendable () -> SocketLocation
    private let subscription: StateSubscription

    init(_ locate: @escaping @Sendable () -> SocketLocation, _ subscription: StateSubscription) {
        self.locate = locate
        self.subscription = subscription
    }

    /// Creates an iterator, which connects on the first call of its `next`.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(locate, subscription) }

    /// The position of one consumer in the stream; for one task at a time.
    public final class AsyncIterator: AsyncIteratorProtocol {
        private let locate: @Sendable () -> SocketLocation
        private let subscription: StateSubscription
        private var pump: StreamPump?

        fileprivate init(_ locate: @escaping @Sendable () -> SocketLocation, _ subscription: StateSubscription) {
            self.locate = locate
            self.subscription = subscription
        }

        deinit { pump?.cancel() }

        /// Returns the next item; `nil` if the task was cancelled.
        ///
        /// - Throws: ``StateClientError`` if a retry is useless: access to the socket is denied, it is another one than
        ///   control.sock, the agent rejects the subscription, or the connection was lost and
        ///   ``StateSubscription/reconnects`` is false. If no thread or descriptor is left for the first item, the next
        ///   call starts the stream anew.
        public func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(StateClientError) -> StreamItem? {
            if let pump { return try await pump.next() }
            let pump = try StreamPump.started(locate, subscription)
            self.pump = pump
            return try await pump.next()
        }
    }
}

extension StateClient {
    /// Returns the agent's current state and later events, or the events after a number.
    ///
    /// The stream connects when the first item is requested.
    public func events(_ subscription: StateSubscription = StateSubscription()) -> StateStream {
        StateStream(locate, subscription)
    }
}

/// Reads a stream on its own thread, and queues the items for a consumer.
///
/// The thread stops reading while the queue is full, so that the socket fills up and the agent can handle a slow
/// reader.
private final class StreamPump: Sendable {
    /// The maximum number of items that wait for the consumer.
    private static let maximumItems = 256
    private static let maximumBytes = 1 << 20

    private struct State {
        var items: [StreamItem] = []
        /// The index of the first item that was not taken.
        var first = 0
        var bytes = 0
        var consumer: CheckedContinuation<Result<StreamItem?, StateClientError>, Never>?
        /// The reason for the stream's end; delivered once.
        var end: StateClientError?
        var isFinished = false
        var isCancelled = false
        var waitsForRoom = false

        var isFull: Bool { items.count - first >= StreamPump.maximumItems || bytes >= StreamPump.maximumBytes }
        var isHalfEmpty: Bool {
            items.count - first <= StreamPump.maximumItems / 2 && bytes <= StreamPump.maximumBytes / 2
        }

        mutating func take() -> StreamItem? {
            guard first < items.count else { return nil }
            let item = items[first]
            first += 1
            bytes -= item.cost
            if first == items.count {
                items.removeAll(keepingCapacity: true)
                first = 0
            }
            return item
        }
    }

    private let locate: @Sendable () -> SocketLocation
    private let subscription: StateSubscription
    private let wakeup: Wakeup
    private let state = Mutex(State())

    /// Returns a pump with a thread that runs until the stream ends or ``cancel()`` is called.
    static func started(
        _ locate: @escaping @Sendable () -> SocketLocation,
        _ subscription: StateSubscription
    ) throws(StateClientError) -> StreamPump {
        let pump = StreamPump(locate, subscription, try Wakeup.make())
        try NamedThread.startOrThrow("state-stream") { pump.run() }
        return pump
    }

    private init(
        _ locate: @escaping @Sendable () -> SocketLocation,
        _ subscription: StateSubscription,
        _ wakeup: Wakeup
    ) {
        self.locate = locate
        self.subscription = subscription
        self.wakeup = wakeup
    }

    // MARK: Consumer

    /// Returns the next item; `nil` at the end.
    func next() async throws(StateClientError) -> StreamItem? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, makesRoom) = state.withLock { state in take(&state, orWait: continuation) }
                if makesRoom { wakeup.signal() }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func take(
        _ state: inout State,
        orWait continuation: CheckedContinuation<Result<StreamItem?, StateClientError>, Never>
    ) -> (answer: Result<StreamItem?, StateClientError>?, makesRoom: Bool) {
        if state.isCancelled { return (.success(nil), false) }
        if let item = state.take() {
            let makesRoom = state.waitsForRoom && state.isHalfEmpty
            if makesRoom { state.waitsForRoom = false }
            return (.success(item), makesRoom)
        }
        if let end = state.end {
            state.end = nil
            return (.failure(end), false)
        }
        if state.isFinished { return (.success(nil), false) }
        state.consumer = continuation
        return (nil, false)
    }

    /// Ends the stream; items that were not taken are dropped.
    func cancel() {
        let consumer = state.withLock { state in
            state.isCancelled = true
            defer { state.consumer = nil }
            return state.consumer
        }
        wakeup.signal()
        consumer?.resume(returning: .success(nil))
    }

    // MARK: Thread

    private func run() {
        let reader = StateReader(locate, subscription, wakeup: wakeup)
        repeat {
            let items: [StreamItem]
            do throws(StateClientError) {
                // Items that were received together are queued together.
                items = try reader.take(maximum: Self.maximumItems / 4)
            } catch {
                if !isCancelled { finish(error) }
                return
            }
            guard offer(items) else { return }
        } while wakeup.sleep(untilReady: reader.descriptor, for: POLLIN, deadline: reader.deadline) != .woken
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Queues items, and waits for room for more; returns `false` if the consumer has cancelled the stream.
    private func offer(_ items: [StreamItem]) -> Bool {
        let (consumer, item, isFull) = state.withLock { state in
            // The slots of taken items must not pile up if the consumer never catches up.
            state.items.removeFirst(state.first)
            state.first = 0
            state.items += items
            for item in items { state.bytes += item.cost }
            let consumer = items.isEmpty ? nil : state.consumer
            if consumer != nil { state.consumer = nil }
            let item = consumer == nil ? nil : state.take()
            state.waitsForRoom = state.isFull
            return (consumer, item, state.isFull)
        }
        consumer?.resume(returning: .success(item))
        guard isFull else { return !isCancelled }
        _ = wakeup.sleep(deadline: nil)
        wakeup.reset()
        return !isCancelled
    }

    private func finish(_ error: StateClientError) {
        let consumer = state.withLock { state in
            state.isFinished = true
            let consumer = state.consumer
            state.consumer = nil
            if consumer == nil { state.end = error }
            return consumer
        }
        consumer?.resume(returning: .failure(error))
    }
}

extension StreamItem {
    /// The approximate memory of an item, in bytes.
    fileprivate var cost: Int {
        switch self {
        case .connected(let hello): hello.line.bytes.count
        case .snapshot(let line), .event(let line): line.bytes.count
        case .interrupted, .missed, .dropped, .restarted: 64
        }
    }
}
