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
        func add(_ delivered: DeliveredMessage) {
            // Events before the window determine the state in which a device enters it; the others are delivered again.
            if window.map({ delivered.message.stored < $0.start }) ?? true { fleet.add(delivered.message) }
        }
        if try !read(.newest, add) {
            fleet = Fleet(window: window)
            try read(.newest, limit: .messages, add)
        }
        return fleet
    }

    /// Reads the currently stored events, without waiting for later ones.
    ///
    /// - Returns: `false` if an event is lost. nats-server 2.9, of Debian 12, never delivers the newest message of a
    ///   subject that is too large for the rest of a request's bytes. Agents' events never fill them; the messages of a
    ///   hostile device may. The library does not know the server's version, but fewer events come than waited.
    @discardableResult
    private func read(
        _ policy: DeliverPolicy,
        limit: FleetConsumer.Limit = .bytes,
        _ add: (DeliveredMessage) -> Void
    ) throws(TransportFailure) -> Bool {
        let consumer = try FleetConsumer(source, policy, limit: limit)
        let account = consumer.account()
        let mayLose = policy == .newest && limit == .bytes
        var left = account?.total ?? .max
        var count: UInt64 = 0
        // Later events would hide a loss.
        var countAtStart: UInt64 = 0
        while left > 0 {
            if mayLose, consumer.isIncomplete, !consumer.hasNext {
                // For its messages the server goes on to count what is lost, in its account it does not.
                if account == nil || consumer.account()?.waiting == 0 { return false }
            }
            guard let delivered = try consumer.next(within: Self.patience) else { throw consumer.silence }
            if policy.includes(delivered.message) { add(delivered) }
            count += 1
            if let account, delivered.message.stored <= account.created { countAtStart += 1 }
            left = min(left - 1, delivered.pending)
            if count % 4096 == 0 { progress(count, count.addingReportingOverflow(left).partialValue) }
        }
        return !mayLose || !consumer.isIncomplete || account.map { countAtStart >= $0.total } ?? false
    }
}
