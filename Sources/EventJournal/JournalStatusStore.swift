internal import AgentEvents
internal import Synchronization

/// The state of a journal that its threads share.
///
/// Its lock is never held during disk operations, so that a hanging disk blocks no status query.
final class JournalStatusStore: Sendable {
    struct State {
        var status: JournalStatus
        /// All segments, from the oldest on; the last one is the active one if `hasActive`.
        var segments: [JournalSegment] = []
        var hasActive = false
        /// The index of the active segment.
        var activeIndex = SegmentIndex()
        var missing = MissingRanges()
        var writeTrouble: JournalCondition?
        var syncTrouble: JournalCondition?
        /// The conditions not yet reported to the recorder.
        var unreported: [JournalCondition] = []
        /// Wakes the recorder.
        var whenUnreported: (@Sendable () -> Void)?
        /// Called at each removal of old events, before their files are deleted.
        var whenRemoved: (@Sendable () -> Void)?
    }

    /// Reports an error that prevents no event from being recorded.
    let noticed: @Sendable (JournalError) -> Void
    private let state: Mutex<State>
    /// Set when the kernel's pages of the active segment are no longer reliable: a new segment is started, at intervals.
    let needsNewSegment = Atomic(false)
    /// The number of segments that began because a flush had failed, since one succeeded.
    let vainReplacements = Atomic(0)

    init(_ status: JournalStatus, noticed: @escaping @Sendable (JournalError) -> Void) {
        self.noticed = noticed
        state = Mutex(State(status: status))
    }

    func withState<Value>(_ body: (inout sending State) -> sending Value) -> sending Value { state.withLock(body) }

    /// Returns the current status.
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

    func note(missing range: ClosedRange<UInt64>) { state.withLock { $0.missing.add(range) } }

    // MARK: Reports

    /// Reports a condition, with the current state of the journal, to the recorder.
    func report(_ condition: JournalCondition) {
        let wake = state.withLock { state in
            var condition = condition
            condition.isDegraded = (state.writeTrouble ?? state.syncTrouble) != nil
            state.unreported.append(condition)
            return state.whenUnreported
        }
        wake?()
    }

    /// Takes the pending reports.
    func takeUnreported() -> [JournalCondition] {
        state.withLock { state in
            defer { state.unreported = [] }
            return state.unreported
        }
    }

    /// Records that events cannot be written; reported if it is new.
    func fail(_ condition: JournalCondition) {
        let isNew = state.withLock { state in
            defer { state.writeTrouble = condition }
            return state.writeTrouble?.error != condition.error || state.writeTrouble == nil
        }
        if isNew { report(condition) }
    }

    /// Records that events are written again.
    func recover(missing: ClosedRange<UInt64>?) {
        let stillInTrouble = state.withLock { state in
            state.writeTrouble = nil
            return state.syncTrouble != nil
        }
        let detail =
            stillInTrouble ? "events are written again, but not forced onto the disk" : "events are recorded again"
        report(JournalCondition(code: .resumed, detail: detail, missing: missing))
    }

    /// Records a successful flush to the disk.
    func synced(at time: Timestamp) {
        vainReplacements.store(0, ordering: .relaxed)
        let hasRecovered = state.withLock { state in
            state.status.lastSync = time
            defer { state.syncTrouble = nil }
            return state.syncTrouble != nil && state.writeTrouble == nil
        }
        guard hasRecovered else { return }
        report(JournalCondition(code: .resumed, detail: "events are forced onto the disk again"))
    }

    /// Records a failed flush to the disk.
    ///
    /// The kernel reports a loss only once and then marks the pages clean; so a new file is started.
    func syncFailed(_ error: JournalError) {
        let condition = JournalCondition(
            code: .syncFailed,
            detail: "events may be lost when the power fails",
            error: error.reason
        )
        let isNew = state.withLock { state in
            defer { state.syncTrouble = condition }
            return state.syncTrouble == nil
        }
        needsNewSegment.store(true, ordering: .relaxed)
        if isNew { report(condition) }
    }
}

/// Ranges of numbers without a line in the journal; bounded by merging close ranges.
struct MissingRanges: Sendable, Hashable {
    static let maximumCount = 64
    private(set) var ranges: [ClosedRange<UInt64>] = []

    /// Adds a range; adjacent ones are merged.
    mutating func add(_ range: ClosedRange<UInt64>) {
        var low = range.lowerBound
        var high = range.upperBound
        var apart: [ClosedRange<UInt64>] = []
        for other in ranges {
            if other.upperBound < low, low - other.upperBound > 1 {
                apart.append(other)
            } else if other.lowerBound > high, other.lowerBound - high > 1 {
                apart.append(other)
            } else {
                low = min(low, other.lowerBound)
                high = max(high, other.upperBound)
            }
        }
        apart.append(low...high)
        apart.sort { $0.lowerBound < $1.lowerBound }
        // The oldest ranges matter least, so those lose precision.
        if apart.count > Self.maximumCount {
            apart.replaceSubrange(0..<2, with: [apart[0].lowerBound...apart[1].upperBound])
        }
        ranges = apart
    }
}
