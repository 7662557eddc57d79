internal import EventLoopExecutor
internal import LinuxSupport
internal import NIOCore
internal import NIOPosix

/// Work that may take a while, such as reading the journal, on threads that start with the first piece of it: in turn
/// between users and hosts.
///
/// Results are handled on the event loop, in its turns. Used only on the event loop.
final class BlockingWork {
    /// Called after each result.
    var whenHandled: (() -> Void)?
    /// The number of pieces that wait or are in progress.
    private(set) var count = 0

    private static let threads = 2

    private let gate: LoopGate
    private let turns: Turns
    private let pool = WorkPool("replay-", threads: BlockingWork.threads)
    /// Starts of pieces, which return whether they take a thread.
    private var waiting = FairQueue<() -> Bool>()
    /// The number of pieces on the threads: at most one each, because their own queue has no turns.
    private var running = 0

    /// Creates no thread.
    init(on gate: LoopGate, turns: Turns) {
        self.gate = gate
        self.turns = turns
    }

    /// Runs work of a user or host on one of the threads; a connection must run only one piece at a time.
    ///
    /// - Parameters:
    ///   - cancellation: The flag with which the work is not begun any more; `nil` for work that is done in any case.
    ///   - body: Called on one of them.
    ///   - whenDone: Called once on the event loop, later; with a ``WorkFailure`` if the work was not done.
    func run<Output: Sendable>(
        for origin: ClientOrigin,
        unless cancellation: WorkCancellation? = nil,
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) {
        count += 1
        waiting.add(
            { [self] in
                count -= 1
                // A client that is gone must not wait for others.
                guard cancellation?.isCancelled != true else {
                    handing(over: whenDone)(.failure(WorkFailure.cancelled))
                    return false
                }
                run(on: pool, unless: cancellation, body) { [self] result in
                    running -= 1
                    runNext()
                    whenDone(result)
                }
                return true
            },
            of: origin
        )
        runNext()
    }

    private func runNext() {
        while running < Self.threads, let start = waiting.next() {
            if start() { running += 1 }
        }
    }

    /// Runs work on other threads, in the order of the calls.
    ///
    /// - Parameters:
    ///   - pool: The threads.
    ///   - cancellation: The flag with which the work is not begun any more; `nil` for work that is done in any case.
    ///   - body: Called on one of them.
    ///   - whenDone: Called once on the event loop, later; with a ``WorkFailure`` if the work was not done.
    func run<Output: Sendable>(
        on pool: WorkPool,
        unless cancellation: WorkCancellation? = nil,
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) {
        let handOver = handing(over: whenDone)
        do throws(SystemError) {
            try pool.started().submit { state in
                handOver(
                    Result { () throws -> Output in
                        guard state == .active else { throw WorkFailure.stopping }
                        guard cancellation?.isCancelled != true else { throw WorkFailure.cancelled }
                        return try body()
                    }
                )
            }
        } catch {
            handOver(.failure(WorkFailure.noThread(error)))
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
    func stop() { pool.stop() }
}

/// The reason that work was not done, for people.
enum WorkFailure: Error, CustomStringConvertible {
    case stopping
    case cancelled
    case noThread(SystemError)

    var description: String {
        switch self {
        case .stopping: "the agent stops"
        case .cancelled: "the client has closed the connection"
        case .noThread(let error): "the system has no thread left for this: \(error)"
        }
    }
}

/// Threads that start with the first work.
///
/// Used only on the event loop.
final class WorkPool {
    private let name: StaticString
    private let count: Int
    private let pool: NIOThreadPool
    private var isStarted = false

    /// Creates no thread.
    init(_ name: StaticString, threads count: Int) {
        self.name = name
        self.count = count
        pool = NIOThreadPool(numberOfThreads: count)
    }

    /// Returns the pool once it has its threads.
    ///
    /// - Throws: ``SystemError`` if the system has no thread left; the next call retries.
    func started() throws(SystemError) -> NIOThreadPool {
        if !isStarted { try pool.start(count, named: name) }
        isStarted = true
        return pool
    }

    /// Ends the threads after their current work.
    func stop() {
        if isStarted { pool.shutDown() }
    }
}
