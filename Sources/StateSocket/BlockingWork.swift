internal import EventLoopExecutor
internal import NIOCore
internal import NIOPosix

/// Work that may take a while, such as reading the journal, on threads that start with the first piece of it.
///
/// Results are handled on the event loop, in its turns. Used only on the event loop.
final class BlockingWork {
    /// Called after each result.
    var whenHandled: (() -> Void)?
    /// The number of pieces in progress.
    private(set) var count = 0

    private let gate: LoopGate
    private let turns: Turns
    private let pool = NIOThreadPool(numberOfThreads: 2)
    private var isPoolStarted = false

    /// Creates no thread.
    init(on gate: LoopGate, turns: Turns) {
        self.gate = gate
        self.turns = turns
    }

    /// Runs work on another thread; a connection must run only one piece at a time.
    func run<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) {
        if !isPoolStarted {
            isPoolStarted = true
            pool._start(threadNamePrefix: "replay-")
        }
        run(on: pool, body, whenDone)
    }

    /// Runs work on a thread of a started pool.
    func run<Output: Sendable>(
        on pool: NIOThreadPool,
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) {
        count += 1
        let done = NIOLoopBound((work: self, whenDone: whenDone), eventLoop: gate.eventLoop)
        let gate = gate
        pool.submit { state in
            let result = Result { () throws -> Output in
                guard state == .active else { throw CancellationError() }
                return try body()
            }
            gate.execute {
                let (work, whenDone) = done.value
                work.turns.handle {
                    work.count -= 1
                    whenDone(result)
                    work.whenHandled?()
                }
            }
        }
    }

    /// Ends the threads after their current work.
    func stop() {
        if isPoolStarted { pool.shutdownGracefully { _ in } }
    }
}
