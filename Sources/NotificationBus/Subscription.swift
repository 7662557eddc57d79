public import Synchronization

/// Published content with its number.
public struct Notification<Content: Sendable>: Sendable {
    /// The number: one higher than that of the previous notification.
    public let sequence: UInt64
    /// The content.
    public let content: Content

    /// Creates a notification.
    @inlinable
    public init(sequence: UInt64, content: Content) {
        self.sequence = sequence
        self.content = content
    }
}

extension Notification: Equatable where Content: Equatable {}

/// A delivery to a subscriber.
public enum Delivery<Content: Sendable>: Sendable {
    /// The next notification.
    case notification(Notification<Content>)
    /// The subscriber was too slow: everything after the number was dropped, and nothing follows.
    case lagged(lastTaken: UInt64)
}

extension Delivery: Equatable where Content: Equatable {}

/// One subscriber's bounded queue.
///
/// There is one consumer: either a task that iterates, or a thread that calls ``take()`` after `whenReady`.
public final class Subscription<Content: Sendable>: Sendable, AsyncSequence {
    /// The contents of a subscription's queue.
    public enum Batch: Sendable {
        /// At least one notification.
        case notifications([Notification<Content>])
        /// The subscriber was too slow and is cut off; nothing follows.
        case lagged(lastTaken: UInt64)
        /// The queue is empty at the moment.
        case empty
        /// The subscription has ended.
        case finished
    }

    @usableFromInline
    enum Ending { case open, finished, lagged, laggedAndTold }

    @usableFromInline
    struct State {
        @usableFromInline var waiting: [Notification<Content>] = []
        /// The number of queued notifications that wakes the consumer.
        @usableFromInline var wakeThreshold = 1
        @usableFromInline var lastTaken: UInt64
        @usableFromInline var ending = Ending.open
        @usableFromInline var consumer: CheckedContinuation<Void, Never>?
        @usableFromInline var isCancelled = false

        @inlinable
        init(lastTaken: UInt64) { self.lastTaken = lastTaken }
    }

    @usableFromInline let capacity: Int
    @usableFromInline let whenReady: (@Sendable () -> Void)?
    @usableFromInline let state: Mutex<State>

    @inlinable
    init(capacity: Int, startingAfter sequence: UInt64, whenReady: (@Sendable () -> Void)?) {
        self.capacity = capacity
        self.whenReady = whenReady
        state = Mutex(State(lastTaken: sequence))
    }

    /// Takes all queued notifications.
    ///
    /// Never blocks.
    @inlinable
    public func take() -> Batch {
        state.withLock { state in
            if let last = state.waiting.last {
                state.lastTaken = last.sequence
                let batch = state.waiting
                state.waiting = []
                return .notifications(batch)
            }
            switch state.ending {
            case .open: return .empty
            case .finished, .laggedAndTold: return .finished
            case .lagged:
                state.ending = .laggedAndTold
                return .lagged(lastTaken: state.lastTaken)
            }
        }
    }

    /// Sets the number of queued notifications at which the consumer is woken: 1, unless it is set.
    ///
    /// For a consumer that has nothing to do with them for now; it may still take them at any time. It is woken at once
    /// if so many are queued already. A cut-off and the end of the subscription wake it immediately.
    @inlinable
    public func setWakeThreshold(_ count: Int) {
        let isReached = state.withLock { state in
            state.wakeThreshold = Swift.max(1, Swift.min(count, capacity))
            return state.waiting.count >= state.wakeThreshold
        }
        if isReached { wake() }
    }

    /// Adds a notification; returns whether the consumer must be woken, and whether it was too slow and is cut off.
    @inlinable
    func offer(_ notification: Notification<Content>) -> (wakes: Bool, isCut: Bool) {
        state.withLock { state in
            guard state.ending == .open else { return (false, true) }
            guard state.waiting.count < capacity else {
                // A queue with a gap after it is useless: the consumer gets a single gap, after its last notification.
                state.waiting = []
                state.ending = .lagged
                return (true, true)
            }
            state.waiting.append(notification)
            return (state.waiting.count == state.wakeThreshold, false)
        }
    }

    /// Ends the subscription after its queue; returns whether the consumer must be woken.
    @inlinable
    func finish() -> Bool {
        state.withLock { state in
            guard state.ending == .open else { return false }
            state.ending = .finished
            return true
        }
    }

    @inlinable
    func wake() {
        if let whenReady { return whenReady() }
        let consumer = state.withLock { state in
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
    }
}

// MARK: - For a task

extension Subscription {
    /// Iterates over the deliveries; only one iterator may be used.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let subscription: Subscription<Content>
        @usableFromInline var taken: ArraySlice<Notification<Content>> = []

        @inlinable
        init(subscription: Subscription<Content>) { self.subscription = subscription }

        /// Returns the next delivery; `nil` at the end, or when the task was cancelled, even with queued notifications.
        @inlinable
        public mutating func next() async -> Delivery<Content>? {
            while true {
                if Task.isCancelled { return nil }
                if let notification = taken.popFirst() { return .notification(notification) }
                switch subscription.take() {
                case .notifications(let batch): taken = batch[...]
                case .lagged(let last): return .lagged(lastTaken: last)
                case .finished: return nil
                case .empty: guard await subscription.waitUntilReady() else { return nil }
                }
            }
        }
    }

    /// Returns an iterator that consumes the deliveries.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    /// Waits until the queue is not empty; `false` when the task was cancelled.
    @inlinable
    func waitUntilReady() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isReady = state.withLock { state in
                    guard state.waiting.isEmpty, state.ending == .open, !state.isCancelled else { return true }
                    state.consumer = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let consumer = state.withLock { state in
                state.isCancelled = true
                defer { state.consumer = nil }
                return state.consumer
            }
            consumer?.resume()
        }
        return !state.withLock { $0.isCancelled }
    }
}
