import AgentTestKit
import Foundation
import Glibc
import ProbeTestKit
import Testing

@Suite
struct GzipTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The number of bytes that gzip(1) makes of a file's bytes, and its exit status: an independent decoder.
    ///
    private func decompress(_ bytes: [UInt8]) async throws -> (count: Int, status: Int32) {
        try await onThread { try run(bytes) }
    }

    private func run(_ bytes: [UInt8]) throws -> (count: Int, status: Int32) {
        let path = try directory.file("gzip", bytes)
        let pipe = try #require(popen("gzip -dc < \(path) | wc -c", "r"))
        var line = [CChar](repeating: 0, count: 64)
        _ = fgets(&line, Int32(line.count), pipe)
        let text = String(decoding: line.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let check = system("gzip -t < \(path) 2>/dev/null")
        pclose(pipe)
        return (Int(text) ?? -1, check)
    }

    @Test(arguments: [0, 1, 0xffff, 0x10000, 200_000])
    func `stored blocks are valid gzip`(size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let result = try await decompress(Gzip.stored(bytes))
        #expect(result.count == size)
        #expect(result.status == 0)
    }

    @Test(arguments: [1, 259, 1000, 1_000_000, 50_000_000])
    func `a bomb is valid gzip and a thousandth of what it becomes`(size: Int) async throws {
        let bomb = Gzip.bomb(of: size)
        let result = try await decompress(bomb)
        #expect(result.status == 0, "the checksum is right")
        #expect(result.count >= size && result.count < size + 258)
        #expect(bomb.count <= size / 1000 + 80)
    }
}
