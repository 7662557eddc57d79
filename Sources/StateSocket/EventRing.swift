internal import EventEnvelope
internal import NotificationBus

/// The newest events, in memory, shared by all subscribers.
struct EventRing {
    private let mostBytes: Int
    private let mostEvents: UInt64
    private var chunks: [EventChunk?] = []
    /// The chunks before this index were let go.
    private var head = 0
    private var byteCount = 0
    /// The number that the next event will have.
    private(set) var next: UInt64

    /// An empty ring, whose first event will have a number.
    init(next: UInt64, mostBytes: Int, mostEvents: Int) {
        self.next = next
        self.mostBytes = max(1, mostBytes)
        self.mostEvents = UInt64(clamping: max(1, mostEvents))
    }

    /// The number of the oldest event that is there; ``next`` when there is none.
    var first: UInt64 { head < chunks.count ? chunks[head]?.first ?? next : next }
    /// The number of the newest event that there was.
    var newest: UInt64 { next - 1 }

    /// Lets everything go when a batch does not follow what is there.
    ///
    /// Something was lost on the way here then: who has not got it yet is cut off, or reads it from the journal.
    mutating func expect(_ sequence: UInt64) {
        guard sequence != next else { return }
        self = EventRing(next: sequence, mostBytes: mostBytes, mostEvents: Int(clamping: mostEvents))
    }

    /// Adds the first events of a batch, and lets the oldest ones go that there is no room for.
    ///
    /// At most a quarter of the ring is replaced, so that subscribers can be given one part before the next one comes.
    mutating func append(_ events: inout ArraySlice<Event>) {
        let (start, startBytes) = (next, byteCount)
        let (partBytes, partEvents) = (mostBytes / 4, Int(clamping: mostEvents / 4))
        repeat {
            let chunk = EventChunk(
                &events,
                first: next,
                mostBytes: min(EventChunk.fullSize, partBytes),
                mostEvents: partEvents
            )
            chunks.append(chunk)
            byteCount += chunk.byteCount
            next = chunk.next
        } while !events.isEmpty && byteCount - startBytes < partBytes && next - start < UInt64(clamping: partEvents)
        trim()
    }

    private mutating func trim() {
        // The newest chunk stays in any case.
        while head < chunks.count - 1, byteCount > mostBytes || next - first > mostEvents {
            byteCount -= chunks[head]?.byteCount ?? 0
            chunks[head] = nil
            head += 1
        }
        if head >= 64, head * 2 > chunks.count {
            chunks.removeFirst(head)
            head = 0
        }
    }

    /// The index of the chunk that has an event; `nil` when the event is not there.
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

    /// The chunk at an index; `nil` behind the newest.
    func chunk(at index: Int) -> EventChunk? { chunks.indices.contains(index) ? chunks[index] : nil }
}
