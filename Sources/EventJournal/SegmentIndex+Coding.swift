internal import AgentEvents

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

    /// Parses the text of a file; `nil` when it is invalid or contradicts itself.
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
            && oldest <= newest
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
