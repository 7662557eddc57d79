internal import Synchronization

/// Numbers what is published and hands it to every subscriber, in order, without waiting for any of them.
///
/// See the module's documentation for the contract on ordering, on slow subscribers, and on the recorder.
public final class NotificationBus<Content: Sendable>: Sendable {
    private struct State {
        var nextSequence: UInt64
        var subscriptions: [ObjectIdentifier: Subscription<Content>] = [:]
        var isFinished = false
        /// Who is given everything before all others.
        var recorder: Subscription<Content>?
        /// What the recorder has been given and has not released.
        var held: [Notification<Content>] = []
        /// Nothing is held while the recorder is too slow.
        var isBypassed = false

        /// The number of the newest notification that the subscribers were given.
        var lastReleased: UInt64 { (held.first?.sequence ?? nextSequence) - 1 }
    }

    private let state: Mutex<State>
    private let whenHeld: (@Sendable (Bool) -> Void)?

    /// A bus whose first notification gets the number `firstSequence`.
    ///
    /// - Parameters:
    ///   - firstSequence: The number of the first notification, at least 1.
    ///   - whenHeld: Called with `true` when something begins to wait for the recorder, and whenever the recorder releases
    ///     a part of what waits; with `false` when nothing waits any more. Under the bus's lock: it must be quick. For a
    ///     timer that calls ``bypassRecorder()``: a recorder that makes progress is slow, and does not hang.
    public init(firstSequence: UInt64 = 1, whenHeld: (@Sendable (Bool) -> Void)? = nil) {
        state = Mutex(State(nextSequence: max(1, firstSequence)))
        self.whenHeld = whenHeld
    }

    /// The number of the newest notification; one less than the first number while nothing was published.
    public var lastSequence: UInt64 { state.withLock { $0.nextSequence - 1 } }

    /// The number of the newest notification that subscribers were given.
    public var lastReleased: UInt64 { state.withLock { $0.lastReleased } }

    /// Whether the recorder was too slow, and subscribers are given everything without waiting for it.
    public var isRecorderBypassed: Bool { state.withLock { $0.isBypassed } }

    /// Publishes the content that `make` gives for a number.
    ///
    /// `make` runs while the bus is locked, so that numbers and deliveries have one order. It must be quick, and must not
    /// use the bus. Safe from any thread; never waits for a subscriber, nor for the recorder.
    ///
    /// - Returns: The notification, or `nil` when the bus is finished; `make` was not called then.
    @discardableResult
    public func publish(_ make: (UInt64) -> Content) -> Notification<Content>? {
        change { state, woken in
            guard !state.isFinished else { return nil }
            let notification = Notification(sequence: state.nextSequence, content: make(state.nextSequence))
            state.nextSequence += 1
            offerToRecorder(notification, &state, &woken)
            guard state.recorder != nil, !state.isBypassed else {
                deliver(notification, &state, &woken)
                return notification
            }
            if state.held.isEmpty { whenHeld?(true) }
            state.held.append(notification)
            return notification
        }
    }

    /// Subscribes to everything that subscribers are given from now on.
    ///
    /// - Parameters:
    ///   - capacity: How many notifications may wait; at least 1. One more, and the subscriber is cut off.
    ///   - whenReady: Called when something is there to take after nothing was: on the publisher's or the recorder's
    ///     thread, so it must not block. Without it, iterate over the subscription.
    public func subscribe(
        capacity: Int,
        whenReady: (@Sendable () -> Void)? = nil
    ) -> Subscription<Content> {
        state.withLock { state in
            let subscription = Subscription<Content>(
                capacity: max(1, capacity),
                startingAfter: state.lastReleased,
                whenReady: whenReady
            )
            if state.isFinished, state.held.isEmpty {
                _ = subscription.finish()
            } else {
                state.subscriptions[ObjectIdentifier(subscription)] = subscription
            }
            return subscription
        }
    }

    /// Ends a subscription: it is given nothing more.
    ///
    /// A recorder's subscription too; what it has not released is released.
    public func cancel(_ subscription: Subscription<Content>) {
        change { state, woken in
            if state.recorder === subscription {
                state.recorder = nil
                release(through: .max, &state, &woken)
            }
            state.subscriptions.removeValue(forKey: ObjectIdentifier(subscription))
            if subscription.finish() { woken.append(subscription) }
        }
    }

