internal import NIOCore
internal import Synchronization

/// The way from other threads onto the event loop, as long as there is one.
///
/// NIO complains of tasks for an event loop that has ended; late answers of the agent's and of the bus are none of its
/// business.
final class LoopGate: Sendable {
    let eventLoop: any EventLoop
    private let isOpen = Mutex(true)

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Runs something on the event loop, or never.
    func execute(_ body: @escaping @Sendable () -> Void) {
        isOpen.withLock { isOpen in
            if isOpen { eventLoop.execute(body) }
        }
    }

    /// Lets nothing in any more.
    func close() { isOpen.withLock { $0 = false } }
}
