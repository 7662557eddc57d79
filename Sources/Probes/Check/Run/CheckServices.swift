internal import EventLoopExecutor
internal import NIOCore

/// What the checks of one prober share.
final class CheckServices: Sendable {
    let resolver: any HostResolver
    let contexts = TLSContexts()
    let interfaces = LocalInterfaces()
    let evaluations = EvaluationThreads()
    /// The executor of each event loop; tasks do not keep theirs alive.
    private let executors: [ObjectIdentifier: EventLoopTaskExecutor]

    init(resolver: any HostResolver, loops: some Sequence<any EventLoop>) {
        self.resolver = resolver
        var executors: [ObjectIdentifier: EventLoopTaskExecutor] = [:]
        for loop in loops { executors[ObjectIdentifier(loop)] = EventLoopTaskExecutor(loop) }
        self.executors = executors
    }

    /// The executor of one of the loops.
    func executor(of loop: any EventLoop) -> EventLoopTaskExecutor? { executors[ObjectIdentifier(loop)] }
}
