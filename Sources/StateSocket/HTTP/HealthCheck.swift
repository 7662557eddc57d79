internal import EventLoopExecutor
internal import NIOCore

/// Checks the liveness of the agent's threads, once.
///
/// Used only on the event loop.
final class HealthCheck {
    /// The timeout of the answers.
    private static let patience: TimeAmount = .seconds(2)

    private let threads: [AgentThread]
    private var silent: Set<Int>
    private var whenDone: (([String]) -> Void)?
    private var timer: Scheduled<Void>?

    private init(_ threads: [AgentThread], _ whenDone: @escaping ([String]) -> Void) {
        self.threads = threads
        self.whenDone = whenDone
        silent = Set(threads.indices)
    }

    /// Checks threads.
    ///
    /// - Parameter whenDone: Called once on the event loop with the names of the threads that did not answer.
    static func run(_ threads: [AgentThread], on loop: LoopGate, _ whenDone: @escaping ([String]) -> Void) {
        let check = HealthCheck(threads, whenDone)
        let bound = NIOLoopBound(check, eventLoop: loop.eventLoop)
        check.timer = loop.eventLoop.scheduleTask(in: patience) { bound.value.finish() }
        for (index, thread) in threads.enumerated() {
            thread.whenFree { loop.execute { bound.value.answer(index) } }
        }
        if threads.isEmpty { check.finish() }
    }

    private func answer(_ index: Int) {
        silent.remove(index)
        if silent.isEmpty { finish() }
    }

    private func finish() {
        timer?.cancel()
        let done = whenDone
        whenDone = nil
        done?(silent.sorted().map { threads[$0].name })
    }
}
