internal import AgentEvents
internal import Availability
internal import Glibc
internal import LinuxSupport
internal import Sinks
internal import Synchronization

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
        var policy: DeliverPolicy?
        var pause: Duration = .seconds(1)
        while window.map({ $0.end > .now }) ?? true {
            do throws(TransportFailure) {
                let start = if let policy { policy } else { try enter(window) }
                policy = start
                let consumer = try FleetConsumer(source, start)
                let backlog = consumer.backlog() ?? 0
                note { state in
                    state.backlog = backlog
                    state.interruption = nil
                }
                pause = .seconds(1)
                while window.map({ $0.end > .now }) ?? true {
                    guard let delivered = try consumer.next(within: Self.patience) else { continue }
                    policy = .after(delivered.position)
                    note { state in
                        if start.includes(delivered.message) { state.fleet.add(delivered.message) }
                        state.backlog = min(state.backlog > 0 ? state.backlog - 1 : 0, delivered.pending)
                    }
                }
            } catch {
                let isFirst = policy == nil
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
    private func enter(_ window: Window?) throws(TransportFailure) -> DeliverPolicy {
        guard let window else { return .all }
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
