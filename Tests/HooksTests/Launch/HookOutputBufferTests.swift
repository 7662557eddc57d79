import Testing

@testable import Hooks

@Suite
struct HookOutputBufferTests {
    @Test(arguments: [0, 1, 2048, 2049, 4095, 4096])
    func `output that fits is kept as a whole`(count: Int) {
        var buffer = HookOutputBuffer()
        let bytes = (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        for byte in bytes { buffer.append([byte]) }
        #expect(buffer.output == HookOutput(text: String(decoding: bytes, as: UTF8.self), bytes: count))
    }

    @Test(arguments: [1, 7, 2047, 5000])
    func `of longer output the beginning and the end are kept`(chunk: Int) {
        var buffer = HookOutputBuffer()
        let bytes = (0..<5000).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        for start in stride(from: 0, to: bytes.count, by: chunk) { buffer.append(bytes[start...].prefix(chunk)) }
        let expected =
            String(decoding: bytes.prefix(2048), as: UTF8.self) + HookOutputBuffer.gap
            + String(decoding: bytes.suffix(2048), as: UTF8.self)
        #expect(buffer.output == HookOutput(text: expected, bytes: 5000, omittedBytes: 904))
    }

    @Test(arguments: ["é", "€", "😀"], 0..<4)
    func `no character is cut`(character: String, shift: Int) {
        var buffer = HookOutputBuffer()
        let text = String(repeating: "x", count: shift) + String(repeating: character, count: 3000)
        buffer.append(Array(text.utf8))
        let output = buffer.output
        #expect(!output.text.contains("\u{FFFD}"))
        #expect(output.bytes == text.utf8.count)
        #expect(output.text.utf8.count - HookOutputBuffer.gap.utf8.count == output.bytes - output.omittedBytes)
        #expect(HookOutput.maximumBytes - 6...HookOutput.maximumBytes ~= output.bytes - output.omittedBytes)
    }

    @Test
    func `invalid UTF-8 is replaced`() {
        var buffer = HookOutputBuffer()
        buffer.append([0x61, 0xFF, 0x62])
        #expect(buffer.output.text == "a\u{FFFD}b")
        buffer.append([UInt8](repeating: 0x80, count: 100_000))
        #expect(buffer.output.bytes == 100_003)
    }
}

extension HookOutputBuffer {
    fileprivate mutating func append(_ bytes: some Sequence<UInt8>) {
        Array(bytes).withUnsafeBytes { append($0) }
    }
}
