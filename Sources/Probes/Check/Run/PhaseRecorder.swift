internal import NIOCore

/// Notes when the phases of one hop begin and end.
///
/// At most one phase is open. Beginning the next one, or ``end()``, completes it.
struct PhaseRecorder {
    private let epoch: NIODeadline
    private var timings: [PhaseTiming] = []
    private var openSince: NIODeadline?
    /// The phase that began last; nil before the first.
    private(set) var phase: Phase?

    /// - Parameter epoch: The check's beginning, from which phases are timed.
    init(epoch: NIODeadline) { self.epoch = epoch }

    /// Begins a phase, and completes the one before.
    mutating func begin(_ phase: Phase) {
        let now = NIODeadline.now()
        close(at: now, isComplete: true)
        self.phase = phase
        openSince = now
    }

    /// Completes the open phase.
    mutating func end() { close(at: .now(), isComplete: true) }

    /// Gives the open phase up.
    mutating func interrupt() { close(at: .now(), isComplete: false) }

    /// The phases that began; one that is still open is given up.
    mutating func finish() -> [PhaseTiming] {
        close(at: .now(), isComplete: false)
        return timings
    }

    private mutating func close(at now: NIODeadline, isComplete: Bool) {
        guard let phase, let openSince else { return }
        timings.append(
            PhaseTiming(
                phase: phase,
                start: Duration(openSince - epoch),
                duration: Duration(now - openSince),
                isComplete: isComplete
            )
        )
        self.openSince = nil
    }
}
