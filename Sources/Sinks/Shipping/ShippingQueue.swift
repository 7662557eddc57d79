internal import AgentEvents

/// The events on their way to the broker, in order: those that were sent, up to the window, and behind them those that
/// wait.
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
        /// True for an event that the broker passed over on a former connection.
        var isLate = false
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

    /// Empties the queue, and returns the events that the broker may lack although it has later ones.
    ///
    /// These are the ones that it refused for now, and those whose answer never came although that of a later one did:
    /// a cluster that changes its leader drops some of what is in flight. The newest stored event does not reveal them.
    mutating func removeAll() -> [Entry] {
        // A later answer came: the event was passed over for certain.
        for index in entries.indices.prefix(entries.lastIndex { $0.state == .acknowledged } ?? 0)
        where entries[index].state == .sent {
            entries[index].state = .refused
        }
        // Behind a refusal, an answer that never came may be another one.
        let isDoubtful = isRefused
        defer { self = ShippingQueue() }
        return entries.filter { entry in
            switch entry.state {
            case .refused: true
            case .sent: isDoubtful || entry.isLate
            case .waiting: entry.isLate
            case .acknowledged, .abandoned: false
            }
        }
    }
}
