internal import EventEnvelope
internal import Hooks
internal import NotificationBus
internal import Synchronization

/// Hands what is published to the hooks.
///
/// It is taken on the thread that publishes, which the runner does not hold up: nothing waits in the subscription.
final class HookFeed: Sendable {
    /// More than is ever published between two turns of a thread.
    private static let capacity = 4096

    private let bus: NotificationBus<Event>
    private let runner: HookRunner
    private let subscription = Mutex<Subscription<Event>?>(nil)

    init(bus: NotificationBus<Event>, runner: HookRunner) {
        self.bus = bus
        self.runner = runner
    }

    /// Subscribes: hooks are given what is published from now on.
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

    /// One thread at a time, so that the order of the numbers is kept.
    private func deliver() {
        subscription.withLock { subscription in
            while true {
                switch subscription?.take() {
                case .notifications(let batch): for notification in batch { runner.deliver(notification.content) }
                // What was missed is behind; hooks are about what is.
                case .lagged: subscription = subscribe()
                case .empty, .finished, nil: return
                }
            }
        }
    }
}
