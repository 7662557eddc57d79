internal import EventLoopExecutor
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

    private let gate: LoopGate
    /// Nil once one of them was called: they retain the exchange, and its completion retains the check.
    private let actions: Mutex<Actions?>

    /// - Parameters:
    ///   - gate: The access to the event loop of the exchange.
    ///   - onExpiry: Ends the exchange as its own deadline does, at once; called on the event loop.
    ///   - onCancel: Cancels the exchange; called on the event loop.
    init(
        on gate: LoopGate,
        onExpiry: @escaping @Sendable (Duration) -> Void,
        onCancel: @escaping @Sendable () -> Void
    ) {
        self.gate = gate
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
    ///
    /// On the event loop the completion is called before this returns.
    package func cancel() {
        guard let actions = takeActions() else { return }
        // The gate of a prober that ends is closed before its checks have ended, and drops what is queued.
        if gate.eventLoop.inEventLoop { actions.cancel() } else { gate.execute(actions.cancel) }
    }

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
