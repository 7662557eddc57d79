internal import AgentEvents
internal import NIOCore
internal import NotificationBus

/// The newest events in memory, shared by all subscribers.
struct EventRing {
    private let maximumBytes: Int
    private let maximumEvents: UInt64
    private var chunks: [EventChunk?] = []
    /// The index of the first chunk that was not dropped.
    private var head = 0
    private var byteCount = 0
    /// The number of the next event.
    private(set) var next: UInt64

    /// Creates an empty ring; `next` is the number of its first event.
    init(next: UInt64, maximumBytes: Int, maximumEvents: Int) {
        self.next = next
        self.maximumBytes = max(1, maximumBytes)
        self.maximumEvents = UInt64(clamping: max(1, maximumEvents))
    }

    /// The number of the oldest event in the ring; ``next`` if it is empty.
    var first: UInt64 { head < chunks.count ? chunks[head]?.first ?? next : next }
    /// The number of the newest event so far.
    var newest: UInt64 { next - 1 }

    /// Drops everything if a batch does not follow the ring's newest event.
    ///
    /// In that case events were lost before the ring: subscribers that do not have them yet are cut off, or read them
    /// from the journal.
    mutating func expect(_ sequence: UInt64) {
        guard sequence != next else { return }
        self = EventRing(next: sequence, maximumBytes: maximumBytes, maximumEvents: Int(clamping: maximumEvents))
    }

    /// Appends the first events of a batch, and drops the oldest ones that exceed the limits.
    ///
    /// At most a 64th of the ring is replaced, less than a socket takes at once: subscribers get one part before the next
    /// one is added.
    mutating func append(_ events: inout ArraySlice<Event>) {
        let (start, startBytes) = (next, byteCount)
        let (partBytes, partEvents) = (maximumBytes / 64, Int(clamping: maximumEvents / 64))
        repeat {
            let chunk = EventChunk(
                &events,
                first: next,
                maximumBytes: min(EventChunk.fullSize, partBytes),
                maximumEvents: partEvents
            )
            chunks.append(chunk)
            byteCount += chunk.byteCount
            next = chunk.next
        } while !events.isEmpty && byteCount - startBytes < partBytes && next - start < UInt64(clamping: partEvents)
        trim()
    }

    private mutating func trim() {
        // The newest chunk always stays.
        while head < chunks.count - 1, byteCount > maximumBytes || next - first > maximumEvents {
            byteCount -= chunks[head]?.byteCount ?? 0
            chunks[head] = nil
            head += 1
        }
        if head >= 64, head * 2 > chunks.count {
            chunks.removeFirst(head)
            head = 0
        }
    }

