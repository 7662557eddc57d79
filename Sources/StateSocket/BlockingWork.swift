internal import EventLoopExecutor
internal import LinuxSupport
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
    private static let threads = 2
    private let pool = NIOThreadPool(numberOfThreads: BlockingWork.threads)
    private var isPoolStarted = false

    /// Creates no thread.
    init(on gate: LoopGate, turns: Turns) {
        self.gate = gate
        self.turns = turns
    }

    /// Runs work on another thread; a connection must run only one piece at a time.
    ///
    /// If the system has no thread left, the result is that error.
    func run<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) {
        do throws(SystemError) {
            if !isPoolStarted { try pool.start(Self.threads, named: "replay-") }
            isPoolStarted = true
            run(on: pool, body, whenDone)
        } catch {
            handing(over: whenDone)(.failure(error))
        }
    }

    /// Runs work on a thread of a started pool.
    func run<Output: Sendable>(
        on pool: NIOThreadPool,
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) {
        let handOver = handing(over: whenDone)
        pool.submit { state in
            handOver(
                Result { () throws -> Output in
                    guard state == .active else { throw CancellationError() }
                    return try body()
                }
            )
        }
    }

    /// Counts a piece, and returns a closure that hands its result to the event loop from any thread.
    private func handing<Output: Sendable>(
        over whenDone: @escaping (Result<Output, any Error>) -> Void
    ) -> @Sendable (Result<Output, any Error>) -> Void {
        count += 1
        let done = NIOLoopBound((work: self, whenDone: whenDone), eventLoop: gate.eventLoop)
        return { [gate] result in
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
