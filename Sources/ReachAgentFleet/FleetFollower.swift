internal import AgentEvents
internal import Availability
internal import Glibc
internal import LinuxSupport
internal import Sinks
internal import Synchronization

/// A fleet that follows its stream on a thread of its own, across interruptions of the connection.
final class FleetFollower: Sendable {
    /// The time without an event after which the end of the window is checked, in milliseconds.
    private static let patience: Int64 = 60_000
    /// The timeout for an event that the broker has, in milliseconds.
    private static let answerPatience: Int64 = 10_000

    /// An event as a place in the stream, which a stream that was made anew or restored gives to another event.
    private struct Place: Equatable {
        let position: UInt64
        let stored: Timestamp

        init(_ delivered: DeliveredMessage) { (position, stored) = (delivered.position, delivered.message.stored) }
    }

    /// The devices, and the state of the connection.
    struct State: Sendable {
        /// Without a window before the first connection.
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
    /// The first window, and the moment that it was made for.
    private let first: (window: Window, moment: Timestamp)
    private let state = Mutex(State())

    /// Creates a follower that has not started.
    ///
    /// - Parameters:
    ///   - source: The source of the events.
    ///   - window: The window of the figures; when it ends, the stream is read again for a later one.
    init(_ source: FleetSource, _ window: Window) throws(SystemError) {
        wakeup = try Wakeup()
        self.source = source
        first = (window, .now)
    }

    /// Starts the thread, which ends with the process.
    func start() throws(SystemError) {
        try NamedThread.start("fleet-events") { [self] in
            while let window = window(at: .now), follow(window) {}
        }
    }

    /// Reads or changes the state, while the follower waits.
    func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Returns the window that starts as long before a moment as the first one did.
    private func window(at moment: Timestamp) -> Window? {
        let age = moment.microsecondsSince1970 - first.moment.microsecondsSince1970
        func later(_ moment: Timestamp) -> Timestamp {
            Timestamp(microsecondsSince1970: moment.microsecondsSince1970 + age)
        }
        return Window(from: later(first.window.start), to: later(first.window.end), in: first.window.civilTime)
    }

    /// Follows the stream until the window ends.
    ///
    /// - Returns: `false` if the first connection fails, so that a mistake on the command line is reported immediately.
    private func follow(_ window: Window) -> Bool {
        var last: Place?
        var pause: Duration = .seconds(1)
        while window.end > .now {
            do throws(TransportFailure) {
                let resumed = try resume(after: last)
                // A table that is read anew has nothing of before, even if the connection ends at once.
                if resumed == nil { last = nil }
                let (consumer, backlog) = if let resumed { resumed } else { try enter(window) }
                note { state in
                    state.backlog = backlog
                    state.interruption = nil
                }
                pause = .seconds(1)
                while window.end > .now {
                    guard let delivered = try consumer.next(within: Self.patience) else { continue }
                    last = Place(delivered)
                    note { state in
                        if consumer.policy.includes(delivered.message) { state.fleet.add(delivered.message) }
                        state.backlog = min(state.backlog > 0 ? state.backlog - 1 : 0, delivered.pending)
                    }
                }
            } catch {
                let isFirst = withState { $0.fleet.window == nil }
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

    /// Continues after the last event that was read.
    ///
    /// - Returns: The consumer and the number of waiting events; `nil` if the stream does not have that event any more. Behind
    ///   the end of a stream that lost its last events, the broker would start with the next one, and pass over the others.
    private func resume(after last: Place?) throws(TransportFailure) -> (FleetConsumer, UInt64)? {
        guard let last else { return nil }
        let consumer = try FleetConsumer(source, .from(last.position))
        guard consumer.account()?.total != 0, let first = try consumer.next(within: Self.answerPatience),
            Place(first) == last
        else { return nil }
        return (consumer, first.pending)
    }

    /// Reads the events from before the window, which determine the state in which each device enters it.
    ///
    /// - Returns: The consumer of the events of the window, and their number.
    private func enter(_ window: Window) throws(TransportFailure) -> (FleetConsumer, UInt64) {
        let fleet = try FleetReading(source: source).newest(window)
        note { $0.fleet = fleet }
        let consumer = try FleetConsumer(source, .since(window.start))
        return (consumer, consumer.account()?.total ?? 0)
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
