internal import NIOCore
internal import Synchronization

/// A running exchange, which can be cancelled.
///
/// Dropping the handle does not end the exchange: its deadline does, at the latest.
package final class WireExchange: Sendable {
    private struct Actions: Sendable {
        let expire: @Sendable (Duration) -> Void
        let cancel: @Sendable () -> Void
    }

    /// Nil once one of them was called: they retain the exchange, and its completion retains the check.
    private let actions: Mutex<Actions?>

    /// - Parameters:
    ///   - onExpiry: Ends the exchange as its own deadline does, at once; called on the event loop.
    ///   - onCancel: Cancels the exchange.
    init(onExpiry: @escaping @Sendable (Duration) -> Void, onCancel: @escaping @Sendable () -> Void) {
        actions = Mutex(Actions(expire: onExpiry, cancel: onCancel))
    }

    /// Ends the exchange at the deadline of its check, which is about its own, with what it knows about the silence.
    ///
    /// Called on the event loop; the completion is called before this returns.
    ///
    /// - Parameter timeout: The timeout of the check, for the evidence.
    func expire(after timeout: Duration) { takeActions()?.expire(timeout) }

    /// Ends the exchange with the finding `cancelled`, unless it has ended; safe to call from any thread, any number of
    /// times.
    package func cancel() { takeActions()?.cancel() }

    private func takeActions() -> Actions? {
        actions.withLock { actions in
            defer { actions = nil }
            return actions
        }
    }
}

extension TimeAmount {
    /// Returns a delay for an event loop, at most a day long, so that sums with it cannot overflow.
    static func pause(_ duration: Duration) -> TimeAmount { TimeAmount(min(max(duration, .zero), .seconds(86_400))) }
}
