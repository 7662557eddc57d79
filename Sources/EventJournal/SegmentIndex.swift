internal import AgentEvents

/// The index of a closed segment: an entry for each block of about 64 KiB.
///
/// The blocks are contiguous from the file's start, including damaged lines. Wall clocks step backwards, so a block's
/// times are a range, not an order.
struct SegmentIndex: Sendable, Hashable {
    /// The minimum size of a block, which ends with a line, in bytes.
    static let blockBytes = 64 << 10

    /// A run of consecutive lines.
    struct Block: Sendable, Hashable {
        /// The offset of the block in the plain file.
        var offset: UInt64
        /// The size of the block in the plain file, in bytes.
        var length: UInt64
        var firstSequence: UInt64
        var lastSequence: UInt64
        /// The number of events.
        var count: Int
        var oldestTime: Timestamp
        var newestTime: Timestamp
        /// The offset of its zstd frames in the compressed file.
        var frameOffset: UInt64 = 0
        /// The size of its frames, in bytes; 0 if the segment is not compressed.
        var frameLength: UInt64 = 0

        /// The offset of the first byte after the block in the plain file.
        var end: UInt64 { offset + length }
    }

    /// The blocks, in the order of the file.
    var blocks: [Block] = []

    /// Creates the index of an empty segment.
    init() {}

    /// Adds a line; must be called for every event of the segment in the order of the file.
    ///
    /// - Parameters:
    ///   - offset: The offset of the line in the file.
    ///   - length: The size of the line with its trailing `\n`, in bytes.
    mutating func add(sequence: UInt64, time: Timestamp, offset: UInt64, length: Int) {
        guard length > 0, offset < Self.maximumOffset else { return }
        let end = offset + UInt64(length)
        guard let last = blocks.indices.last else {
            // Damage before the first event is part of the first block.
            return blocks.append(Self.block(0..<end, sequence, time))
        }
        guard sequence > blocks[last].lastSequence, offset >= blocks[last].end else { return }
        guard offset - blocks[last].offset < UInt64(Self.blockBytes) else {
            blocks[last].length = offset - blocks[last].offset
            return blocks.append(Self.block(offset..<end, sequence, time))
        }
        blocks[last].length = end - blocks[last].offset
        blocks[last].lastSequence = sequence
        blocks[last].count += 1
        blocks[last].oldestTime = min(blocks[last].oldestTime, time)
        blocks[last].newestTime = max(blocks[last].newestTime, time)
    }

    /// The number of the newest event.
    var lastSequence: UInt64? { blocks.last?.lastSequence }

    /// The number of events.
    var count: Int { blocks.reduce(0) { $0 &+ $1.count } }

    /// The latest time, which need not be the last event's.
    var newestTime: Timestamp? { blocks.map(\.newestTime).max() }

    /// The earliest time, which need not be the first event's.
    var oldestTime: Timestamp? { blocks.map(\.oldestTime).min() }

    /// The size of the plain file covered by the blocks, in bytes.
    var plainBytes: UInt64 { blocks.last?.end ?? 0 }

    /// The size of the compressed file covered by the blocks, in bytes; 0 if the frames are unknown.
    var compressedBytes: UInt64 { blocks.last.map { $0.frameOffset + $0.frameLength } ?? 0 }

    /// The maximum offset, far above any file size; sums of two offsets do not overflow.
    static let maximumOffset: UInt64 = 1 << 60

    private static func block(_ bytes: Range<UInt64>, _ sequence: UInt64, _ time: Timestamp) -> Block {
        Block(
            offset: bytes.lowerBound,
            length: bytes.upperBound - bytes.lowerBound,
            firstSequence: sequence,
            lastSequence: sequence,
            count: 1,
            oldestTime: time,
            newestTime: time
        )
    }
}
