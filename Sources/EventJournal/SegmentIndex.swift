internal import AgentEvents
internal import Glibc

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

// The file, in ASCII:
//
//     reachagent-index 1
//     OFFSET LENGTH FIRST LAST COUNT OLDEST NEWEST FRAME-OFFSET FRAME-LENGTH     a line for each block
//     end BLOCKS
//
// Times are microseconds since 1970.
extension SegmentIndex {
    /// The maximum size of a file, in bytes.
    static let maximumBytes = 16 << 20
    private static let header = "reachagent-index 1\n"

    /// Returns the text of the index file.
    func encoded() -> [UInt8] {
        var text = Array(Self.header.utf8)
        for block in blocks {
            let numbers = [
                String(block.offset), String(block.length), String(block.firstSequence), String(block.lastSequence),
                String(block.count), String(block.oldestTime.microsecondsSince1970),
                String(block.newestTime.microsecondsSince1970), String(block.frameOffset), String(block.frameLength),
            ]
            text += numbers.joined(separator: " ").utf8
            text.append(UInt8(ascii: "\n"))
        }
        text += "end \(blocks.count)\n".utf8
        return text
    }

    /// Parses the text of a file; `nil` if it is invalid or inconsistent.
    init?(decoding text: [UInt8]) {
        guard text.count <= Self.maximumBytes, text.starts(with: Self.header.utf8), text.last == UInt8(ascii: "\n")
        else {
            return nil
        }
        var lines = text.dropFirst(Self.header.utf8.count).dropLast()
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let last = lines.popLast(), last.elementsEqual("end \(lines.count)".utf8) else { return nil }
        blocks.reserveCapacity(lines.count)
        for line in lines {
            guard let block = Self.block(line), follows(block) else { return nil }
            blocks.append(block)
        }
    }

    private static func block(_ line: ArraySlice<UInt8>) -> Block? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 9, omittingEmptySubsequences: false)
        guard words.count == 9, let offset = unsigned(words[0]), let length = unsigned(words[1]),
            let first = unsigned(words[2]), let last = unsigned(words[3]), let count = unsigned(words[4]),
            let oldest = signed(words[5]), let newest = signed(words[6]), let frameOffset = unsigned(words[7]),
            let frameLength = unsigned(words[8])
        else { return nil }
        let isPossible =
            first > 0 && first <= last && count > 0 && count - 1 <= last - first && count <= length && length > 0
            && oldest <= newest && last <= JournalRecord.maximumSequence
        guard isPossible, [offset, length, frameOffset, frameLength].allSatisfy({ $0 < maximumOffset }) else {
            return nil
        }
        return Block(
            offset: offset,
            length: length,
            firstSequence: first,
            lastSequence: last,
            count: Int(count),
            oldestTime: Timestamp(microsecondsSince1970: oldest),
            newestTime: Timestamp(microsecondsSince1970: newest),
            frameOffset: frameOffset,
            frameLength: frameLength
        )
    }

    /// Returns whether a block can follow the existing ones.
    private func follows(_ block: Block) -> Bool {
        guard let last = blocks.last else { return block.offset == 0 && block.frameOffset == 0 }
        guard block.offset == last.end, block.firstSequence > last.lastSequence else { return false }
        guard (block.frameLength == 0) == (last.frameLength == 0) else { return false }
        return block.frameOffset == last.frameOffset + last.frameLength
    }

    private static func unsigned(_ word: ArraySlice<UInt8>) -> UInt64? {
        guard !word.isEmpty, word.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return UInt64(String(decoding: word, as: UTF8.self))
    }

    private static func signed(_ word: ArraySlice<UInt8>) -> Int64? {
        let digits = word.first == UInt8(ascii: "-") ? word.dropFirst() : word
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return Int64(String(decoding: word, as: UTF8.self))
    }
}

extension SegmentIndex {
    /// Creates the index of a plain segment by reading all of it.
    init(scanning file: JournalFile, _ name: SegmentName) throws(JournalError) {
        self.init()
        var offset: UInt64 = 0
        var rest: [UInt8] = []
        var isSkippingLine = false
        while true {
            let bytes = try file.read(at: offset + UInt64(rest.count), atMost: 256 << 10, behind: rest[...])
            guard bytes.count > rest.count else { return }
            var start = 0
            while let end = bytes.span.firstLineEnd(from: start) {
                if !isSkippingLine, let line = ScannedLine(bytes.span.extracting(start..<end)),
                    let sequence = line.sequence, sequence >= name.firstSequence, let time = line.time
                {
                    add(sequence: sequence, time: time, offset: offset + UInt64(start), length: end + 1 - start)
                }
                isSkippingLine = false
                start = end + 1
            }
            if bytes.count - start > ScannedLine.maximumBytes {
                isSkippingLine = true
                start = bytes.count
            }
            offset += UInt64(start)
            rest = Array(bytes[start...])
        }
    }
}

extension Span<UInt8> {
    /// Returns the position of the first `\n` at or after a start.
    func firstLineEnd(from start: Int) -> Int? {
        guard start >= 0, start < count else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }
}
