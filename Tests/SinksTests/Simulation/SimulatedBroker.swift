import AgentEvents
import Sinks

/// A broker that stores messages as JetStream does: in the order of a connection, without those whose id it has seen
/// lately.
struct SimulatedBroker {
    struct Stored {
        var id: String
        var identity: Int
        var payload: [UInt8]
    }

    /// The time for which ids are remembered.
    var window: Duration = .seconds(120)
    /// False for MQTT: the newest message is not known, and doubles are stored.
    var canBeAsked = true
    var isUp = true
    /// The stream as a reader sees it now.
    var stored: [Stored] = []
    /// Every event that was ever stored.
    var everStored: Set<Int> = []
    /// The event that an id stood for, for ever.
    var identities: [String: Int] = [:]
    /// An id that stood for two events.
    var ambiguous: [String] = []
    private var seen: [String: Duration] = [:]

    /// The messages that the connection has brought, and that are not processed yet.
    var inbox: [SinkMessage] = []
    /// The messages that former connections have brought, and that are not processed yet.
    var leftovers: [SinkMessage] = []
    /// Answers on their way.
    var answers: [TransportEvent] = []
    var isConnected = false

    var newest: StoredPosition? {
        guard canBeAsked else { return nil }
        return stored.last.map { StoredPosition(id: $0.id, time: JournalEvent($0.payload)?.time.description ?? "") }
    }

    /// The connection ends; some of what it has brought may be processed yet.
    mutating func disconnect(keepingInbox: Bool) {
        if keepingInbox { leftovers += inbox }
        inbox = []
        answers = []
        isConnected = false
    }

    /// The process ends at once.
    mutating func kill() {
        disconnect(keepingInbox: false)
        leftovers = []
        isUp = false
    }

    /// The newest messages were not on the disk yet.
    mutating func forget(_ count: Int) {
        for message in stored.suffix(count) {
            everStored.remove(message.identity)
            seen[message.id] = nil
        }
        stored.removeLast(count)
    }

    mutating func process(at now: Duration, refusing refusal: (SinkMessage) -> TransportFailure?) {
        guard !inbox.isEmpty else { return }
        let message = inbox.removeFirst()
        if let failure = refusal(message) {
            answers.append(.refused(message.sequence, failure))
        } else {
            store(message, at: now)
            answers.append(.acknowledged(message.sequence))
        }
    }

    mutating func processLeftover(at now: Duration, refusing refusal: (SinkMessage) -> TransportFailure? = { _ in nil })
    {
        guard !leftovers.isEmpty else { return }
        let message = leftovers.removeFirst()
        if refusal(message) == nil { store(message, at: now) }
    }

    private mutating func store(_ message: SinkMessage, at now: Duration) {
        if canBeAsked {
            if let last = seen[message.id], now - last < window { return }
            seen[message.id] = now
        }
        let identity = Self.identity(of: message)
        stored.append(Stored(id: message.id, identity: identity, payload: message.payload))
        everStored.insert(identity)
        if let former = identities.updateValue(identity, forKey: message.id), former != identity {
            ambiguous.append(message.id)
        }
    }

    /// The number at the end of the payload; the rest is read when it is asked for, because most messages' never is.
    static func identity(of message: SinkMessage) -> Int {
        let payload = message.payload
        var (identity, factor) = (0, 1)
        var position = payload.count - 3
        while position >= 0, case let digit = payload[position] &- UInt8(ascii: "0"), digit < 10 {
            identity += Int(digit) * factor
            (factor, position) = (factor * 10, position - 1)
        }
        return factor == 1 ? -1 : identity
    }
}
