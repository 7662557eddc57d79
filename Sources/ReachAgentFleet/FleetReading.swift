internal import AgentEvents
internal import Availability
internal import Glibc
internal import LinuxSupport
internal import Sinks
internal import Synchronization

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
        var fleet = Fleet(window: window)
        try read(.newest) { delivered in
            // Events before the window determine the state in which a device enters it; the others are delivered again.
            if window.map({ delivered.message.stored < $0.start }) ?? true { fleet.add(delivered.message) }
        }
        if let window { try read(.since(window.start)) { fleet.add($0.message) } }
        return fleet
    }

    /// Returns the newest event of each subject, if it was stored before a moment.
    func newest(before moment: Timestamp) throws(TransportFailure) -> [FleetMessage] {
        var messages: [FleetMessage] = []
        try read(.newest) { if $0.message.stored < moment { messages.append($0.message) } }
        return messages
    }

    /// Reads the currently stored events, without waiting for later ones.
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

/// A fleet that follows its stream on a thread of its own, across interruptions of the connection.
final class FleetFollower: Sendable {
    /// The future part of the window, after which the stream is read again, in microseconds.
    private static let futureMicroseconds: Int64 = 30 * 86_400_000_000
    /// The time without an event after which the end of the window is checked, in milliseconds.
    private static let patience: Int64 = 60_000

    /// The devices, and the state of the connection.
    struct State: Sendable {
        var fleet = Fleet()
        /// The number of stored events that have not been read yet.
        var backlog: UInt64 = .max
        /// The reason for an interruption, and its time.
        var interruption: (failure: TransportFailure, since: Timestamp)?
        /// The reason for the end.
        var end: TransportFailure?
        var hasChanges = true
    }

    /// Signaled whenever there are changes.
    let wakeup: Wakeup
    private let source: FleetSource
    /// The length of the window before the start, in microseconds.
    private let past: Int64
    private let state = Mutex(State())

    /// Creates a follower that has not started.
    ///
    /// - Parameters:
    ///   - source: The source of the events.
    ///   - since: The start of the window of the figures.
    init(_ source: FleetSource, since: Timestamp) throws(SystemError) {
        wakeup = try Wakeup()
        self.source = source
        past = max(1, Timestamp.now.microsecondsSince1970 - since.microsecondsSince1970)
    }

    /// Starts the thread, which ends with the process.
    func start() throws(SystemError) {
        try NamedThread.start("fleet-events") { [self] in
            while follow() {}
        }
    }

    /// Reads or changes the state, while the follower waits.
    func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Follows the stream until the window ends.
    ///
    /// - Returns: `false` if the first connection fails, so that a mistake on the command line is reported immediately.
    private func follow() -> Bool {
        let now = Timestamp.now.microsecondsSince1970
        let window = Window(
            from: Timestamp(microsecondsSince1970: max(0, now - past)),
            to: Timestamp(microsecondsSince1970: now + Self.futureMicroseconds),
            in: .utc
        )
        note { $0.fleet = Fleet(window: window) }
        var delivery: FleetDelivery?
        var pause: Duration = .seconds(1)
        while window.map({ $0.end > .now }) ?? true {
            do throws(TransportFailure) {
                let start = if let delivery { delivery } else { try enter(window) }
                delivery = start
                let consumer = try FleetConsumer(source, start)
                let backlog = consumer.backlog() ?? 0
                note { state in
                    state.backlog = backlog
                    state.interruption = nil
                }
                pause = .seconds(1)
                while window.map({ $0.end > .now }) ?? true {
                    guard let delivered = try consumer.next(within: Self.patience) else { continue }
                    delivery = .after(delivered.position)
                    note { state in
                        if start.includes(delivered.message) { state.fleet.add(delivered.message) }
                        state.backlog = min(state.backlog > 0 ? state.backlog - 1 : 0, delivered.pending)
                    }
                }
            } catch {
                let isFirst = delivery == nil
                note { state in
                    state.interruption = (error, state.interruption?.since ?? .now)
                    if isFirst { state.end = error }
                }
                if isFirst { return false }
                // Spreads the reconnections of many watching clients when a server returns.
                Self.sleep(for: pause * Double.random(in: 0.5...1))
                pause = min(pause * 2, .seconds(30))
            }
        }
        return true
    }

    /// Adds the events from before the window, which determine the state in which each device enters it.
    private func enter(_ window: Window?) throws(TransportFailure) -> FleetDelivery {
        guard let window else { return .all }
        let older = try FleetReading(source: source).newest(before: window.start)
        note { state in
            for message in older { state.fleet.add(message) }
        }
        return .since(window.start)
    }

    private static func sleep(for duration: Duration) {
        poll(nil, 0, PollTimeout.milliseconds(until: .now + duration))
    }

    private func note(_ change: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            change(&state)
            defer { state.hasChanges = true }
            return !state.hasChanges
        }
        // A reader that has not taken the changes yet is already awake, or sleeps until its next check.
        if isFirst { wakeup.signal() }
    }
}