    /// Ends the bus: nothing more can be published, and every subscription ends when what waits in it was taken.
    ///
    /// What waits for the recorder is still released by it.
    public func finish() {
        change { state, woken in
            state.isFinished = true
            if let recorder = state.recorder, recorder.finish() { woken.append(recorder) }
            finishSubscriptionsAtTheEnd(&state, &woken)
        }
    }

    // MARK: The recorder

    /// Subscribes as the recorder: it is given each notification first, and the others only when it releases it.
    ///
    /// There is one recorder; a second call replaces the first recorder, whose subscription ends. A recorder whose queue
    /// is full is cut off like any subscriber, and bypassed: everything is released, and nothing is held any more until a
    /// recorder subscribes again.
    ///
    /// - Parameters:
    ///   - capacity: How many notifications may wait for the recorder; at least 1.
    ///   - whenReady: As in ``subscribe(capacity:whenReady:)``.
    public func subscribeRecorder(
        capacity: Int,
        whenReady: (@Sendable () -> Void)? = nil
    ) -> Subscription<Content> {
        change { state, woken in
            if let former = state.recorder, former.finish() { woken.append(former) }
            release(through: .max, &state, &woken)
            let subscription = Subscription<Content>(
                capacity: max(1, capacity),
                startingAfter: state.nextSequence - 1,
                whenReady: whenReady
            )
            state.isBypassed = false
            state.recorder = subscription
            if state.isFinished { _ = subscription.finish() }
            return subscription
        }
    }

    /// Hands everything up to a number to the subscribers: the recorder's word that it is recorded.
    ///
    /// A recorder that was bypassed is waited for again once it has caught up with the newest number.
    public func release(through sequence: UInt64) {
        change { state, woken in
            release(through: sequence, &state, &woken)
            if state.recorder != nil, sequence >= state.nextSequence - 1 { state.isBypassed = false }
        }
    }

    /// Hands everything that waits for the recorder to the subscribers, and waits for it no longer, until it catches up.
    ///
    /// For a recorder that hangs; it is still given everything, as far as its capacity goes.
    public func bypassRecorder() {
        change { state, woken in
            guard !state.held.isEmpty else { return }
            release(through: .max, &state, &woken)
            state.isBypassed = true
        }
    }

    // MARK: Under the lock

    /// Changes the state, and wakes whom the change has given something once the lock is free.
    private func change<Result: Sendable>(
        _ body: (inout State, inout [Subscription<Content>]) -> Result
    ) -> Result {
        var woken: [Subscription<Content>] = []
        let result = state.withLock { body(&$0, &woken) }
        for subscription in woken { subscription.wake() }
        return result
    }

    private func offerToRecorder(
        _ notification: Notification<Content>,
        _ state: inout State,
        _ woken: inout [Subscription<Content>]
    ) {
        guard let recorder = state.recorder else { return }
        let outcome = recorder.offer(notification)
        if outcome.wakes { woken.append(recorder) }
        guard outcome.isCut else { return }
        state.recorder = nil
        state.isBypassed = true
        release(through: .max, &state, &woken)
    }

    private func deliver(
        _ notification: Notification<Content>,
        _ state: inout State,
        _ woken: inout [Subscription<Content>]
    ) {
        for (id, subscription) in state.subscriptions {
            let outcome = subscription.offer(notification)
            if outcome.isCut { state.subscriptions[id] = nil }
            if outcome.wakes { woken.append(subscription) }
        }
    }

    private func release(through sequence: UInt64, _ state: inout State, _ woken: inout [Subscription<Content>]) {
        guard !state.held.isEmpty else { return }
        let count = state.held.prefix { $0.sequence <= sequence }.count
        for notification in state.held.prefix(count) { deliver(notification, &state, &woken) }
        state.held.removeFirst(count)
        guard state.held.isEmpty else {
            if count > 0 { whenHeld?(true) }
            return
        }
        whenHeld?(false)
        finishSubscriptionsAtTheEnd(&state, &woken)
    }

    private func finishSubscriptionsAtTheEnd(_ state: inout State, _ woken: inout [Subscription<Content>]) {
        guard state.isFinished, state.held.isEmpty else { return }
        for subscription in state.subscriptions.values where subscription.finish() { woken.append(subscription) }
        state.subscriptions = [:]
    }
}
