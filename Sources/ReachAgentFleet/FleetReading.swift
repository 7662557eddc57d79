internal import AgentEvents
internal import Availability
internal import Sinks

/// One complete pass over the events that a broker has stored.
struct FleetReading {
    /// The time without an event after which reading fails, in milliseconds.
    private static let patience: Int64 = 10_000

    let source: FleetSource
    /// Called regularly with the number of events read so far, and the total.
    var progress: (_ read: UInt64, _ all: UInt64) -> Void = { _, _ in }

    /// Reads the devices.
    ///
    /// - Parameter window: The window of the figures; `nil` for the current state, according to the newest event of
    ///   each subject.
    /// - Throws: The reason that the broker cannot be read.
    func fleet(_ window: Window?) throws(TransportFailure) -> Fleet {
        var fleet = try newest(window)
        if let window { try read(.since(window.start)) { fleet.add($0.message) } }
        return fleet
    }

    /// Reads the devices according to the newest event of each subject, without the events of the window.
    ///
    /// Of the messages, which may have the maximum size and any number of subjects, none is kept.
    func newest(_ window: Window?) throws(TransportFailure) -> Fleet {
        var fleet = Fleet(window: window)
        try read(.newest) { delivered in
            // Events before the window determine the state in which a device enters it; the others are delivered again.
            if window.map({ delivered.message.stored < $0.start }) ?? true { fleet.add(delivered.message) }
        }
        return fleet
    }

    /// Reads the currently stored events, without waiting for later ones.
    private func read(_ policy: DeliverPolicy, _ add: (DeliveredMessage) -> Void) throws(TransportFailure) {
        let consumer = try FleetConsumer(source, policy)
        let backlog = consumer.backlog()
        var left = backlog ?? .max
        var count: UInt64 = 0
        while left > 0 {
            guard let delivered = try consumer.next(within: Self.patience) else { throw consumer.silence }
            if policy.includes(delivered.message) { add(delivered) }
            count += 1
            left = min(left - 1, delivered.pending)
            if count % 4096 == 0 { progress(count, count.addingReportingOverflow(left).partialValue) }
        }
    }
}
