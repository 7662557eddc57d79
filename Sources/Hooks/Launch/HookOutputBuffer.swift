/// Keeps the start and the end of a program's output of any length.
struct HookOutputBuffer: Sendable {
    /// The mark for omitted output.
    static let gap = "\n[…]\n"

    private static let half = HookOutput.maximumBytes / 2

    private var head: [UInt8] = []
    private var tail: [UInt8] = []
    /// The total size, in bytes.
    private(set) var count = 0

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let (sum, isOver) = count.addingReportingOverflow(bytes.count)
        count = isOver ? .max : sum
        let split = min(Self.half - head.count, bytes.count)
        head.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<split]))
        let rest = UnsafeRawBufferPointer(rebasing: bytes[split...].suffix(Self.half))
        let excess = tail.count + rest.count - Self.half
        if excess > 0 { tail.removeFirst(excess) }
        tail.append(contentsOf: rest)
    }

    /// The kept output; characters cut at the gap are omitted as a whole.
    var output: HookOutput {
        guard count > head.count + tail.count else {
            return HookOutput(text: String(decoding: head + tail, as: UTF8.self), bytes: count)
        }
        let head = head.dropLast(Self.cutAtEnd(of: head))
        let tail = tail.dropFirst(tail.prefix(3).prefix { Self.isContinuation($0) }.count)
        return HookOutput(
            text: String(decoding: head, as: UTF8.self) + Self.gap + String(decoding: tail, as: UTF8.self),
            bytes: count,
            omittedBytes: count - head.count - tail.count
        )
    }

    /// Returns the number of bytes at the end that begin an incomplete character (RFC 3629).
    private static func cutAtEnd(of bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where !isContinuation(byte) {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
