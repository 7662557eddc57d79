/// A limit of so many at once, and then so many in a time.
package struct TokenBucket: Sendable {
    let capacity: Double
    let perSecond: Double
    private var tokens: Double
    private var filled: ContinuousClock.Instant?

    /// A full bucket.
    package init(capacity: Int, perSecond: Double) {
        self.capacity = Double(capacity)
        self.perSecond = perSecond
        tokens = self.capacity
    }

    /// Takes one, if there is one.
    package mutating func take(at now: ContinuousClock.Instant) -> Bool {
        tokens = tokens(at: now)
        filled = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// The time after which there is one to take.
    package func delay(at now: ContinuousClock.Instant) -> Duration {
        .seconds(max(0, 1 - tokens(at: now)) / perSecond)
    }

    /// Returns true when nothing was taken for so long that the bucket is full again.
    package func isFull(at now: ContinuousClock.Instant) -> Bool { tokens(at: now) >= capacity }

    private func tokens(at now: ContinuousClock.Instant) -> Double {
        guard let filled else { return tokens }
        let (seconds, attoseconds) = filled.duration(to: now).components
        return min(capacity, tokens + max(0, Double(seconds) + Double(attoseconds) / 1e18) * perSecond)
    }
}
