internal import NIOPosix
internal import Synchronization

/// Slow work for clients, on a thread of its own: one piece at a time, in turn between users and hosts.
///
/// It keeps what takes seconds off the threads that others wait for. Used only on the event loop.
final class WorkQueue {
    /// The maximum number of pieces that wait or run.
    private static let maximumCount = 64

    private let pool = NIOThreadPool(numberOfThreads: 1)
    private let name: String
    /// The maximum for one user or host.
    private let share: Int
    private var waiting = FairQueue<() -> Void>()
    private var counts: [ClientOrigin: Int] = [:]
    private var isRunning = false
    private var isStarted = false

    /// - Parameters:
    ///   - name: The name of the thread.
    ///   - share: The maximum number of pieces of one user or host that wait or run.
    init(_ name: String, share: Int) {
        self.name = name
        self.share = share
    }

    /// Adds a piece of work; `false` when there is too much already, and nothing will be called.
    ///
    /// - Parameters:
    ///   - body: Called on the thread.
    ///   - whenDone: Called once on the event loop; with an error when the agent stops.
    func add<Output: Sendable>(
        for origin: ClientOrigin,
        in hub: StreamHub,
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) -> Bool {
        guard counts[origin] ?? 0 < share, counts.values.reduce(0, +) < Self.maximumCount else { return false }
        counts[origin, default: 0] += 1
        waiting.add(
            { [self, hub] in
                hub.work(on: pool, body) { [self, hub] result in
                    let count = counts[origin] ?? 0
                    counts[origin] = count > 1 ? count - 1 : nil
                    isRunning = false
                    whenDone(result)
                    runNext(in: hub)
                }
            },
            of: origin
        )
        runNext(in: hub)
        return true
    }

    private func runNext(in hub: StreamHub) {
        guard !isRunning, let start = waiting.next() else { return }
        isRunning = true
        if !isStarted {
            isStarted = true
            pool._start(threadNamePrefix: name)
        }
        start()
    }

    /// Ends the thread, after the piece of work that it does.
    func stop() {
        if isStarted { pool.shutdownGracefully { _ in } }
    }
}

/// The wish of a client that its work be given up.
final class WorkCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// `true` once the client has gone.
    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
}
