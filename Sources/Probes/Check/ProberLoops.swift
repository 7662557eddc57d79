internal import EventLoopExecutor
internal import LinuxSupport
internal import NIOPosix

/// The event loops of a prober.
struct ProberLoops: Sendable {
    /// The descriptors of an event loop: its epoll(7), eventfd(2) and timerfd_create(2).
    private static let descriptors = 3

    let group: MultiThreadedEventLoopGroup
    /// One for each event loop; closed before the loops end, because resolver threads may outlive them.
    let gates: [LoopGate]

    /// Starts event loops.
    ///
    /// - Throws: ``SystemError`` if the system has no descriptor or thread left.
    init(threads: Int) throws(SystemError) {
        try Self.ensureResources(threads: threads)
        group = MultiThreadedEventLoopGroup(named: "probe-loop", numberOfThreads: threads)
        gates = group.makeIterator().map { LoopGate($0) }
    }

    /// Takes what the event loops need, and gives it back: NIO ends the process if it is missing.
    ///
    /// Other threads may still take it in between, which only makes that unlikely.
    private static func ensureResources(threads: Int) throws(SystemError) {
        var held: [Wakeup] = []
        for _ in 0..<threads {
            for _ in 0..<descriptors { held.append(try Wakeup()) }
        }
        try NamedThread("probe-loop") {}.join()
        withExtendedLifetime(held) {}
    }
}
