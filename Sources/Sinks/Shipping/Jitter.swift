/// Chance that a seed decides, so that a run can be repeated.
struct Jitter: Sendable, Hashable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A number from 0 to 1 (SplitMix64).
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((value ^ (value >> 31)) >> 11) / Double(1 << 53)
    }

    /// A duration from zero up to a limit.
    mutating func duration(upTo limit: Duration) -> Duration { limit * next() }
}

/// The wait before the next attempt to connect: exponential, with full jitter, so that a fleet never returns all at
/// once.
///
/// See https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/.
struct RetrySchedule: Sendable, Hashable {
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(300)

    private var failures = 0

    /// The wait after one more failure.
    mutating func next(_ jitter: inout Jitter) -> Duration {
        // Nine doublings are beyond the longest.
        let ceiling = min(Self.longest, Self.shortest * (1 << min(failures, 9)))
        failures += 1
        return jitter.duration(upTo: ceiling)
    }

    /// Begins with the shortest wait again.
    mutating func reset() { failures = 0 }
}
