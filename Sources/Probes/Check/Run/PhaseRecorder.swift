internal import CheckResults
internal import NIOCore

/// Records the start and end of a hop's phases.
///
/// At most one phase is open. Starting the next one, or ``end()``, completes it.
struct PhaseRecorder {
    private let epoch: NIODeadline
    private var timings: [PhaseTiming] = []
    private var openSince: NIODeadline?
    /// The last phase that was started; nil before the first.
    private(set) var phase: Phase?

    /// - Parameter epoch: The start of the check, to which phase times are relative.
    init(epoch: NIODeadline) { self.epoch = epoch }

    /// Starts a phase, and completes the open one.
    mutating func begin(_ phase: Phase) {
        let now = NIODeadline.now()
        close(at: now, isComplete: true)
        self.phase = phase
        openSince = now
    }

    /// Completes the open phase.
    mutating func end() { close(at: .now(), isComplete: true) }

    /// Closes the open phase as incomplete.
    mutating func interrupt() { close(at: .now(), isComplete: false) }

    /// Returns the phases that started; an open one is closed as incomplete.
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