    /// Returns the index of the chunk with an event; `nil` if it is not in the ring.
    func index(of sequence: UInt64) -> Int? {
        guard sequence >= first, sequence < next, head < chunks.count else { return nil }
        // Almost every subscriber is at the newest chunk.
        var (low, high) = (head, chunks.count - 1)
        if let last = chunks[high], sequence >= last.first { return high }
        while low < high {
            let middle = (low + high + 1) / 2
            guard let chunk = chunks[middle] else { return nil }
            if chunk.first <= sequence { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Returns the number of the first event at a time or later; `nil` if the ring has none.
    func firstSequence(from time: Timestamp) -> UInt64? {
        for case let chunk? in chunks[head...] {
            if let offset = chunk.times.firstIndex(where: { $0 >= time }) { return chunk.first + UInt64(offset) }
        }
        return nil
    }

    /// Returns the chunk at an index; `nil` after the newest.
    func chunk(at index: Int) -> EventChunk? { chunks.indices.contains(index) ? chunks[index] : nil }
}

/// Consecutive events, whose lines all subscribers share.
final class EventChunk {
    /// The maximum size of a chunk, unless one line is longer: a subscriber that hangs keeps a chunk in memory.
    fileprivate static let fullSize = 32 << 10

    /// The number of the first event; the others follow without gaps.
    let first: UInt64
    /// The types of the lines.
    private(set) var types: [EventType] = []
    /// The subjects of the lines.
    private(set) var subjects: [String] = []
    /// The times of the events.
    private(set) var times: [Timestamp] = []
    /// The ends of the plain lines, with their `\n`.
    private var ends: [Int] = []
    private var plain: ByteBuffer
    /// The same lines as replies, created on demand.
    private var replies: ByteBuffer?
    /// The same lines as server-sent events, and their ends, created on demand.
    private var serverSent: (lines: ByteBuffer, ends: [Int])?

    /// Creates the first chunk of a batch of events; takes as many as fit, and at least one.
    init(_ events: inout ArraySlice<Event>, first: UInt64, maximumBytes: Int = fullSize, maximumEvents: Int = .max) {
        self.first = first
        var (size, count) = (0, 0)
        for event in events {
            size += event.line.count + 1
            guard count == 0 || (size <= maximumBytes && count < maximumEvents) else {
                size -= event.line.count + 1
                break
            }
            count += 1
        }
        plain = ByteBufferAllocator().buffer(capacity: size)
        for event in events.prefix(count) {
            plain.writeLine(event.line, as: .plain)
            ends.append(plain.writerIndex)
            types.append(event.type)
            subjects.append(event.subject)
            times.append(event.time)
        }
        events.removeFirst(count)
    }

    /// The number of events.
    var count: Int { ends.count }
    /// The number after the last event.
    var next: UInt64 { first + UInt64(ends.count) }
    /// The size of the plain lines, in bytes.
    var byteCount: Int { plain.writerIndex }

    /// Returns some of the lines, by their offsets in the chunk, without copying.
    ///
    /// - Parameter stream: The stream of the numbers, always the same.
    func lines(_ range: Range<Int>, as format: LineFormat, of stream: String) -> ByteBuffer {
        let (all, ends): (ByteBuffer, [Int])
        switch format {
        case .plain: (all, ends) = (plain, self.ends)
        case .reply:
            all = makeReplies()
            return all.slice(from: replyOffset(range.lowerBound), to: replyOffset(range.upperBound))
        case .serverSent: (all, ends) = makeServerSent(of: stream)
        }
        func offset(_ line: Int) -> Int { line > 0 && line <= ends.count ? ends[line - 1] : 0 }
        return all.slice(from: offset(range.lowerBound), to: offset(range.upperBound))
    }

    private func replyOffset(_ line: Int) -> Int {
        line > 0 && line <= ends.count ? ends[line - 1] + line * LineFormat.replyOverhead : 0
    }

    private func makeServerSent(of stream: String) -> (ByteBuffer, [Int]) {
        if let serverSent { return serverSent }
        var buffer = ByteBufferAllocator().buffer(capacity: plain.writerIndex + count * (stream.utf8.count + 32))
        var (start, sentEnds) = (0, [Int]())
        for (index, end) in ends.enumerated() {
            if let line = plain.viewBytes(at: start, length: end - 1 - start) {
                buffer.writeLine(line, as: .serverSent, id: (stream, first + UInt64(index)))
            }
            sentEnds.append(buffer.writerIndex)
            start = end
        }
        serverSent = (buffer, sentEnds)
        return (buffer, sentEnds)
    }

    private func makeReplies() -> ByteBuffer {
        if let replies { return replies }
        var buffer = ByteBufferAllocator().buffer(capacity: replyOffset(count))
        var start = 0
        for end in ends {
            if let line = plain.viewBytes(at: start, length: end - 1 - start) { buffer.writeLine(line, as: .reply) }
            start = end
        }
        replies = buffer
        return buffer
    }
}

extension ByteBuffer {
    /// Returns the bytes between two offsets; empty if they are out of range.
    fileprivate func slice(from start: Int, to end: Int) -> ByteBuffer {
        getSlice(at: start, length: end - start) ?? ByteBuffer()
    }
}
