import AgentEvents
import Testing

@testable import EventJournal

@Suite struct ReadingIndexTests {
    private typealias Fixture = FixtureJournal

    @Test(arguments: [1, 42, UInt64(Int64.max)]) func `a segment's three names are read again`(first: UInt64) {
        let name = SegmentName(firstSequence: first)
        for fileName in [name.plain, name.compressed, name.index] { #expect(SegmentName(fileName: fileName) == name) }
    }

    @Test func `names sort as numbers do`() {
        #expect(SegmentName(firstSequence: 42).plain == "events-00000000000000000042.jsonl")
        #expect(SegmentName(firstSequence: 42).compressed == "events-00000000000000000042.jsonl.zst")
        #expect(SegmentName(firstSequence: 42).index == "events-00000000000000000042.index")
        #expect(SegmentName(firstSequence: 9) < SegmentName(firstSequence: 10))
        #expect(SegmentName(firstSequence: 9).plain < SegmentName(firstSequence: 10).plain)
    }

    @Test(arguments: [
        "", "events-", "events-42.jsonl", "events-00000000000000000042", "events-00000000000000000042.json",
        "events-00000000000000000000.jsonl", "events-09223372036854775808.jsonl", "events-18446744073709551615.jsonl",
        "events-99999999999999999999.jsonl", "events-+0000000000000000042.jsonl",
        "events-00000000000000000042.jsonl.tmp", "events-00000000000000000042.jsonl.zst.tmp",
        "Events-00000000000000000042.jsonl", "xevents-00000000000000000042.jsonl", "lock",
    ])
    func `other names are not segment names`(fileName: String) { #expect(SegmentName(fileName: fileName) == nil) }

    private func index(_ count: UInt64, padding: Int) -> SegmentIndex {
        var (index, offset) = (SegmentIndex(), UInt64(0))
        for number in 1...count {
            let length = Fixture.line(number, padding: padding).utf8.count + 1
            index.add(sequence: number, time: Fixture.time(number), offset: offset, length: length)
            offset += UInt64(length)
        }
        return index
    }

    @Test func `a block has about 64 KiB, and the blocks are the whole file`() {
        let index = index(1000, padding: 800)
        #expect(index.count == 1000)
        #expect(index.lastSequence == 1000)
        #expect(index.blocks.first?.oldestTime == Fixture.time(1))
        #expect(index.newestTime == Fixture.time(1000))
        #expect(index.plainBytes == UInt64(Fixture.lines(1...1000, padding: 800).utf8.count))
        #expect(index.blocks.dropLast().allSatisfy { (65_536..<68_000).contains($0.length) })
        #expect(zip(index.blocks, index.blocks.dropFirst()).allSatisfy { $0.end == $1.offset })
        #expect(zip(index.blocks, index.blocks.dropFirst()).allSatisfy { $0.lastSequence + 1 == $1.firstSequence })
    }

    @Test func `a clock that is set back widens a block's times`() {
        var index = SegmentIndex()
        for (offset, second) in [50, 20, 90, 10].enumerated() {
            index.add(
                sequence: UInt64(offset) + 1,
                time: Timestamp(microsecondsSince1970: Int64(second)),
                offset: UInt64(offset) * 10,
                length: 10
            )
        }
        #expect(index.blocks.first?.oldestTime == Timestamp(microsecondsSince1970: 10))
        #expect(index.newestTime == Timestamp(microsecondsSince1970: 90))
        #expect(index.blocks.count == 1)
    }

    @Test func `an empty index has nothing`() {
        let index = SegmentIndex()
        #expect(index.count == 0)
        #expect(index.lastSequence == nil)
        #expect(index.newestTime == nil)
        #expect(SegmentIndex(decoding: index.encoded()) == index)
    }

    @Test func `lines that are not in order are not added`() {
        var index = index(10, padding: 10)
        let before = index
        index.add(sequence: 10, time: Fixture.time(10), offset: 1 << 20, length: 10)
        index.add(sequence: 11, time: Fixture.time(11), offset: 0, length: 10)
        index.add(sequence: 12, time: Fixture.time(12), offset: 1 << 20, length: 0)
        index.add(sequence: 13, time: Fixture.time(13), offset: .max, length: 10)
        #expect(index == before)
    }

    @Test func `an index is decoded as it was encoded`() {
        var index = index(1000, padding: 800)
        #expect(SegmentIndex(decoding: index.encoded()) == index)
        for number in index.blocks.indices {
            index.blocks[number].frameOffset = UInt64(number) * 100
            index.blocks[number].frameLength = 100
            index.blocks[number].oldestTime = Timestamp(microsecondsSince1970: -5)
        }
        #expect(SegmentIndex(decoding: index.encoded()) == index)
        #expect(index.compressedBytes == UInt64(index.blocks.count) * 100)
    }

    @Test(arguments: [
        "", "\n", "reachagent-index 1\n", "reachagent-index 2\nend 0\n", "reachagent-index 1\nend 0",
        "reachagent-index 1\nend 1\n", "reachagent-index 1\n\nend 1\n", "reachagent-index 1\n\nend 0\n",
        "reachagent-index 1\n0 10 1 2 2 5 6 0 0\n", "reachagent-index 1\n0 10 1 2 2 5 6 0\nend 1\n",
        "reachagent-index 1\n0 10 1 2 2 5 6 0 0 0\nend 1\n", "reachagent-index 1\n0 10 1 2 2 5 6 0 0 \nend 1\n",
        "reachagent-index 1\n5 10 1 2 2 5 6 0 0\nend 1\n", "reachagent-index 1\n0 0 1 2 2 5 6 0 0\nend 1\n",
        "reachagent-index 1\n0 10 0 2 2 5 6 0 0\nend 1\n", "reachagent-index 1\n0 10 3 2 1 5 6 0 0\nend 1\n",
        "reachagent-index 1\n0 10 1 2 3 5 6 0 0\nend 1\n", "reachagent-index 1\n0 10 1 2 0 5 6 0 0\nend 1\n",
        "reachagent-index 1\n0 10 1 2 2 7 6 0 0\nend 1\n", "reachagent-index 1\n0 10 1 2 2 5 6 9 0\nend 1\n",
        "reachagent-index 1\n0 99999999999999999999 1 2 2 5 6 0 0\nend 1\n",
        "reachagent-index 1\n0 18446744073709551615 1 2 2 5 6 0 0\nend 1\n",
        "reachagent-index 1\n0 10 1 18446744073709551615 18446744073709551615 5 6 0 0\nend 1\n",
        "reachagent-index 1\n0 10 1 18446744073709551615 2 5 6 0 0\nend 1\n",
        "reachagent-index 1\n0 +10 1 2 2 5 6 0 0\nend 1\n", "reachagent-index 1\n0 10 1 2 2 - 6 0 0\nend 1\n",
        "reachagent-index 1\n0 10 1 2 2 5 6 0 0\n11 10 3 4 2 5 6 0 0\nend 2\n",
        "reachagent-index 1\n0 10 1 2 2 5 6 0 0\n10 10 2 4 2 5 6 0 0\nend 2\n",
        "reachagent-index 1\n0 10 1 2 2 5 6 0 7\n10 10 3 4 2 5 6 7 0\nend 2\n",
        "reachagent-index 1\n0 10 1 2 2 5 6 0 7\n10 10 3 4 2 5 6 8 7\nend 2\n",
    ])
    func `text that is not an index is rejected`(text: String) {
        #expect(SegmentIndex(decoding: Array(text.utf8)) == nil)
    }

    @Test func `the rejected texts differ from one that is accepted`() {
        let text = "reachagent-index 1\n0 10 1 2 2 5 6 0 7\n10 10 3 4 2 -5 6 7 7\nend 2\n"
        #expect(SegmentIndex(decoding: Array(text.utf8))?.count == 4)
    }
}
