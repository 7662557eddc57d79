internal import NIOPosix
internal import Synchronization

/// The threads on which responses are judged whose judgement may take long; there are none until one comes.
final class EvaluationThreads: Sendable {
    private enum State {
        case idle
        case running(NIOThreadPool)
        case ended
    }

    /// Two, so that one body that takes its time does not hold every other check up.
    private static let count = 2

    private let state = Mutex(State.idle)

    /// Runs `work` on one of the threads; after ``end()`` it is dropped.
    func submit(_ work: @escaping @Sendable () -> Void) {
        let pool = state.withLock { state -> NIOThreadPool? in
            switch state {
            case .running(let pool): return pool
            case .ended: return nil
            case .idle:
                let pool = NIOThreadPool(numberOfThreads: Self.count)
                pool.start()
                state = .running(pool)
                return pool
            }
        }
        pool?.submit { state in if state == .active { work() } }
    }

    /// Ends the threads as soon as they are done with what they do.
    func end() {
        let pool = state.withLock { state -> NIOThreadPool? in
            defer { state = .ended }
            if case .running(let pool) = state { return pool }
            return nil
        }
        pool?.shutdownGracefully { _ in }
    }
}
