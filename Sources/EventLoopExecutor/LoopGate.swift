package import NIOCore
internal import Synchronization

/// The way from other threads onto an event loop, as long as there is one.
///
/// NIO complains of tasks for an event loop that has ended; what comes too late is none of its business.
package final class LoopGate: Sendable {
    package let eventLoop: any EventLoop
    private let isOpen = Mutex(true)

    package init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Runs something on the event loop, or never.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        isOpen.withLock { isOpen in
            if isOpen { eventLoop.execute(body) }
        }
    }

    /// Lets nothing in any more.
    package func close() { isOpen.withLock { $0 = false } }
}
