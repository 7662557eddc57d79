internal import EventLoopExecutor
internal import NIOCore

/// Checks the liveness of the agent's threads; requests during a check share its result.
///
/// A thread keeps a limited number of calls while it is busy, so that requests of many clients must not be a call each.
/// Used only on the event loop.
final class HealthCheck {
    /// The timeout of the answers.
    private static let patience: TimeAmount = .seconds(2)

    /// A check that is running.
    private final class Run {
        let names: [String]
        var silent: Set<Int>
        var waiting: [([String]) -> Void] = []
        var timer: Scheduled<Void>?

        init(_ threads: [AgentThread]) {
            names = threads.map(\.name)
            silent = Set(threads.indices)
        }
    }

    private let loop: LoopGate
    private var current: Run?

    /// Creates a check that does not run.
    init(on loop: LoopGate) { self.loop = loop }

    /// Checks threads, or waits for the check that is running.
    ///
    /// - Parameter whenDone: Called once on the event loop with the names of the threads that did not answer.
    func run(_ threads: [AgentThread], _ whenDone: @escaping ([String]) -> Void) {
        if let current { return current.waiting.append(whenDone) }
        guard !threads.isEmpty else { return whenDone([]) }
        let run = Run(threads)
        run.waiting = [whenDone]
        current = run
        let bound = NIOLoopBound((check: self, run: run), eventLoop: loop.eventLoop)
        run.timer = loop.eventLoop.scheduleTask(in: Self.patience) { bound.value.check.finish(bound.value.run) }
        for (index, thread) in threads.enumerated() {
            thread.whenFree { [loop] in
                loop.execute { bound.value.check.handleAnswer(of: index, to: bound.value.run) }
            }
        }
    }

    private func handleAnswer(of index: Int, to run: Run) {
        run.silent.remove(index)
        if run.silent.isEmpty { finish(run) }
    }

    private func finish(_ run: Run) {
        // A thread may answer after the end.
        guard current === run else { return }
        current = nil
        run.timer?.cancel()
        let silent = run.silent.sorted().map { run.names[$0] }
        let waiting = run.waiting
        // A thread that is stuck keeps its call.
        run.waiting = []
        for whenDone in waiting { whenDone(silent) }
    }
}
