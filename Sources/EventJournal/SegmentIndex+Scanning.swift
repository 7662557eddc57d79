internal import AgentEvents
internal import Glibc

extension SegmentIndex {
    /// Creates the index of a plain segment by reading all of it.
    init(scanning file: JournalFile, _ name: SegmentName) throws(JournalError) {
        self.init()
        var offset: UInt64 = 0
        var rest: [UInt8] = []
        var isSkippingLine = false
        while true {
            let bytes = try file.read(at: offset + UInt64(rest.count), atMost: 256 << 10, behind: rest[...])
            guard bytes.count > rest.count else { return }
            var start = 0
            while let end = bytes.span.firstLineEnd(from: start) {
                if !isSkippingLine, let line = ScannedLine(bytes.span.extracting(start..<end)),
                    let sequence = line.sequence, sequence >= name.firstSequence, let time = line.time
                {
                    add(sequence: sequence, time: time, offset: offset + UInt64(start), length: end + 1 - start)
                }
                isSkippingLine = false
                start = end + 1
            }
            if bytes.count - start > ScannedLine.maximumBytes {
                isSkippingLine = true
                start = bytes.count
            }
            offset += UInt64(start)
            rest = Array(bytes[start...])
        }
    }
}

extension Span<UInt8> {
    /// Returns the position of the first `\n` from a start.
    func firstLineEnd(from start: Int) -> Int? {
        guard start >= 0, start < count else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }
}
