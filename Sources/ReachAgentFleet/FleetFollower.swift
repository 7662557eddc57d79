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
        var policy: DeliverPolicy?
        var pause: Duration = .seconds(1)
        while window.end > .now {
            do throws(TransportFailure) {
                let start = if let policy { policy } else { try enter(window) }
                policy = start
                let consumer = try FleetConsumer(source, start)
                let backlog = consumer.account()?.total ?? 0
                note { state in
                    state.backlog = backlog
                    state.interruption = nil
                }
                pause = .seconds(1)
                while window.end > .now {
                    guard let delivered = try consumer.next(within: Self.patience) else { continue }
                    policy = .after(delivered.position)
                    note { state in
                        if start.includes(delivered.message) { state.fleet.add(delivered.message) }
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

    /// Reads the events from before the window, which determine the state in which each device enters it.
    private func enter(_ window: Window) throws(TransportFailure) -> DeliverPolicy {
        let fleet = try FleetReading(source: source).newest(window)
        note { $0.fleet = fleet }
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
