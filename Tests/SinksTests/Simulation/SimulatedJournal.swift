import AgentEvents
import Sinks

/// The journal of a device, and the subscription of its sink.
struct SimulatedJournal {
    struct Recorded {
        var sequence: UInt64
        /// The number of the event among all that were ever published: what a reader of the broker must see once.
        var identity: Int
        var event: JournalEvent
    }

    private(set) var stream: String
    private(set) var events: [Recorded] = []
    private(set) var newest: UInt64 = 0

    init(stream: String) { self.stream = stream }

    mutating func append(identity: Int, type: String = "path.changed", at time: Timestamp) {
        newest += 1
        let line = Array(
            """
            {"specversion":"1.0","id":"\(stream)-\(newest)","source":"/reachagent/sim","type":"reachagent.\(type)",\
            "subject":"default","time":"\(time)","seq":\(newest),"data":{"n":\(identity)}}
            """.utf8
        )
        guard let event = JournalEvent(line) else { return }
        events.append(Recorded(sequence: newest, identity: identity, event: event))
    }

    /// Removes the oldest events, as their age would.
    mutating func expire(keeping count: Int) { events.removeFirst(max(0, events.count - count)) }

    func event(after sequence: UInt64) -> Recorded? {
        // The numbers are without a hole.
        guard let first = events.first else { return nil }
        let index = sequence < first.sequence ? 0 : Int(sequence - first.sequence) + 1
        return events.indices.contains(index) ? events[index] : nil
    }
}
