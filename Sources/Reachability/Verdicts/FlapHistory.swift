/// Detects flapping of a state that is not sampled, but changes at any time.
///
/// Each edge counts as a changed sample, and every ten seconds without one count as an unchanged sample. The quiet time
/// is counted on demand, so that a timer is needed only while the state flaps.
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
    /// - Returns: `true` if flapping started or stopped since the last call.
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
    /// - Returns: `true` if flapping stopped.
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

/// Detects flapping in the last 21 samples, weighted towards the newest.
///
/// As in Nagios: each of the 20 steps between two samples weighs from 0.75 (the oldest) to 1.25 (the newest) if it is a
/// change; flapping starts at 30 percent of the total weight and stops at 20.
struct FlapHistory: Sendable, Hashable {
    /// The number of steps.
    static let steps = 20
    /// The share of changes at which flapping starts, in percent.
    static let start = 30.0
    /// The share of changes at which flapping stops, in percent.
    static let stop = 20.0

    /// One bit for each step, the newest lowest; set for a change.
    private var changes: UInt32 = 0
    /// `true` if the state flaps.
    private(set) var isFlapping = false

    /// The weighted share of changes, in percent.
    var percent: Double { Self.percent(of: changes) }

    /// Adds a step.
    ///
    /// - Returns: `true` if flapping started or stopped.
    mutating func add(isChange: Bool) -> Bool {
        changes = Self.pushed(changes, isChange: isChange)
        let share = percent
        let flaps = isFlapping ? share > Self.stop : share >= Self.start
        defer { isFlapping = flaps }
        return flaps != isFlapping
    }

    /// The number of steps without a change after which flapping stops; nil while the state does not flap.
    var stepsUntilStop: Int? {
        guard isFlapping else { return nil }
        var later = changes
        for step in 1...Self.steps {
            later = Self.pushed(later, isChange: false)
            if Self.percent(of: later) <= Self.stop { return step }
        }
        return Self.steps
    }

    private static func pushed(_ changes: UInt32, isChange: Bool) -> UInt32 {
        (changes << 1 | (isChange ? 1 : 0)) & (1 << UInt32(steps) - 1)
    }

    private static func percent(of changes: UInt32) -> Double {
        guard changes != 0 else { return 0 }
        var weight = 0.0
        for age in 0..<steps where changes >> UInt32(age) & 1 == 1 {
            weight += 1.25 - Double(age) * 0.5 / Double(steps - 1)
        }
        return weight * 100 / Double(steps)
    }
}
