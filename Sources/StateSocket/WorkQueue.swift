internal import Synchronization

/// A queue of slow work for clients on its own thread: one job at a time, in turn between users and hosts.
///
/// It keeps jobs that take seconds off the threads that other clients wait for. Used only on the event loop.
final class WorkQueue {
    /// The maximum number of waiting and running jobs.
    static let maximumCount = 64

    private let pool: WorkPool
    /// The maximum number of waiting and running jobs of one user or host.
    private let share: Int
    private var waiting = FairQueue<() -> Void>()
    private var counts: [ClientOrigin: Int] = [:]
    private var isRunning = false

    /// - Parameters:
    ///   - name: The name of the thread.
    ///   - share: The maximum number of waiting and running jobs of one user or host; 1 once the queue is half full.
    init(_ name: StaticString, share: Int) {
        pool = WorkPool(name, threads: 1)
        self.share = share
    }

    /// Adds a job; returns `false`, and calls nothing, if the queue is full.
    ///
    /// - Parameters:
    ///   - body: Called on the thread.
    ///   - whenDone: Called once on the event loop, later; with a ``WorkFailure`` if the job was not done.
    func add<Output: Sendable>(
        for origin: ClientOrigin,
        in hub: StreamHub,
        _ body: @escaping @Sendable () throws -> Output,
        _ whenDone: @escaping (Result<Output, any Error>) -> Void
    ) -> Bool {
        let total = counts.values.reduce(0, +)
        // The second half is for those without a job, so that a few hosts cannot take all places.
        guard total < Self.maximumCount, counts[origin] ?? 0 < (total < Self.maximumCount / 2 ? share : 1) else {
            return false
        }
        counts[origin, default: 0] += 1
        waiting.add(
            { [self, hub] in
                hub.work.run(on: pool, body) { [self, hub] result in
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
        start()
    }

    /// Ends the thread after its current job.
    func stop() { pool.stop() }
}

/// A flag that cancels the work for a client: one that closes its connection and comes again would else leave work behind
/// each time, for which all other clients wait.
final class WorkCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// `true` once the work is cancelled.
    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
}
