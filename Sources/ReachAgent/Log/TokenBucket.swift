/// How many of something may pass: so many at once, and then so many in a time.
struct TokenBucket: Sendable {
    let capacity: Double
    let perSecond: Double
    private var tokens: Double
    private var filled: ContinuousClock.Instant?

    /// A full bucket.
    init(capacity: Int, perSecond: Double) {
        self.capacity = Double(capacity)
        self.perSecond = perSecond
        tokens = self.capacity
    }

    /// Takes one, if there is one.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        if let filled {
            let (seconds, attoseconds) = filled.duration(to: now).components
            tokens = min(capacity, tokens + max(0, Double(seconds) + Double(attoseconds) / 1e18) * perSecond)
        }
        filled = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
