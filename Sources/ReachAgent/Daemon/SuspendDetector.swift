/// The clocks that go on and stand still during suspend, read together.
struct SuspendClocks: Sendable, Hashable {
    /// CLOCK_MONOTONIC, which stands still, before the other clock was read.
    var monotonicBefore: Duration
    /// CLOCK_BOOTTIME, which goes on.
    var boot: Duration
    /// CLOCK_MONOTONIC after it.
    var monotonicAfter: Duration

    /// The duration of reading them: their difference may be wrong by as much.
    var uncertainty: Duration { monotonicAfter - monotonicBefore }

    /// The time in suspension since the machine was booted.
    var suspended: Duration { boot - monotonicBefore - uncertainty / 2 }
}

/// Finds in readings of the clocks that the machine was suspended.
///
/// Pure. Both clocks run at the same rate, and the difference between them grows by suspends alone; setting the clock
/// of the day does not change it.
struct SuspendDetector: Sendable {
    /// The shortest suspend that is told.
    static let threshold: Duration = .milliseconds(500)
    /// The least certain reading that counts: a thread that was held up between two clocks takes a delay for a suspend.
    static let maximumUncertainty: Duration = .milliseconds(100)

    private var known: Duration?

    /// Looks at the clocks.
    ///
    /// - Returns: For how long the machine was suspended since the last look; `nil` when it was not, or for less than
    ///   the threshold, or when the reading is too uncertain. The next look then finds what this one missed.
    mutating func look(_ clocks: SuspendClocks) -> Duration? {
        guard .zero <= clocks.uncertainty, clocks.uncertainty <= Self.maximumUncertainty else { return nil }
        let suspended = clocks.suspended
        defer { known = suspended }
        guard let known else { return nil }
        let growth = suspended - known
        return growth >= Self.threshold ? growth : nil
    }
}
