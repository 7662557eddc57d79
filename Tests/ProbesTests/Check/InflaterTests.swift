import ProbeTestKit
import Testing

@testable import Probes

@Suite("Content decoding")
struct InflaterTests {
    private static let zlib: [UInt8] = [0x78, 0x9C, 0x4B, 0x4C, 0x4A, 0x06, 0x00, 0x02, 0x4D, 0x01, 0x27]

    /// Inflates pieces of at most `piece` bytes.
    private func inflate(_ bytes: [UInt8], as format: Inflater.Format = .gzip, piece: Int) throws -> (String, Bool) {
        let inflater = try Inflater(format)
        var output: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try inflater.inflate(Array(rest.prefix(piece))) { chunk in
                output += chunk
                return true
            }
            rest = rest.dropFirst(piece)
        }
        return (String(decoding: output, as: UTF8.self), inflater.isComplete)
    }

    private static func gzip(_ text: String) -> [UInt8] { Gzip.stored(Array(text.utf8)) }

    @Test(
        "Consecutive members are inflated, wherever the input is split",
        arguments: [
            (gzip("one"), "one"), (gzip("one") + gzip(" and two"), "one and two"),
            (gzip("") + gzip("x") + gzip(""), "x"),
            ((0..<300).flatMap { gzip("\($0 % 10)") }, String(repeating: "0123456789", count: 30)),
            (gzip(String(repeating: "long ", count: 20_000)), String(repeating: "long ", count: 20_000)),
        ],
        [1, 7, 1 << 20]
    )
    func members(encoded: ([UInt8], String), piece: Int) throws {
        let (text, isComplete) = try inflate(encoded.0, piece: piece)
        #expect(text == encoded.1)
        #expect(isComplete)
    }

    @Test("The zlib format is inflated, and a second stream is an error")
    func deflate() throws {
        let (text, isComplete) = try inflate(Self.zlib, as: .deflate, piece: 3)
        #expect(text == "abc")
        #expect(isComplete)
        #expect(throws: Inflater.Failure.self) { try inflate(Self.zlib + Self.zlib, as: .deflate, piece: 100) }
    }

    @Test("Input that ends in the middle of a member is incomplete")
    func truncation() throws {
        for bytes in [Self.gzip("one"), Self.gzip("one") + Self.gzip("two")] {
            let (_, isComplete) = try inflate(Array(bytes.dropLast()), piece: 5)
            #expect(!isComplete)
        }
    }

    @Test(
        "Input that is not in the format is rejected",
        arguments: [[0x61], [0x1F, 0x8B, 9], gzip("one") + [0, 0, 0]] as [[UInt8]]
    )
    func garbage(bytes: [UInt8]) {
        #expect(throws: Inflater.Failure.self) { try inflate(bytes + [0x61, 0x61], piece: 100) }
    }

    @Test("Inflating stops once no more output is wanted")
    func bound() throws {
        var taken = 0
        try Inflater(.gzip).inflate(Gzip.bomb(of: 64 << 20)) { chunk in
            taken += chunk.count
            return taken < 100_000
        }
        #expect(taken < 200_000)
    }
}
