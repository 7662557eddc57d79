internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// Detects suspends of the machine, without ever waking up for that.
///
/// Safe from any thread: the first caller after a suspend gets it.
final class SuspendWatch: Sendable {
    private struct State: ~Copyable {
        var detector = SuspendDetector()
        var clock = ClockWatch()
        var whenClockSet: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Creates a watch that counts from now.
    ///
    /// Without such a descriptor of the kernel, suspends are still detected on the next call.
    init() {
        _ = state.withLock { $0.detector.detect(.now) }
    }

    /// The descriptor that becomes readable when the machine resumes or the clock is set; -1 where there is none.
    ///
    /// Must be read again before each poll(2), which ignores -1.
    var descriptor: Int32 { state.withLock { $0.clock.descriptor } }

    /// Sets the action after a change of the clock; called on the thread that detects it.
    func whenClockSet(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.whenClockSet = action } }

    /// The duration of suspends since the last call; `nil` without one.
    ///
    /// Makes the descriptor unreadable again.
    func takeSuspension() -> Duration? {
        let (suspension, action) = state.withLock { state in
            // Armed before the clocks are read: a suspend in between is detected now, and causes one spurious wake-up.
            let wasSet = state.clock.reset()
            return (state.detector.detect(.now), wasSet ? state.whenClockSet : nil)
        }
        action?()
        return suspension
    }
}

extension SuspendClocks {
    /// The clocks now, read again while the thread is held up between them, a few times at most.
    static var now: SuspendClocks {
        var clocks = reading
        for _ in 0..<4 where clocks.uncertainty > .milliseconds(1) {
            let again = reading
            if again.uncertainty < clocks.uncertainty { clocks = again }
        }
        return clocks
    }

    private static var reading: SuspendClocks {
        let before = KernelClock.time(CLOCK_MONOTONIC)
        let boot = KernelClock.time(CLOCK_BOOTTIME)
        return SuspendClocks(monotonicBefore: before, boot: boot, monotonicAfter: KernelClock.time(CLOCK_MONOTONIC))
    }
}

/// The clocks that continue and that stop during suspend, read together.
struct SuspendClocks: Sendable, Hashable {
    /// CLOCK_MONOTONIC, which stops, before the other clock was read.
    var monotonicBefore: Duration
    /// CLOCK_BOOTTIME, which includes suspends.
    var boot: Duration
    /// CLOCK_MONOTONIC after it.
    var monotonicAfter: Duration

    /// The duration of reading them: their difference may be wrong by as much.
    var uncertainty: Duration { monotonicAfter - monotonicBefore }

    /// The time in suspension since the machine was booted.
    var suspended: Duration { boot - monotonicBefore - uncertainty / 2 }
}

/// Detects suspends of the machine from readings of the clocks.
///
/// Pure. Both clocks run at the same rate, and the difference between them grows by suspends alone; setting the clock
/// of the day does not change it.
struct SuspendDetector: Sendable {
    /// The shortest suspend that is reported.
    static let threshold: Duration = .milliseconds(500)
    /// The maximum uncertainty of a reading that counts: a delay of the thread between two clocks would look like a
    /// suspend.
    static let maximumUncertainty: Duration = .milliseconds(100)

    private var known: Duration?

    /// Evaluates a reading of the clocks.
    ///
    /// - Returns: The duration of suspends since the last detection; `nil` if there was none, or less than the
    ///   threshold, or if the reading is too uncertain. The next call then includes what this one missed.
    mutating func detect(_ clocks: SuspendClocks) -> Duration? {
        guard .zero <= clocks.uncertainty, clocks.uncertainty <= Self.maximumUncertainty else { return nil }
        let suspended = clocks.suspended
        defer { known = suspended }
        guard let known else { return nil }
        let growth = suspended - known
        return growth >= Self.threshold ? growth : nil
    }
}
