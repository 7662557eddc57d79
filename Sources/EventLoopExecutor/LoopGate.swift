package import NIOCore
internal import Synchronization

/// The access from other threads to an event loop, as long as it exists.
///
/// NIO warns about tasks for an event loop that has ended; the gate drops them.
package final class LoopGate: Sendable {
    package let eventLoop: any EventLoop
    private let isOpen = Mutex(true)

    package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Runs a closure on the event loop, or never.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        isOpen.withLock { isOpen in
            if isOpen { eventLoop.execute(body) }
        }
    }

    /// Closes the gate: later closures are dropped.
    package func close() { isOpen.withLock { $0 = false } }
}
