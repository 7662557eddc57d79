internal import AgentEvents
internal import NotificationBus
internal import Synchronization

/// Delivers published events to a consumer that handles them immediately.
///
/// The consumer is called on the publishing thread, which it must not block: no event waits in the subscription.
final class EventDelivery: Sendable {
    /// More events than are ever published while a thread waits for its turn.
    private static let capacity = 4096

    private let bus: NotificationBus<Event>
    private let take: @Sendable (Event) -> Void
    private let subscription = Mutex<Subscription<Event>?>(nil)

    /// - Parameter take: Called for each event in the order of the numbers, one at a time; it must be quick.
    init(bus: NotificationBus<Event>, take: @escaping @Sendable (Event) -> Void) {
        self.bus = bus
        self.take = take
    }

    /// Subscribes to the events published from now on.
    func start() { subscription.withLock { $0 = subscribe() } }

    /// Ends the subscription.
    func end() {
        let ended = subscription.withLock { subscription in
            defer { subscription = nil }
            return subscription
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
    func catchUp() {
        subscription.withLock { subscription in
            switch subscription?.take() {
            case .notifications(let batch): for notification in batch { take(notification.content) }
            // Missed events are in the past; this consumer needs the current ones.
            case .lagged: subscription = subscribe()
            case .empty, .finished, nil: break
            }
        }
    }
}
