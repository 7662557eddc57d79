internal import Synchronization

/// The file that records which numbers subscribers may have received before the disk took their events.
///
/// An agent that is killed meanwhile would otherwise leave no trace of them, and the next one would use them again. It is
/// not the ``JournalLease`` of the writer, whose thread is the one that waits for the disk.
final class StallLease: Sendable {
    /// The distance by which the lease is ahead of the used numbers.
    static let step: UInt64 = 1 << 16

    private static let name = "stall"

    private struct Content {
        var file: JournalLease?
        var numbers: ClosedRange<UInt64>?
    }

    private enum Phase {
        case none
        /// Subscribers receive numbers that the journal has not taken.
        case current
        /// The journal has them all, on the disk or in memory.
        case over
        /// They are being flushed.
        case settling
    }

    private struct Stall {
        var generation = 0
        var phase = Phase.none
    }

    private let directory: JournalDirectory
    private let syncs: Bool
    private let presence: JournalPresence
    private let content = Mutex(Content())
    /// Apart from the content, which is locked while the disk is waited for: the recorder must not wait then.
    private let stall = Mutex(Stall())

    /// Creates the file without numbers, now or with the first stall.
    init(in directory: JournalDirectory, isWritable: Bool, syncs: Bool, presence: JournalPresence) {
        self.directory = directory
        self.syncs = syncs
        self.presence = presence
        if isWritable { content.withLock { Self.open(&$0, in: directory) } }
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
        content.withLock { content in
            let start = min(first, content.numbers?.lowerBound ?? first)
            let end = Self.sum(last, distance)
            guard start <= end else { return self.generation }
            let generation = stall.withLock { stall in
                stall.generation += 1
                stall.phase = .current
                presence.note(isStalled: true)
                return stall.generation
            }
            write(start...end, &content)
            return generation
        }
    }

    private var generation: Int { stall.withLock { $0.generation } }

    /// Extends the lease when the newest number comes near its end; may wait for the disk.
    func extend(beyond last: UInt64, in generation: Int) {
        content.withLock { content in
            guard self.generation == generation, let numbers = content.numbers else { return }
            guard Self.sum(last, Self.step / 2) > numbers.upperBound else { return }
            write(numbers.lowerBound...max(numbers.upperBound, Self.sum(last, Self.step)), &content)
        }
    }

    /// Ends the stall, unless another one has begun; its numbers remain until their events are on the disk.
    func end(_ generation: Int) {
        stall.withLock { stall in
            guard stall.generation == generation else { return }
            presence.note(isStalled: false)
            stall.phase = .over
        }
    }

    /// `true` while the numbers of a stall that is over are leased, and not being flushed.
    var isOver: Bool { stall.withLock { $0.phase == .over } }

    /// Returns the generation of a stall that is over; ``settle(_:ifFlushed:)`` must follow.
    func startSettling() -> Int? {
        stall.withLock { stall in
            guard stall.phase == .over else { return nil }
            stall.phase = .settling
            return stall.generation
        }
    }

    /// Clears the lease if the events of its numbers were flushed, and no other stall has begun; may wait for the disk.
    func settle(_ generation: Int, ifFlushed isFlushed: Bool) {
        content.withLock { content in
            let isSettled = stall.withLock { stall in
                guard stall.generation == generation, stall.phase == .settling else { return false }
                stall.phase = isFlushed ? .none : .over
                return isFlushed
            }
            if isSettled { write(nil, &content) }
        }
    }

    private func write(_ numbers: ClosedRange<UInt64>?, _ content: inout Content) {
        if content.file?.isCurrent(in: directory) != true { Self.open(&content, in: directory) }
        _ = content.file?.write(numbers, syncs: syncs)
        content.numbers = numbers
    }

    private static func open(_ content: inout Content, in directory: JournalDirectory) {
        content.file = try? JournalLease.open(name, in: directory, saying: nil)
    }

    private static func sum(_ number: UInt64, _ distance: UInt64) -> UInt64 {
        number < JournalRecord.maximumSequence - distance ? number + distance : JournalRecord.maximumSequence
    }
}
