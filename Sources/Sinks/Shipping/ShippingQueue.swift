internal import AgentEvents

/// The events on their way to the broker, in order: those that were sent, up to the window, and behind them those that wait.
struct ShippingQueue: Sendable, Hashable {
    /// The maximum number of events, sent or waiting.
    static let maximumCount = 256
    /// The number of bytes from which on no more events are taken; one event may exceed it.
    static let maximumBytes = 1 << 20

    struct Entry: Sendable, Hashable {
        enum State: Sendable {
            case waiting, sent
            /// The broker has it.
            case acknowledged
            /// The broker would never take it.
            case abandoned
            /// The broker does not take it for now.
            case refused
        }

        var message: SinkMessage
        var time: Timestamp
        /// True for an event that is itself about sinks, such as `sink.lost`.
        var isAboutSinks = false
        var state = State.waiting

        /// True when nothing is left to be done for it.
        var isDone: Bool { state == .acknowledged || state == .abandoned }
    }

    private(set) var entries: [Entry] = []
    /// The number of entries at the front that were sent.
    private var sentCount = 0
    private var bytes = 0

    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.maximumCount || bytes >= Self.maximumBytes }
    /// True when an answer is due.
    var isAwaitingAnswer: Bool { entries[..<sentCount].contains { $0.state == .sent } }
    /// True when the broker refuses events for now: what is sent behind them would overtake them.
    var isRefused: Bool { entries[..<sentCount].contains { $0.state == .refused } }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.message.payload.count
    }

    /// The next event to send; `nil` when the window is full, or nothing waits.
    ///
    /// The window begins with the oldest event that is not done, so it bounds what a lost connection leaves in doubt.
    mutating func nextToSend(window: Int) -> SinkMessage? {
        guard sentCount < min(entries.count, window) else { return nil }
        defer { sentCount += 1 }
        entries[sentCount].state = .sent
        return entries[sentCount].message
    }

    /// Notes the answer to an event that was sent, and returns it; `nil` for every other number.
    mutating func answer(_ sequence: UInt64, _ state: Entry.State) -> Entry? {
        guard let index = entries[..<sentCount].firstIndex(where: { $0.message.sequence == sequence }),
            entries[index].state == .sent
        else { return nil }
        entries[index].state = state
        return entries[index]
    }

    /// Removes the events at the front that are done, and returns the last of them.
    mutating func removeDone() -> Entry? {
        let count = entries.prefix { $0.isDone }.count
        guard count > 0 else { return nil }
        let last = entries[count - 1]
        bytes -= entries[..<count].reduce(0) { $0 + $1.message.payload.count }
        entries.removeFirst(count)
        sentCount -= count
        return last
    }

    /// Empties the queue, and returns the events that the broker is known to lack although it may have later ones: those that it
    /// refused for now, and those whose answer never came although a later one's did.
    ///
    /// Without that, the newest stored event would stand for them: a cluster that changes its leader drops some of what is in flight.
    mutating func removeAll() -> [Entry] {
        let lastAcknowledged = entries.lastIndex { $0.state == .acknowledged } ?? 0
        let lacking = entries.indices.filter { index in
            entries[index].state == .refused || (entries[index].state == .sent && index < lastAcknowledged)
        }
        defer { self = ShippingQueue() }
        return lacking.map { index in
            var entry = entries[index]
            entry.state = .waiting
            return entry
        }
    }
}
