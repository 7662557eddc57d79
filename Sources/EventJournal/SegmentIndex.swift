internal import EventEnvelope

/// What is where in a closed segment: an entry for each block of about 64 KiB.
///
/// The blocks follow each other without a gap from the file's beginning, damaged lines included. Wall clocks step
/// backwards, so a block's times are a range, not an order.
struct SegmentIndex: Sendable, Hashable {
    /// A block ends with the line with which it has at least this many bytes.
    static let blockBytes = 64 << 10

    /// Some lines that follow each other.
    struct Block: Sendable, Hashable {
        /// Where the block begins in the plain file.
        var offset: UInt64
        /// How many bytes it has in the plain file.
        var length: UInt64
        var firstSequence: UInt64
        var lastSequence: UInt64
        /// How many events it has.
        var count: Int
        var oldestTime: Timestamp
        var newestTime: Timestamp
        /// Where its zstd frames begin in the compressed file.
        var frameOffset: UInt64 = 0
        /// How many bytes its frames have; 0 where the segment is not compressed.
        var frameLength: UInt64 = 0

        /// The first byte behind the block in the plain file.
        var end: UInt64 { offset + length }
    }

    /// The blocks, in the order of the file.
    var blocks: [Block] = []

    /// The index of an empty segment.
    init() {}

    /// Adds a line; call it for every event of the segment in the order of the file.
    ///
    /// - Parameters:
    ///   - offset: Where the line begins in the file.
    ///   - length: How many bytes it has, with the `\n` at its end.
    mutating func add(sequence: UInt64, time: Timestamp, offset: UInt64, length: Int) {
        guard length > 0, offset < Self.mostOffset else { return }
        let end = offset + UInt64(length)
        guard let last = blocks.indices.last else {
            // What stands before the first event is damaged, and part of the first block.
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

    /// How many events there are.
    var count: Int { blocks.reduce(0) { $0 &+ $1.count } }

    /// The greatest time, which need not be the last event's.
    var newestTime: Timestamp? { blocks.map(\.newestTime).max() }

    /// The least time, which need not be the first event's.
    var oldestTime: Timestamp? { blocks.map(\.oldestTime).min() }

    /// How many bytes of the plain file the blocks are.
    var plainBytes: UInt64 { blocks.last?.end ?? 0 }

    /// How many bytes of the compressed file the blocks are; 0 when it is not known where the frames are.
    var compressedBytes: UInt64 { blocks.last.map { $0.frameOffset + $0.frameLength } ?? 0 }

    /// No file is nearly as large; sums of two such numbers do not overflow.
    static let mostOffset: UInt64 = 1 << 60

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
