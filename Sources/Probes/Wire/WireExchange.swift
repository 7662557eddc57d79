internal import NIOCore
internal import Synchronization

/// A running exchange, which can be cancelled.
///
/// Dropping the handle does not end the exchange: its deadline does, at the latest.
package final class WireExchange: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    init(onCancel: @escaping @Sendable () -> Void) { action.withLock { $0 = onCancel } }

    /// Ends the exchange with the finding `cancelled`, unless it has ended; safe to call from any thread, any number of
    /// times.
    package func cancel() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

extension TimeAmount {
    /// Returns a delay for an event loop, at most a day long, so that sums with it cannot overflow.
    static func pause(_ duration: Duration) -> TimeAmount { TimeAmount(min(max(duration, .zero), .seconds(86_400))) }
}
