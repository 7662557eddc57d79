internal import CTestbed
internal import Glibc

/// The content of a line of `stream-load`, by itself or as the data of a server-sent event; `nil` for all other lines.
struct SampleLine {
    let sequence: UInt64
    /// CLOCK_MONOTONIC when the event was published.
    let sent: UInt64

    init?(_ line: UnsafeRawBufferPointer) {
        guard let base = line.baseAddress, let first = line.first,
            first == UInt8(ascii: "{") || first == UInt8(ascii: "d")
        else { return nil }
        var position = testbed_find(base, min(line.count, 400), "\"seq\":", 6) + 6
        guard position >= 6 else { return nil }
        sequence = Self.number(line, &position)
        let end = max(0, line.count - 400)
        position = testbed_find(base + end, line.count - end, "\"settled_ms\":", 13) + 13
        guard position >= 13 else { return nil }
        position += end
        sent = Self.number(line, &position)
    }

    private static func number(_ line: UnsafeRawBufferPointer, _ position: inout Int) -> UInt64 {
        var value: UInt64 = 0
        while position < line.count, case let digit = line[position] &- UInt8(ascii: "0"), digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            position += 1
        }
        return value
    }
}
