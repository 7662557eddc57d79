package import LinuxSupport
package import NIOCore
package import NIOPosix
internal import Synchronization

/// Gives other threads access to an event loop until it ends.
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

extension MultiThreadedEventLoopGroup {
    /// Creates a group with named threads; NIO's own names do not distinguish groups.
    ///
    /// - Parameter name: The name of the threads, of which the first 15 bytes count.
    /// - Throws: ``SystemError`` if the system has no descriptor, thread or watch of epoll(7) left.
    package convenience init(named name: StaticString, numberOfThreads: Int = 1) throws(SystemError) {
        try Self.ensureResources(for: numberOfThreads, name)
        self.init(numberOfThreads: numberOfThreads)
        for loop in makeIterator() { loop.execute { NamedThread.nameCurrent(name) } }
    }

    /// Ends the event loops, and blocks the calling thread until they have ended, at most for a second.
    ///
    /// NIO reports the end on a thread of libdispatch, which retries for as long as the system has no thread left: the loops
    /// have then closed their channels, but a process that waited for the report would never end.
    package func shutDown() {
        let hasEnded = Monitor(false)
        shutdownGracefully { _ in hasEnded.signal() }
        hasEnded.waitForSignal(within: .seconds(1))
    }

    /// Takes what the event loops need, and gives it back: NIO ends the process if it is missing.
    ///
    /// Other threads may still take it in between, which only makes that unlikely.
    private static func ensureResources(for count: Int, _ name: StaticString) throws(SystemError) {
        // An event loop has an epoll(7), which watches its eventfd(2) and timerfd_create(2).
        var held: [EpollReserve] = []
        for _ in 0..<count { held.append(try EpollReserve(watches: 2)) }
        try ThreadReserve.ensure(count, name)
        withExtendedLifetime(held) {}
    }
}

extension NIOThreadPool {
    /// Starts the threads of a pool.
    ///
    /// - Parameters:
    ///   - count: The number of its threads.
    ///   - prefix: The beginning of their names, which a number follows.
    /// - Throws: ``SystemError`` if the system has no thread left for them: NIO would end the process.
    package func start(_ count: Int, named prefix: StaticString) throws(SystemError) {
        try ThreadReserve.ensure(count, prefix)
        _start(threadNamePrefix: "\(prefix)")
    }

    /// Ends the threads after their current work; returns at once, on any thread.
    ///
    /// NIO ends them on a thread of libdispatch, and its caller sleeps for as long as the system has no thread left. Without
    /// one for that caller, the threads remain until the process ends.
    package func shutDown() {
        try? NamedThread.start("pool-end") { self.shutdownGracefully { _ in } }
    }
}

/// The threads that the system can still start.
private enum ThreadReserve {
    /// Starts so many threads and one more at the same time, and ends them.
    ///
    /// Other threads may still be started in between, which only makes a shortage afterwards unlikely.
    static func ensure(_ count: Int, _ name: StaticString) throws(SystemError) {
        let isOver = Monitor(false)
        var threads: [NamedThread] = []
        defer {
            isOver.signal()
            for thread in threads { thread.join() }
        }
        // The kernel may count a thread (RLIMIT_NPROC, pids.max) for a moment after it was joined.
        for _ in 0..<count + 1 {
            threads.append(try NamedThread(name) { isOver.wait { $0 ? .done(()) : .sleep(nil) } })
        }
    }
}
