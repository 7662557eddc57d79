internal import EventEnvelope
internal import Synchronization

/// What all threads know of a journal.
///
/// Its lock is never held while the disk is used, so that a disk that hangs keeps nobody from asking.
final class JournalBoard: Sendable {
    struct State {
        var status: JournalStatus
        /// All segments, from the oldest on; the last one is the active one while `hasActive`.
        var segments: [JournalSegment] = []
        var hasActive = false
        /// The index of the active segment.
        var activeIndex = SegmentIndex()
        var missing = MissingRanges()
        var writeTrouble: JournalCondition?
        var syncTrouble: JournalCondition?
        /// What the recorder has not been told yet.
        var untold: [JournalCondition] = []
        /// Wakes the recorder.
        var whenUntold: (@Sendable () -> Void)?
    }

    private static let mostRepairs = 32

    private let state: Mutex<State>
    /// Set when what the kernel keeps of the active segment is no longer to be trusted: another one is begun.
    let needsNewSegment = Atomic(false)

    init(_ status: JournalStatus) { state = Mutex(State(status: status)) }

    func withState<Value>(_ body: (inout sending State) -> sending Value) -> sending Value { state.withLock(body) }

    /// The status, put together.
    func status() -> JournalStatus {
        state.withLock { state in
            var status = state.status
            status.segments = state.segments.count
            status.bytes = state.segments.reduce(0) { $0 &+ $1.bytes }
            status.oldestSequence = status.newestSequence == nil ? nil : state.segments.first?.name.firstSequence
            status.missing = state.missing.ranges
            status.trouble = state.writeTrouble ?? state.syncTrouble
            return status
        }
    }

    func note(repair: String) {
        state.withLock { state in
            state.status.repairs.append(repair)
            if state.status.repairs.count > Self.mostRepairs { state.status.repairs.removeFirst() }
        }
    }

    func note(missing range: ClosedRange<UInt64>) { state.withLock { $0.missing.add(range) } }

    // MARK: Telling

    /// Has the recorder tell a condition.
    func tell(_ condition: JournalCondition) {
        let wake = state.withLock { state in
            state.untold.append(condition)
            return state.whenUntold
        }
        wake?()
    }

    /// Takes what is to be told.
    func takeUntold() -> [JournalCondition] {
        state.withLock { state in
            defer { state.untold = [] }
            return state.untold
        }
    }

    /// Notes that events cannot be written; told when it is news.
    func fail(_ condition: JournalCondition) {
        let isNews = state.withLock { state in
            defer { state.writeTrouble = condition }
            return state.writeTrouble?.error != condition.error || state.writeTrouble == nil
        }
        if isNews { tell(condition) }
    }

    /// Notes that events are written again.
    func recover(missing: ClosedRange<UInt64>?) {
        let stillInTrouble = state.withLock { state in
            state.writeTrouble = nil
            return state.syncTrouble != nil
        }
        let detail =
            stillInTrouble ? "events are written again, but not forced onto the disk" : "events are recorded again"
        tell(JournalCondition(code: .resumed, detail: detail, missing: missing))
    }

    /// Notes that something was forced onto the disk.
    func synced(at time: Timestamp) {
        let hasRecovered = state.withLock { state in
            state.status.lastSync = time
            defer { state.syncTrouble = nil }
            return state.syncTrouble != nil && state.writeTrouble == nil
        }
        guard hasRecovered else { return }
        tell(JournalCondition(code: .resumed, detail: "events are forced onto the disk again"))
    }

    /// Notes that something could not be forced onto the disk.
    ///
    /// The kernel reports a loss only once and then takes the pages for clean; so a new file is begun.
    func syncFailed(_ error: JournalError) {
        let condition = JournalCondition(
            code: .syncFailed,
            detail: "events may be lost when the power fails",
            error: error.reason
        )
        let isNews = state.withLock { state in
            defer { state.syncTrouble = condition }
            return state.syncTrouble == nil
        }
        guard isNews else { return }
        needsNewSegment.store(true, ordering: .relaxed)
        tell(condition)
    }
}
