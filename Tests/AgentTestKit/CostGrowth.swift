import Glibc

/// The CPU time of this thread for work on inputs of which each is twice as large as the one before.
///
/// The time of other threads does not count. A disturbance makes an attempt longer, and a machine that shares its processors may
/// be slower for seconds: so only times of the same attempt are compared, in which each input but the largest is measured
/// before the larger ones and after them. An attempt of several rounds compares the best times, and returns to each input soon
/// enough that a slow moment meets all of them.
package struct CostGrowth: CustomStringConvertible {
    /// The maximum factor by which the time grows for a doubled input.
    package static let factor = 2.5

    /// The times of the last attempt, in seconds, in the order of the inputs.
    package let times: [Double]
    /// `true` if the last attempt shows no more than the maximum factor between each input and the next.
    package let isLinear: Bool

    package var description: String {
        "\(times.map { "\($0) s" }.joined(separator: ", ")) in the last attempt"
    }

    /// Measures until an attempt shows linear growth: a disturbed attempt is repeated, and what is slow by nature stays so.
    ///
    /// - Parameters:
    ///   - count: The number of inputs.
    ///   - noise: The tolerance for clock ticks, cache misses and the first touch of memory, in seconds.
    ///   - rounds: The number of times that an attempt passes through the inputs, there and back.
    ///   - attempts: The maximum number of attempts.
    ///   - seconds: Returns the time for the input with an index, by ``seconds(_:)``.
    package static func measure(
        _ count: Int,
        noise: Double,
        rounds: Int = 1,
        attempts: Int = 8,
        _ seconds: (Int) throws -> Double
    ) rethrows -> CostGrowth {
        var growth = CostGrowth(times: [], isLinear: false)
        for _ in 0..<attempts where !growth.isLinear {
            var times = Array(repeating: Double.infinity, count: count)
            for _ in 0..<rounds {
                for index in Array(0..<count) + (0..<count).dropLast().reversed() {
                    times[index] = min(times[index], try seconds(index))
                }
            }
            let isLinear = zip(times, times.dropFirst()).allSatisfy { half, whole in whole <= factor * half + noise }
            growth = CostGrowth(times: times, isLinear: isLinear)
        }
        return growth
    }

    /// Returns the CPU time of this thread for some work, in seconds.
    package static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let start = processorTime
        try work()
        return processorTime - start
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
