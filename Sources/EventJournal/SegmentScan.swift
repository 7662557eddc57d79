internal import AgentEvents
internal import CLibZstd
internal import Glibc

/// The result of reading a segment from start to end.
struct SegmentScan: Sendable {
    /// The index of the valid lines.
    private(set) var index = SegmentIndex()
    /// The highest number.
    private(set) var newest: UInt64?
    /// The time of the first valid line, or an earlier plausible one of another line; `nil` without a line.
    ///
    /// The clock may have been ahead at the first event. Earlier times that are not plausible do not count: a device
    /// without a battery-backed clock starts in 1970 with each boot.
    private(set) var firstTime: Timestamp?
    /// Lines between valid ones that are invalid, or whose numbers are out of order.
    private(set) var corruptLines = 0
    /// The end of the last well-formed line.
    private(set) var goodEnd: UInt64 = 0
    /// The size of the text.
    private(set) var size: UInt64 = 0

    /// The number of bytes after the last well-formed line: torn by a crash.
    var tornBytes: UInt64 { size - goodEnd }

    private static let chunk = 256 << 10
    private var pending: [UInt8] = []
    private var badLines = 0
    private var isInsideOverlongLine = false

    /// Scans a plain segment.
    init(plain file: OpenFile) throws(JournalError) {
        var chunk = [UInt8](repeating: 0, count: Self.chunk)
        var offset: off_t = 0
        while true {
            let count = pread(file.descriptor, &chunk, chunk.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw JournalError(operation: "read", path: file.path, cause: .errno(errno)) }
            guard count > 0 else { break }
            offset += off_t(count)
            add(chunk[..<count])
        }
    }

    /// Scans a compressed segment, up to the first damage.
    init(compressed file: OpenFile) throws(JournalError) {
        guard let stream = ZSTD_createDCtx() else {
            throw JournalError(operation: "read", path: file.path, cause: .errno(ENOMEM))
        }
        defer { ZSTD_freeDCtx(stream) }
        var input = [UInt8](repeating: 0, count: Self.chunk)
        var text = [UInt8](repeating: 0, count: Self.chunk)
        var offset: off_t = 0
        while true {
            let count = pread(file.descriptor, &input, input.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw JournalError(operation: "read", path: file.path, cause: .errno(errno)) }
            guard count > 0 else { break }
            offset += off_t(count)
            var used = 0
            // Short frames are added together: each part costs a search of the incomplete line before it.
            var filled = 0
            var isFull = false
            while used < count || isFull {
                let (taken, before) = (used, filled)
                let result = text.withUnsafeMutableBytes { text in
                    input.withUnsafeBytes { input in
                        var source = ZSTD_inBuffer(src: input.baseAddress, size: count, pos: used)
                        var target = ZSTD_outBuffer(dst: text.baseAddress, size: text.count, pos: filled)
                        let result = ZSTD_decompressStream(stream, &target, &source)
                        used = source.pos
                        filled = target.pos
                        return result
                    }
                }
                guard ZSTD_isError(result) == 0 else {
                    add(text[..<before])
                    return
                }
                if used == taken, filled == before { break }
                isFull = filled == text.count
                if isFull {
                    add(text[...])
                    filled = 0
                }
            }
            add(text[..<filled])
        }
    }

    private mutating func add(_ chunk: ArraySlice<UInt8>) {
        size += UInt64(chunk.count)
        pending.append(contentsOf: chunk)
        // The offset of the first pending byte.
        var offset = size - UInt64(pending.count)
        var start = 0
        while start < pending.count, let end = lineEnd(from: start) {
            addLine(start..<end, at: offset)
            offset += UInt64(end + 1 - start)
            start = end + 1
        }
        pending.removeFirst(start)
        if pending.count > ScannedLine.maximumBytes {
            pending = []
            isInsideOverlongLine = true
        }
    }

    private func lineEnd(from start: Int) -> Int? {
        pending.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start) else {
                return nil
            }
            return base.distance(to: UnsafeRawPointer(found))
        }
    }

    private mutating func addLine(_ line: Range<Int>, at offset: UInt64) {
        let isRest = isInsideOverlongLine
        isInsideOverlongLine = false
        guard !isRest, let scanned = ScannedLine(pending.span.extracting(line)) else { return badLines += 1 }
        goodEnd = offset + UInt64(line.count) + 1
        corruptLines += badLines
        badLines = 0
        guard let sequence = scanned.sequence, sequence > newest ?? 0, sequence <= JournalRecord.maximumSequence else {
            return corruptLines += 1
        }
        newest = sequence
        let time = scanned.time ?? index.newestTime ?? Timestamp(microsecondsSince1970: 0)
        let isEarlier = firstTime.map { time < $0 && time >= .earliestPlausible }
        if isEarlier ?? true { firstTime = time }
        index.add(sequence: sequence, time: time, offset: offset, length: line.count + 1)
    }
}
