internal import AgentEvents

/// The events on their way to the broker, in order: the sent ones, up to the window, followed by the waiting ones.
struct ShippingQueue: Sendable, Hashable {
    /// The maximum number of events, sent or waiting.
    static let maximumCount = 256
    /// The number of bytes above which no more events are accepted; one event may exceed it.
    static let maximumBytes = 1 << 20

    struct Entry: Sendable, Hashable {
        enum State: Sendable {
            case waiting, sent
            /// The broker has stored it.
            case acknowledged
            /// The broker will never accept it.
            case abandoned
            /// The broker does not accept it for now.
            case refused
        }

        var message: SinkMessage
        var time: Timestamp
        /// True for an event that is itself about sinks, such as `sink.lost`.
        var isAboutSinks = false
        /// True for an event that the broker skipped on a former connection.
        var isLate = false
        var state = State.waiting

        /// True if it needs no further handling.
        var isDone: Bool { state == .acknowledged || state == .abandoned }
    }

    private(set) var entries: [Entry] = []
    /// The number of sent entries at the front.
    private var sentCount = 0
    private var bytes = 0

    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.maximumCount || bytes >= Self.maximumBytes }
    /// True if an answer is due.
    var isAwaitingAnswer: Bool { entries[..<sentCount].contains { $0.state == .sent } }
    /// True if the broker rejects events for now: later events would overtake them.
    var isRefused: Bool { entries[..<sentCount].contains { $0.state == .refused } }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.message.payload.count
    }

    /// The numbers of the events that the broker has certainly skipped: it rejected them for now, or answered a later
    /// one instead.
    var skipped: [UInt64] {
        let sent = entries[..<sentCount]
        let answered = sent.lastIndex { $0.state == .acknowledged } ?? 0
        return sent.indices.filter { sent[$0].state == .refused || $0 < answered && sent[$0].state == .sent }
            .map { sent[$0].message.sequence }
    }

    /// The events that the broker may lack although it has later ones, or may have them soon.
    ///
    /// These are the events that it rejected for now, and those that remained unanswered although a later one was
    /// answered: a cluster that changes its leader drops some of the events in flight. The newest stored event does not
    /// reveal them.
    var lacking: [Entry] {
        var entries = entries
        // A later event was answered, so this one was certainly skipped.
        for index in entries.indices.prefix(entries.lastIndex { $0.state == .acknowledged } ?? 0)
        where entries[index].state == .sent {
            entries[index].state = .refused
        }
        // After a rejection, a missing answer may be another rejection.
        let isDoubtful = entries.contains { $0.state == .refused }
        return entries.filter { entry in
            switch entry.state {
            case .refused: true
            case .sent: isDoubtful || entry.isLate
            case .waiting: entry.isLate
            case .acknowledged, .abandoned: false
            }
        }
    }

    /// Returns the next event to send; `nil` if the window is full, or no event waits.
    ///
    /// The window starts with the oldest unfinished event, so it limits the events that a lost connection leaves in
    /// doubt. A late event is sent alone, at the front of the queue: the broker's newest event then shows if it arrived.
    mutating func nextToSend(window: Int) -> SinkMessage? {
        guard sentCount < min(entries.count, window),
            !entries[..<sentCount].prefix(while: \.isLate).contains(where: { $0.state == .sent })
        else { return nil }
        defer { sentCount += 1 }
        entries[sentCount].state = .sent
        return entries[sentCount].message
    }

    /// Records the answer to a sent event, and returns the event; `nil` for every other number.
    mutating func answer(_ sequence: UInt64, _ state: Entry.State) -> Entry? {
        guard let index = entries[..<sentCount].firstIndex(where: { $0.message.sequence == sequence }),
            entries[index].state == .sent
        else { return nil }
        entries[index].state = state
        return entries[index]
    }

    /// Removes the finished events at the front, and returns the last one.
    mutating func removeDone() -> Entry? {
        let count = entries.prefix { $0.isDone }.count
        guard count > 0 else { return nil }
        let last = entries[count - 1]
        bytes -= entries[..<count].reduce(0) { $0 + $1.message.payload.count }
        entries.removeFirst(count)
        sentCount -= count
        return last
    }

    /// Empties the queue, and returns the events that the broker may lack although it has later ones.
    mutating func removeAll() -> [Entry] {
        defer { self = ShippingQueue() }
        return lacking
    }
}
