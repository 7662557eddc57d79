import NIOCore
import Testing

@testable import Probes

@Suite
struct UploadContentTests {
    @Test(arguments: [0, 1, 100, 65_536, 65_537, 1_000_000])
    func `an upload has its length`(length: Int) {
        let content = UploadContent(length: length)
        var sizes: [Int] = []
        while let piece = content.next(upTo: 64 << 10) { sizes.append(piece.readableBytes) }
        #expect(sizes.reduce(0, +) == length)
        #expect(sizes.allSatisfy { $0 > 0 && $0 <= 64 << 10 })
        #expect(content.isAtEnd && content.taken == length)
    }

    @Test
    func `an upload cannot be compressed`() throws {
        let piece = try #require(UploadContent(length: 64 << 10).next(upTo: 64 << 10))
        var counts = [Int](repeating: 0, count: 256)
        for byte in piece.readableBytesView { counts[Int(byte)] += 1 }
        #expect(counts.allSatisfy { (128...512).contains($0) })
    }
}
