internal import CLibNL
internal import Glibc
internal import Logging
internal import ServiceSupport
internal import StateSocket
internal import Synchronization

/// Tells the service manager how the agent fares: that it is at work, a sentence of the state, and that nothing is
/// stuck.
///
/// A sign of life is given when all threads that the agent cannot do without have answered, so that one that hangs ends
/// in a restart. Without a manager there is no reporter, and nothing of this happens.
final class ServiceReporter: Sendable {
    private struct State {
        /// The state as it was told last.
        var sentence = ""
        /// The error of the last reload, while it stays rejected.
        var refusal: String?
        var rollCall: RollCall?
        var members: [AgentThread] = []
        var isReady = false
        var hasShownLife = false
    }

    private let socket: NotifySocket
    private let watchdog: WatchdogTimeout?
    private let sentence: @Sendable () -> String
    private let wake: @Sendable () -> Void
    private let logger = AgentLogger.make()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - watchdog: How long the manager waits for a sign of life; `nil` when it wants none.
    ///   - sentence: The state, in one sentence.
    ///   - wake: Has the agent's loop call ``turn(at:)``.
    init(
        socket: NotifySocket,
        watchdog: WatchdogTimeout?,
        sentence: @escaping @Sendable () -> String,
        wake: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.watchdog = watchdog
        self.sentence = sentence
        self.wake = wake
    }

    /// The agent is at work; signs of life are given from now on.
    ///
    /// - Parameter members: Who has to answer before each of them.
    func ready(_ members: [AgentThread]) {
        state.withLock { state in
            state.isReady = true
            state.members = members
            state.sentence = text(state)
            state.rollCall = watchdog.map { RollCall(members.map(\.name), every: $0.interval, from: .now) }
            socket.send([.ready, .status(state.sentence)])
        }
    }

    /// The configuration is being read again, or no longer.
    func note(_ reading: Reloader.Reading) {
        state.withLock { state in
            switch reading {
            case .begun: socket.send([.reloading(since: Self.monotonicMicroseconds)])
            case .ended(let refusal):
                state.refusal = refusal
                state.sentence = text(state)
                socket.send([.ready, .status(state.sentence)])
            }
        }
    }

    /// The agent has begun to end.
    func stopping(because reason: String) {
        state.withLock { state in
            state.isReady = false
            socket.send([.stopping, .status("stopping: \(reason)")])
        }
    }

    /// Has the sentence told anew by the next turn of the loop.
    ///
    /// Safe from any thread, and quick.
    func stateChanged() { wake() }

    /// Takes that the process is awake for something else: if a sign of life will be owed soon, it may as well be given
    /// now.
    ///
    /// Safe from any thread, and quick.
    func noteAwake() {
        let isWelcome = state.withLock { $0.isReady && $0.rollCall?.isWelcome(at: .now) == true }
        if isWelcome { wake() }
    }

    /// Reports the news, and has every part answer when it is time; called by the agent's loop.
    ///
    /// - Returns: When to call again; `nil` when there is no watchdog.
    func turn(at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        let (turn, members, isFirstSign) = state.withLock { state -> (RollCall.Turn?, [AgentThread], Bool) in
            guard state.isReady else { return (nil, [], false) }
            tellSentence(&state)
            let turn = state.rollCall?.turn(at: now)
            guard turn?.isComplete == true else { return (turn, state.members, false) }
            defer { state.hasShownLife = true }
            socket.send([.watchdog])
            return (turn, state.members, !state.hasShownLife)
        }
        guard let turn else { return nil }
        // The first checks have been made by now, which prepare much that later ones find.
        if isFirstSign { StartUpCode.release() }
        for name in turn.silent {
            logger.error(
                "the thread of \(name) does not answer; without an answer the service manager restarts the agent"
            )
        }
        for member in turn.asked {
            members[member].whenFree { [weak self] in self?.answer(member, round: turn.round) }
        }
        return state.withLock { $0.rollCall?.deadline }
    }

    private func answer(_ member: Int, round: Int) {
        if state.withLock({ $0.rollCall?.answer(member, round: round) }) == true { wake() }
    }

    /// The state, and behind it the error of a rejected reload until a reload succeeds.
    private func text(_ state: State) -> String {
        sentence() + (state.refusal.map { "; the last reload was rejected: \($0)" } ?? "")
    }

    private func tellSentence(_ state: inout State) {
        let now = text(state)
        guard state.sentence != now else { return }
        state.sentence = now
        socket.send([.status(now)])
    }

    private static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
