package import BenchmarkKit

/// Subscribers that check the sequence numbers of the events that they read: consecutive, and none twice.
package final class Followers {
    package let subscribers: Subscribers
    package private(set) var latencies = LatencyHistogram()
    /// The number of lines that all subscribers together have read.
    package private(set) var lines = 0
    /// The number of unexpected sequence numbers.
    package private(set) var faults = 0
    private var next: [UInt64]
    private var goal: UInt64 = 0
    /// The number of subscribers that have not reached the goal.
    private var behind = 0

    /// - Parameter first: The number of the first event that they are to read.
    package init(_ subscribers: Subscribers, first: UInt64) {
        self.subscribers = subscribers
        next = .init(repeating: first, count: subscribers.count)
    }

    /// Waits until all have subscribed.
    package func awaitFirstLines() throws(BenchmarkError) { try subscribers.awaitFirstLines(take) }

    /// Discards the latencies and the count of lines so far.
    package func forget() {
        latencies = LatencyHistogram()
        lines = 0
    }

    /// Reads until all subscribers have received the event with a number.
    package func follow(through last: UInt64) throws(BenchmarkError) {
        setGoal(last)
        while behind > 0 {
            guard try read(milliseconds: 10_000) else {
                throw BenchmarkError("read events", cause: "\(behind) subscribers wait for event \(last) in vain")
            }
        }
    }

    /// Sets the number of the event that is the goal of ``hasReachedGoal``.
    package func setGoal(_ last: UInt64) {
        goal = last
        behind = next.count { $0 <= last }
    }

    /// A Boolean value that indicates whether all subscribers have received the event that is the goal.
    package var hasReachedGoal: Bool { behind == 0 }

    /// Reads once.
    @discardableResult
    package func read(milliseconds: Int32) throws(BenchmarkError) -> Bool {
        try subscribers.read(milliseconds: milliseconds, take)
    }

    private func take(_ index: Int, _ line: UnsafeRawBufferPointer, _ time: UInt64) {
        guard let sample = SampleLine(line) else { return }
        lines += 1
        if sample.sequence != next[index] { faults += 1 }
        _ = latencies.record(time > sample.sent ? time - sample.sent : 0)
        if next[index] <= goal, sample.sequence >= goal { behind -= 1 }
        next[index] = sample.sequence + 1
    }
}
