internal import AgentEvents
internal import Availability
internal import Sinks

/// One reading of what a broker has stored, to its end.
struct FleetReading {
    /// The time without an event after which a reading gives up, in milliseconds.
    private static let patience: Int64 = 10_000

    let source: FleetSource
    /// Called now and then with the number of events so far, and of all.
    var progress: (_ read: UInt64, _ all: UInt64) -> Void = { _, _ in }

    /// The devices.
    ///
    /// - Parameter window: The time of the figures; `nil` for the present state, which the newest event of each subject tells.
    /// - Throws: The reason that the broker cannot be read.
    func fleet(_ window: Window?) throws(TransportFailure) -> Fleet {
        var fleet = Fleet(window: window)
        try read(.newest) { delivered in
            // Events older than the window say in which state a device enters it; the others come once more.
            if window.map({ delivered.message.stored < $0.start }) ?? true { fleet.add(delivered.message) }
        }
        if let window { try read(.since(window.start)) { fleet.add($0.message) } }
        return fleet
    }

    /// The newest event of each subject, where it was stored before a moment.
    func newest(before moment: Timestamp) throws(TransportFailure) -> [FleetMessage] {
        var messages: [FleetMessage] = []
        try read(.newest) { if $0.message.stored < moment { messages.append($0.message) } }
        return messages
    }

    /// Reads the events that are stored now; those that come meanwhile are not waited for.
    private func read(_ delivery: FleetDelivery, _ add: (FleetDelivered) -> Void) throws(TransportFailure) {
        let consumer = try FleetConsumer(source, delivery)
        let backlog = consumer.backlog()
        var left = backlog ?? .max
        var count: UInt64 = 0
        while left > 0 {
            guard let delivered = try consumer.next(within: Self.patience) else { throw consumer.silence }
            if delivery.includes(delivered.message) { add(delivered) }
            count += 1
            left = min(left - 1, delivered.pending)
            if count % 4096 == 0 { progress(count, count.addingReportingOverflow(left).partialValue) }
        }
    }
}
