internal import AgentEvents
internal import NotificationBus
internal import Synchronization

/// Delivers published events to a consumer that takes them at once.
///
/// Events are taken on the publishing thread, which the consumer must not block: none waits in the subscription.
final class EventDelivery: Sendable {
    /// More than is ever published between two turns of a thread.
    private static let capacity = 4096

    private let bus: NotificationBus<Event>
    private let take: @Sendable (Event) -> Void
    private let subscription = Mutex<Subscription<Event>?>(nil)

    /// - Parameter take: Called for each event in the order of the numbers, one at a time; it must be quick.
    init(bus: NotificationBus<Event>, take: @escaping @Sendable (Event) -> Void) {
        self.bus = bus
        self.take = take
    }

    /// Subscribes: what is published from now on is taken.
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
        bus.subscribe(capacity: Self.capacity) { [weak self] in self?.deliver() }
    }

    /// One thread at a time, so that the order of the numbers is kept; what comes meanwhile has its publisher call this.
    private func deliver() {
        subscription.withLock { subscription in
            switch subscription?.take() {
            case .notifications(let batch): for notification in batch { take(notification.content) }
            // What was missed is behind; who takes events at once is after what is.
            case .lagged: subscription = subscribe()
            case .empty, .finished, nil: break
            }
        }
    }
}
