public import Synchronization

/// Numbers notifications and delivers them to every subscriber, in order, without waiting for any.
///
/// The module's documentation has the contract on ordering, slow subscribers, and the recorder. Everything is inlinable, so
/// that it is compiled for the content: generic code would look up its metadata for each notification.
public final class NotificationBus<Content: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var nextSequence: UInt64
        /// The subscriptions, in the order of subscription, in which they are woken.
        @usableFromInline var subscriptions: [Subscription<Content>] = []
        @usableFromInline var isFinished = false
        /// The subscriber that receives everything before all others.
        @usableFromInline var recorder: Subscription<Content>?
        /// The notifications that subscribers have not got: those that wait for the recorder, and behind a released part
        /// of them the rest.
        @usableFromInline var held: [Notification<Content>] = []
        /// The number up to which the recorder has released them.
        @usableFromInline var releasedThrough: UInt64 = 0
        /// `true` while the recorder is too slow: nothing waits for it.
        @usableFromInline var isBypassed = false

        /// The number of the newest notification delivered to the subscribers.
        @inlinable var lastReleased: UInt64 { (held.first?.sequence ?? nextSequence) - 1 }
        /// `true` while a notification waits for the recorder.
        @inlinable var isWaiting: Bool { held.last.map { $0.sequence > releasedThrough } ?? false }

        @inlinable
        init(nextSequence: UInt64) { self.nextSequence = nextSequence }
    }

    /// The number of released notifications that are delivered before the subscribers are woken: less than their
    /// capacities, so that a long wait for the recorder cuts off none that is fast.
    @inlinable static var portion: Int { 1024 }

    @usableFromInline let state: Mutex<State>
    @usableFromInline let whenHeld: (@Sendable (Bool) -> Void)?

    /// Creates a bus.
    ///
    /// - Parameters:
    ///   - firstSequence: The number of the first notification, at least 1.
    ///   - whenHeld: Called with `true` when a notification starts to wait for the recorder, and whenever the recorder
    ///     releases some of those waiting; with `false` when none is waiting any more. Called with the bus's lock held:
    ///     it must be quick. For a timer that calls ``bypassRecorder()``: a recorder that makes progress is slow, but
    ///     does not hang.
    @inlinable
    public init(firstSequence: UInt64 = 1, whenHeld: (@Sendable (Bool) -> Void)? = nil) {
        state = Mutex(State(nextSequence: max(1, firstSequence)))
        self.whenHeld = whenHeld
    }

    /// The number of the newest notification, or one less than the first number if there is none.
    @inlinable public var lastSequence: UInt64 { state.withLock { $0.nextSequence - 1 } }

    /// The number of the newest notification delivered to subscribers.
    @inlinable public var lastReleased: UInt64 { state.withLock { $0.lastReleased } }

    /// `true` if the recorder was too slow, and subscribers do not wait for it.
    @inlinable public var isRecorderBypassed: Bool { state.withLock { $0.isBypassed } }

    /// Publishes the content that `make` returns for a number.
    ///
    /// `make` runs with the bus locked, so that numbers and deliveries have one order. It must be quick, and must not
    /// use the bus. Safe to call from any thread; never waits for a subscriber, nor for the recorder.
    ///
    /// - Returns: The notification, or `nil` when the bus is finished; `make` was not called then.
    @inlinable
    @discardableResult
    public func publish(_ make: (UInt64) -> Content) -> Notification<Content>? {
        change { state, woken in
            guard !state.isFinished else { return nil }
            let notification = Notification(sequence: state.nextSequence, content: make(state.nextSequence))
            state.nextSequence += 1
            offerToRecorder(notification, &state, &woken)
            let isHeld = state.recorder != nil && !state.isBypassed
            if isHeld, !state.isWaiting { whenHeld?(true) }
            if isHeld || !state.held.isEmpty {
                state.held.append(notification)
                if !isHeld { releaseAll(&state) }
            } else {
                deliver(notification, &state, &woken)
            }
            return notification
        }
    }

    /// Subscribes to all later deliveries.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of queued notifications; at least 1. A subscriber that exceeds it is cut off.
    ///   - whenReady: Called when the queue is no longer empty, or has reached the subscription's wake threshold: on the
    ///     publisher's or the recorder's thread, so it must not block; earlier subscribers are called first. Without it,
    ///     iterate over the subscription.
    @inlinable
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
                state.subscriptions.append(subscription)
            }
            return subscription
        }
    }

    /// Cancels a subscription.
    ///
    /// If it is that of the recorder, its held notifications are released.
    @inlinable
    public func cancel(_ subscription: Subscription<Content>) {
        change { state, woken in
            if state.recorder === subscription {
                state.recorder = nil
                releaseAll(&state)
            }
            state.subscriptions.removeAll { $0 === subscription }
            if subscription.finish() { woken.append(subscription) }
        }
    }

    /// Ends the bus: nothing more can be published, and every subscription ends after its queue.
    ///
    /// The recorder still releases held notifications.
    @inlinable
    public func finish() {
        change { state, woken in
            state.isFinished = true
            if let recorder = state.recorder, recorder.finish() { woken.append(recorder) }
            finishSubscriptionsAtTheEnd(&state, &woken)
        }
    }

    // MARK: The recorder

    /// Subscribes as the recorder: it receives each notification first, and the others receive it once the recorder
    /// releases it.
    ///
    /// There is one recorder; a second call replaces the first recorder, whose subscription ends. A recorder whose
    /// queue is full is cut off like any subscriber, and bypassed: everything is released, and nothing is held until a
    /// recorder subscribes again.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of notifications queued for the recorder; at least 1.
    ///   - whenReady: As in ``subscribe(capacity:whenReady:)``.
    @inlinable
    public func subscribeRecorder(
        capacity: Int,
        whenReady: (@Sendable () -> Void)? = nil
    ) -> Subscription<Content> {
        change { state, woken in
            if let former = state.recorder, former.finish() { woken.append(former) }
            releaseAll(&state)
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

    /// Delivers everything up to a number to the subscribers: called by the recorder once it is recorded.
    ///
    /// The bus waits for a bypassed recorder again once it has caught up with the newest number.
    @inlinable
    public func release(through sequence: UInt64) {
        change { state, _ in
            release(through: sequence, &state)
            if state.recorder != nil, sequence >= state.nextSequence - 1 { state.isBypassed = false }
        }
    }

    /// Delivers all held notifications to the subscribers, and stops waiting for the recorder until it catches up.
    ///
    /// For a recorder that hangs; it still receives everything, up to its capacity.
    @inlinable
    public func bypassRecorder() {
        change { state, _ in
            guard state.isWaiting else { return }
            releaseAll(&state)
            state.isBypassed = true
        }
    }

    // MARK: With the lock held

    /// Changes the state, and wakes the affected subscribers once the lock is released; then delivers the rest of what was
    /// released in the same way.
    @inlinable
    func change<Result: Sendable>(
        _ body: (inout State, inout [Subscription<Content>]) -> Result
    ) -> Result {
        var woken: [Subscription<Content>] = []
        var isMoreReleased = false
        let result = state.withLock { state in
            defer { isMoreReleased = deliverReleased(&state, &woken) }
            return body(&state, &woken)
        }
        for subscription in woken { subscription.wake() }
        while isMoreReleased {
            woken = []
            isMoreReleased = state.withLock { deliverReleased(&$0, &woken) }
            for subscription in woken { subscription.wake() }
        }
        return result
    }

    @inlinable
    func offerToRecorder(
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
        releaseAll(&state)
    }

    @inlinable
    func deliver(
        _ notification: Notification<Content>,
        _ state: inout State,
        _ woken: inout [Subscription<Content>]
    ) {
        var cut: [Subscription<Content>] = []
        for subscription in state.subscriptions {
            let outcome = subscription.offer(notification)
            if outcome.isCut { cut.append(subscription) }
            if outcome.wakes { woken.append(subscription) }
        }
        guard !cut.isEmpty else { return }
        state.subscriptions.removeAll { subscription in cut.contains { $0 === subscription } }
    }

    /// Lets held notifications be delivered.
    @inlinable
    func release(through sequence: UInt64, _ state: inout State) {
        guard state.isWaiting, sequence > state.releasedThrough else { return }
        state.releasedThrough = min(sequence, state.nextSequence - 1)
        whenHeld?(state.isWaiting)
    }

    @inlinable
    func releaseAll(_ state: inout State) { release(through: .max, &state) }

    /// Delivers a portion of the released notifications; `true` if there are more.
    @inlinable
    func deliverReleased(_ state: inout State, _ woken: inout [Subscription<Content>]) -> Bool {
        guard let first = state.held.first, first.sequence <= state.releasedThrough else { return false }
        let portion = state.held.prefix(Self.portion).prefix { $0.sequence <= state.releasedThrough }
        for notification in portion { deliver(notification, &state, &woken) }
        state.held.removeFirst(portion.count)
        if state.held.isEmpty { finishSubscriptionsAtTheEnd(&state, &woken) }
        return state.held.first.map { $0.sequence <= state.releasedThrough } ?? false
    }

    @inlinable
    func finishSubscriptionsAtTheEnd(_ state: inout State, _ woken: inout [Subscription<Content>]) {
        guard state.isFinished, state.held.isEmpty else { return }
        for subscription in state.subscriptions where subscription.finish() { woken.append(subscription) }
        state.subscriptions = []
    }
}
