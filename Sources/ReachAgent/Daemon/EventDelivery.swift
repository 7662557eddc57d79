internal import AgentEvents
internal import NotificationBus
internal import Synchronization

/// Delivers published events to a consumer that handles them immediately.
///
/// The consumer is called on the publishing thread, which it must not block: no event waits in the subscription.
final class EventDelivery: Sendable {
    private struct State {
        var subscription: Subscription<Event>?
        /// The changes of the consumer that wait for the events up to a number, in the order of the numbers.
        var changes: [(sequence: UInt64, make: @Sendable () -> Void)] = []

        /// Makes the changes that wait for no later event.
        mutating func makeChanges(through sequence: UInt64) {
            while let first = changes.first, first.sequence <= sequence {
                changes.removeFirst()
                first.make()
            }
        }
    }

    /// More events than are ever published while a thread waits for its turn.
    private static let capacity = 4096

    private let bus: NotificationBus<Event>
    private let take: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// - Parameter take: Called for each event in the order of the numbers, one at a time; it must be quick.
    init(bus: NotificationBus<Event>, take: @escaping @Sendable (Event) -> Void) {
        self.bus = bus
        self.take = take
    }

    /// Subscribes to the events published from now on.
    func start() { state.withLock { $0.subscription = subscribe() } }

    /// Ends the subscription; changes that still wait are not made.
    func end() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state.subscription
        }
        if let ended { bus.cancel(ended) }
    }

    private func subscribe() -> Subscription<Event> {
        bus.subscribe(capacity: Self.capacity) { [weak self] in self?.catchUp() }
    }

    /// Delivers what has been published, also on another thread than the publisher's, which may still be at an earlier
    /// subscriber.
    ///
    /// On one thread at a time, to keep the order of the numbers; an event published meanwhile leads to another call.
    func catchUp() { state.withLock { catchUp(&$0) } }

    /// Changes the consumer after all events published so far, and before any later one.
    ///
    /// Immediately, unless some of them wait for the bus's recorder: then on the thread that delivers the last of them.
    ///
    /// - Parameter change: Called once, with the delivery locked; it must be quick, and must not publish.
    func afterPublishedEvents(_ change: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let (newest, released) = (bus.lastSequence, bus.lastReleased)
            catchUp(&state)
            state.changes.append((newest, change))
            // Without a subscription no event is delivered any more.
            state.makeChanges(through: state.subscription == nil ? .max : released)
        }
    }

    private func catchUp(_ state: inout State) {
        switch state.subscription?.take() {
        case .notifications(let batch):
            for notification in batch {
                take(notification.content)
                state.makeChanges(through: notification.sequence)
            }
        case .lagged:
            // Missed events are in the past; this consumer needs the current ones.
            state.subscription = subscribe()
            state.makeChanges(through: bus.lastReleased)
        case .empty, .finished, nil: break
        }
    }
}
