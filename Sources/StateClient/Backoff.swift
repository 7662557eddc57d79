/// The wait before the next attempt: longer each time, and never the same for many clients at once.
struct Backoff: Sendable, Hashable {
    private static let shortest: Duration = .milliseconds(50)
    private static let longest: Duration = .seconds(2)

    private var attempts = 0

    /// The time before the next attempt.
    ///
    /// - Parameter fraction: Chance, from 0 to 1: half of the time depends on it.
    mutating func next(_ fraction: Double) -> Duration {
        // Six doublings are beyond the longest.
        let time = min(Self.longest, Self.shortest * (1 << min(attempts, 6)))
        attempts += 1
        return time / 2 + (time / 2) * min(1, max(0, fraction))
    }

    /// Begins with the shortest time again.
    mutating func reset() { attempts = 0 }
}
