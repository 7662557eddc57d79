internal import Synchronization

/// Numbers what is published and hands it to every subscriber, in order, without waiting for any of them.
///
/// See the module's documentation for the contract on ordering and on slow subscribers.
public final class NotificationBus<Content: Sendable>: Sendable {
    private struct State {
        var nextSequence: UInt64
        var subscriptions: [ObjectIdentifier: Subscription<Content>] = [:]
        var isFinished = false
    }

    private let state: Mutex<State>

    /// A bus whose first notification gets the number `firstSequence`.
    public init(firstSequence: UInt64 = 1) {
        state = Mutex(State(nextSequence: firstSequence))
    }

    /// The number of the newest notification; one less than the first number while nothing was published.
    public var lastSequence: UInt64 { state.withLock { $0.nextSequence - 1 } }

    /// Publishes the content that `make` gives for a number.
    ///
    /// `make` runs while the bus is locked, so that numbers and deliveries have one order. It must be quick, and must not
    /// use the bus. Safe from any thread; never waits for a subscriber.
    ///
    /// - Returns: The notification, or `nil` when the bus is finished; `make` was not called then.
    @discardableResult
    public func publish(_ make: (UInt64) -> Content) -> Notification<Content>? {
        var woken: [Subscription<Content>] = []
        let notification = state.withLock { state -> Notification<Content>? in
            guard !state.isFinished else { return nil }
            let notification = Notification(sequence: state.nextSequence, content: make(state.nextSequence))
            state.nextSequence += 1
            for (id, subscription) in state.subscriptions {
                let outcome = subscription.offer(notification)
                if outcome.isCut { state.subscriptions[id] = nil }
                if outcome.wakes { woken.append(subscription) }
            }
            return notification
        }
        for subscription in woken { subscription.wake() }
        return notification
    }

    /// Subscribes to everything that is published from now on.
    ///
    /// - Parameters:
    ///   - capacity: How many notifications may wait; at least 1. One more, and the subscriber is cut off.
    ///   - whenReady: Called when something is there to take after nothing was: on the publisher's thread, so it must
    ///     not block. Without it, iterate over the subscription.
    public func subscribe(
        capacity: Int,
        whenReady: (@Sendable () -> Void)? = nil
    ) -> Subscription<Content> {
        state.withLock { state in
            let subscription = Subscription<Content>(
                capacity: max(1, capacity),
                startingAfter: state.nextSequence - 1,
                whenReady: whenReady
            )
            if state.isFinished {
                _ = subscription.finish()
            } else {
                state.subscriptions[ObjectIdentifier(subscription)] = subscription
            }
            return subscription
        }
    }

    /// Ends a subscription: it is given nothing more.
    public func cancel(_ subscription: Subscription<Content>) {
        _ = state.withLock { $0.subscriptions.removeValue(forKey: ObjectIdentifier(subscription)) }
        if subscription.finish() { subscription.wake() }
    }

    /// Ends the bus: nothing more can be published, and every subscription ends when what waits in it was taken.
    public func finish() {
        let subscriptions = state.withLock { state in
            state.isFinished = true
            defer { state.subscriptions = [:] }
            return state.subscriptions.values
        }
        for subscription in subscriptions where subscription.finish() { subscription.wake() }
    }
}
