internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// Reads a stream on a thread of its own and hands it over to a consumer that takes its time.
///
/// The thread reads no further while the consumer has enough to do, so that the socket fills up and the agent sees a
/// slow reader, which it knows how to deal with.
final class StreamPump: Sendable {
    /// The maximum number of items that wait for the consumer.
    private static let maximumItems = 256
    private static let maximumBytes = 1 << 20

    private struct State {
        var items: [StreamItem] = []
        /// The first item that was not taken.
        var first = 0
        var bytes = 0
        var consumer: CheckedContinuation<Result<StreamItem?, ClientError>, Never>?
        /// The reason of the stream's end; delivered once.
        var end: ClientError?
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

    private let location: SocketLocation
    private let subscription: StateSubscription
    private let wakeup: Wakeup
    private let state = Mutex(State())

    /// A pump whose thread runs until the stream ends or ``cancel()`` is called.
    static func started(_ location: SocketLocation, _ subscription: StateSubscription) throws(ClientError) -> StreamPump
    {
        let pump = StreamPump(location, subscription, try Wakeup.make())
        try NamedThread.startOrThrow("state-stream") { pump.run() }
        return pump
    }

    private init(_ location: SocketLocation, _ subscription: StateSubscription, _ wakeup: Wakeup) {
        self.location = location
        self.subscription = subscription
        self.wakeup = wakeup
    }

    // MARK: The consumer's side

    /// The next item; `nil` at the end.
    func next() async throws(ClientError) -> StreamItem? {
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
        orWait continuation: CheckedContinuation<Result<StreamItem?, ClientError>, Never>
    ) -> (answer: Result<StreamItem?, ClientError>?, makesRoom: Bool) {
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

    /// Ends the stream; what was not taken is dropped.
    func cancel() {
        let consumer = state.withLock { state in
            state.isCancelled = true
            defer { state.consumer = nil }
            return state.consumer
        }
        wakeup.signal()
        consumer?.resume(returning: .success(nil))
    }

    // MARK: The thread's side

    private func run() {
        let reader = StateReader(location, subscription, wakeup: wakeup)
        repeat {
            let items: [StreamItem]
            do throws(ClientError) {
                // What has come together is handed over together.
                items = try reader.take(maximum: Self.maximumItems / 4)
            } catch {
                if !isCancelled { finish(error) }
                return
            }
            guard offer(items) else { return }
        } while wakeup.sleep(untilReady: reader.descriptor, for: POLLIN, deadline: reader.deadline) != .woken
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Hands items over and waits until there is room for more; `false` when nobody wants them any more.
    private func offer(_ items: [StreamItem]) -> Bool {
        let (consumer, item, isFull) = state.withLock { state in
            // A consumer that never quite catches up must not leave ever more taken places behind.
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

    private func finish(_ error: ClientError) {
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
    /// The approximate number of bytes that an item keeps.
    fileprivate var cost: Int {
        switch self {
        case .connected(let hello): hello.line.bytes.count
        case .snapshot(let line), .event(let line): line.bytes.count
        case .interrupted, .missed, .restarted: 64
        }
    }
}
