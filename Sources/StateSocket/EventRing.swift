internal import AgentEvents
internal import NotificationBus

/// The newest events, in memory, shared by all subscribers.
struct EventRing {
    private let maximumBytes: Int
    private let maximumEvents: UInt64
    private var chunks: [EventChunk?] = []
    /// The index of the first chunk that was not dropped.
    private var head = 0
    private var byteCount = 0
    /// The number of the next event.
    private(set) var next: UInt64

    /// Creates an empty ring, with the number of its first event.
    init(next: UInt64, maximumBytes: Int, maximumEvents: Int) {
        self.next = next
        self.maximumBytes = max(1, maximumBytes)
        self.maximumEvents = UInt64(clamping: max(1, maximumEvents))
    }

    /// The number of the oldest event in the ring; ``next`` when it is empty.
    var first: UInt64 { head < chunks.count ? chunks[head]?.first ?? next : next }
    /// The number of the newest event so far.
    var newest: UInt64 { next - 1 }

    /// Drops everything if a batch does not follow the ring's newest event.
    ///
    /// Then events were lost on the way: subscribers that do not have them yet are cut off, or read them from the
    /// journal.
    mutating func expect(_ sequence: UInt64) {
        guard sequence != next else { return }
        self = EventRing(next: sequence, maximumBytes: maximumBytes, maximumEvents: Int(clamping: maximumEvents))
    }

    /// Appends the first events of a batch, and drops the oldest ones that exceed the limits.
    ///
    /// At most a quarter of the ring is replaced, so that subscribers get one part before the next one is added.
    mutating func append(_ events: inout ArraySlice<Event>) {
        let (start, startBytes) = (next, byteCount)
        let (partBytes, partEvents) = (maximumBytes / 4, Int(clamping: maximumEvents / 4))
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

    /// Returns the index of the chunk with an event; `nil` when it is not in the ring.
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

    /// Returns the chunk at an index; `nil` after the newest.
    func chunk(at index: Int) -> EventChunk? { chunks.indices.contains(index) ? chunks[index] : nil }
}
