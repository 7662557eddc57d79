internal import Synchronization

/// The file that records which numbers subscribers may have received before the disk took their events.
///
/// An agent that is killed meanwhile would otherwise leave no trace of them, and the next one would use them again. It is
/// not the ``JournalLease`` of the writer, whose thread is the one that waits for the disk.
final class StallLease: Sendable {
    /// The distance by which the lease is ahead of the used numbers.
    static let step: UInt64 = 1 << 16

    private static let name = "stall"

    private struct State {
        var file: JournalLease?
        var numbers: ClosedRange<UInt64>?
        var generation = 0
        /// `true` once the stall is over; its numbers remain until their events are on the disk.
        var isOver = false
    }

    private let directory: JournalDirectory
    private let syncs: Bool
    private let presence: JournalPresence
    private let state = Mutex(State())

    /// Creates the file without numbers, now or with the first stall.
    init(in directory: JournalDirectory, isWritable: Bool, syncs: Bool, presence: JournalPresence) {
        self.directory = directory
        self.syncs = syncs
        self.presence = presence
        if isWritable { state.withLock { Self.open(&$0, in: directory) } }
    }

    /// Returns the numbers that an earlier agent left; `nil` if there are none.
    static func read(in directory: JournalDirectory) -> ClosedRange<UInt64>? {
        JournalLease.read(name, in: directory)
    }

    /// Leases numbers, if there are any; may wait for the disk.
    ///
    /// - Parameters:
    ///   - first: The first number that is not recorded.
    ///   - last: The newest number.
    ///   - distance: The number of later ones that may be used before ``extend(beyond:in:)`` is called.
    /// - Returns: The generation, for the other methods.
    func begin(from first: UInt64, through last: UInt64, ahead distance: UInt64) -> Int {
        state.withLock { state in
            state.generation += 1
            let start = min(first, state.numbers?.lowerBound ?? first)
            let end = Self.sum(last, distance)
            guard start <= end else { return state.generation }
            state.isOver = false
            presence.note(isStalled: true)
            write(start...end, &state)
            return state.generation
        }
    }

    /// Extends the lease when the newest number comes near its end.
    func extend(beyond last: UInt64, in generation: Int) {
        state.withLock { state in
            guard state.generation == generation, let numbers = state.numbers else { return }
            guard Self.sum(last, Self.step / 2) > numbers.upperBound else { return }
            write(numbers.lowerBound...max(numbers.upperBound, Self.sum(last, Self.step)), &state)
        }
    }

    /// Ends the stall, unless another one has begun; ``clear()`` follows once its events are on the disk.
    func end(_ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            presence.note(isStalled: false)
            state.isOver = true
        }
    }

    /// `true` while the numbers of a stall that is over are leased.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Clears the lease if its stall is over.
    func clear() {
        state.withLock { state in
            guard state.isOver else { return }
            state.isOver = false
            write(nil, &state)
        }
    }

    private func write(_ numbers: ClosedRange<UInt64>?, _ state: inout State) {
        if state.file?.isCurrent(in: directory) != true { Self.open(&state, in: directory) }
        _ = state.file?.write(numbers, syncs: syncs)
        state.numbers = numbers
    }

    private static func open(_ state: inout State, in directory: JournalDirectory) {
        state.file = try? JournalLease.open(name, in: directory, saying: nil)
    }

    private static func sum(_ number: UInt64, _ distance: UInt64) -> UInt64 {
        number < JournalRecord.maximumSequence - distance ? number + distance : JournalRecord.maximumSequence
    }
}
