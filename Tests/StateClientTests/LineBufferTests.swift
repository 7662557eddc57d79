import Testing

@testable import StateClient

/// Bytes become lines, however they come.
@Suite struct LineBufferTests {
    private func lines(_ pieces: [[UInt8]], maximumBytes: Int = 8) throws(ClientError) -> [String] {
        var buffer = LineBuffer(maximumBytes: maximumBytes)
        var lines: [String] = []
        for piece in pieces {
            buffer.append(piece[...])
            while let line = try buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        }
        return lines
    }

    @Test("a text gives the same lines in pieces of every size", arguments: 1...12)
    func pieces(_ size: Int) throws {
        let text = Array("one\n\nthree\n12345678\nrest".utf8)
        let pieces = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min(text.count, $0 + size)]) }
        #expect(try lines(pieces) == ["one", "", "three", "12345678"])
    }

    @Test("a line that is too long is an error, whether it has ended or not", arguments: ["123456789\n", "123456789"])
    func tooLong(_ text: String) {
        #expect(throws: ClientError.malformed("a line is longer than 8 bytes")) { try lines([Array(text.utf8)]) }
    }
}
