/// Detects flapping of a state that is not sampled, but changes at any time.
///
/// Each edge is a changed sample, and every ten seconds without one are an unchanged sample. The quiet time is counted
/// on demand, so that a timer is needed only while the state flaps.
struct FlapClock: Sendable, Equatable {
    typealias Instant = ContinuousClock.Instant

    /// The quiet time that counts as one unchanged sample.
    static let quiet: Duration = .seconds(10)

    private var history = FlapHistory()
    /// The time up to which samples were counted; nil before the first state.
    private var counted: Instant?

    /// `true` if the state flaps.
    var isFlapping: Bool { history.isFlapping }

    /// Counts an edge, or the first state.
    ///
    /// - Returns: Whether flapping started or stopped since the last call.
    mutating func edge(at now: Instant) -> Bool {
        let before = isFlapping
        if counted != nil {
            _ = pass(to: now)
            _ = history.add(isChange: true)
        }
        counted = max(counted ?? now, now)
        return isFlapping != before
    }

    /// Advances the time without an edge.
    ///
    /// - Returns: Whether flapping stopped.
    mutating func pass(to now: Instant) -> Bool {
        guard let counted, counted < now else { return false }
        let before = isFlapping
        let samples = Int(min(counted.duration(to: now) / Self.quiet, 1e9))
        for _ in 0..<min(samples, FlapHistory.steps) { _ = history.add(isChange: false) }
        self.counted = counted.advanced(by: Self.quiet * samples)
        return isFlapping != before
    }

    /// Restarts the quiet time after a suspend, which proves nothing about the state.
    mutating func restart(at now: Instant) {
        if counted != nil { counted = now }
    }

    /// The time at which flapping stops if nothing changes; nil while nothing flaps.
    var deadline: Instant? {
        guard let counted, let steps = history.stepsUntilStop else { return nil }
        return counted.advanced(by: Self.quiet * steps)
    }
}
