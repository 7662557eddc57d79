internal import EventLoopExecutor
internal import LinuxSupport
internal import NIOPosix

/// The event loops of a prober.
struct ProberLoops: Sendable {
    let group: MultiThreadedEventLoopGroup
    /// One for each event loop; closed before the loops end, because resolver threads may outlive them.
    let gates: [LoopGate]

    /// Starts event loops.
    ///
    /// - Throws: ``SystemError`` if the system has no descriptor, thread or watch of epoll(7) left.
    init(threads: Int) throws(SystemError) {
        group = try MultiThreadedEventLoopGroup(named: "probe-loop", numberOfThreads: threads)
        gates = group.makeIterator().map { LoopGate($0) }
    }
}
