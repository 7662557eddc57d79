internal import Glibc

/// Cuts what one subscriber reads into lines; what has no end yet is kept for the next time.
struct LineCutter {
    private var rest: [UInt8] = []

    /// Reads once, and hands out the complete lines without their ends.
    ///
    /// - Parameters:
    ///   - room: Where to read; what is kept must fit too.
    ///   - body: Is given each line, and whether it is the last one of this reading.
    /// - Returns: how many bytes were read; 0 at the end, -1 with errno.
    mutating func read(
        from descriptor: Int32,
        with room: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Int {
        guard let base = room.baseAddress, rest.count < room.count else { return 0 }
        rest.withUnsafeBytes { room.copyMemory(from: $0) }
        let kept = rest.count
        let count = recv(descriptor, base + kept, room.count - kept, Int32(MSG_DONTWAIT))
        guard count > 0 else { return count }
        let filled = kept + count
        var start = 0
        while start < filled, let end = memchr(base + start, 0x0A, filled - start) {
            let length = UnsafeRawPointer(end) - UnsafeRawPointer(base + start)
            body(UnsafeRawBufferPointer(start: base + start, count: length))
            start += length + 1
        }
        if start < filled || !rest.isEmpty { rest = Array(UnsafeRawBufferPointer(rebasing: room[start..<filled])) }
        return count
    }
}
