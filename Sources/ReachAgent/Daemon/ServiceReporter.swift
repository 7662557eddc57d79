internal import AgentEvents
internal import CLibNL
internal import Glibc
internal import LinuxSupport
internal import Logging
internal import ServiceSupport
internal import StateSocket
internal import Synchronization

/// Reports to the service manager: readiness, the state in a sentence, and keep-alives while nothing is stuck.
///
/// A keep-alive is sent when all threads that the agent depends on have answered, so that a hanging one leads to a
/// restart. Without a manager there is no reporter.
final class ServiceReporter: Sendable {
    private struct State {
        /// The state as it was reported last.
        var sentence = ""
        /// The error of the last reload, while it stays rejected.
        var refusal: String?
        var liveness: LivenessCheck?
        var members: [AgentThread] = []
        var isReady = false
        var hasShownLife = false
    }

    private let socket: NotifySocket
    private let watchdog: WatchdogTimeout?
    private let startUpCode: StartUpCode
    private let sentence: @Sendable () -> String
    private let wake: @Sendable () -> Void
    private let logger = AgentLogger.make()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - watchdog: The time that the manager waits for a keep-alive; `nil` when it expects none.
    ///   - startUpCode: The code that is released when the first checks have been made.
    ///   - sentence: The state, in one sentence.
    ///   - wake: Makes the agent's loop call ``step(at:)``.
    init(
        socket: NotifySocket,
        watchdog: WatchdogTimeout?,
        startUpCode: StartUpCode,
        sentence: @escaping @Sendable () -> String,
        wake: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.watchdog = watchdog
        self.startUpCode = startUpCode
        self.sentence = sentence
        self.wake = wake
    }

    /// Reports readiness; keep-alives are sent from now on.
    ///
    /// - Parameter members: The threads that must answer before each keep-alive.
    func ready(_ members: [AgentThread]) {
        state.withLock { state in
            state.isReady = true
            state.members = members
            state.sentence = text(state)
            state.liveness = watchdog.map { LivenessCheck(members.map(\.name), every: $0.interval, from: .now) }
            socket.send([.ready, .status(state.sentence)])
        }
    }

    /// Reports the start or the end of a reload; not before the agent is ready, and not while it stops.
    func note(_ reading: Reloader.Reading) {
        state.withLock { state in
            switch reading {
            case .started: if state.isReady { socket.send([.reloading(since: Self.monotonicMicroseconds)]) }
            case .ended(let refusal):
                state.refusal = refusal
                state.sentence = text(state)
                if state.isReady { socket.send([.ready, .status(state.sentence)]) }
            }
        }
    }

    /// Reports that the agent is stopping.
    func stopping(because reason: String) {
        state.withLock { state in
            state.isReady = false
            socket.send([.stopping, .status("stopping: \(reason)")])
        }
    }

    /// Makes the loop's next step report the sentence again.
    ///
    /// Safe from any thread, and does not block.
    func stateChanged() { wake() }

    /// Takes advantage of a process that is awake anyway: a keep-alive that is due soon may be sent now.
    ///
    /// Safe from any thread, and does not block: a notice that the manager does not read holds the lock for up to a second.
    func noteAwake() {
        let isWelcome = state.withLockIfAvailable { $0.isReady && $0.liveness?.isWelcome(at: .now) == true }
        if isWelcome == true { wake() }
    }

    /// Reports changes, and queries every part when that is due; called by the agent's loop.
    ///
    /// - Returns: The time of the next call; `nil` without a watchdog.
    func step(at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        let (step, members, isFirstSign) = state.withLock { state -> (LivenessCheck.Step?, [AgentThread], Bool) in
            guard state.isReady else { return (nil, [], false) }
            reportSentence(&state)
            let step = state.liveness?.step(at: now)
            guard step?.isComplete == true else { return (step, state.members, false) }
            defer { state.hasShownLife = true }
            socket.send([.watchdog])
            return (step, state.members, !state.hasShownLife)
        }
        guard let step else { return nil }
        // The first checks have been made by now, which prepare much that later ones find.
        if isFirstSign { startUpCode.release() }
        for name in step.silent {
            logger.error(
                "the thread of \(name) does not answer; without an answer the service manager restarts the agent"
            )
        }
        for member in step.asked {
            members[member].whenFree { [weak self] in self?.answer(member, round: step.round) }
        }
        return state.withLock { $0.liveness?.deadline }
    }

    private func answer(_ member: Int, round: Int) {
        if state.withLock({ $0.liveness?.answer(member, round: round) }) == true { wake() }
    }

    /// The state, followed by the error of a rejected reload until a reload succeeds.
    private func text(_ state: State) -> String {
        let sentence = sentence()
        guard let refusal = state.refusal else { return sentence }
        // The state ends with the sentence of a reason where nothing is reachable.
        let clause = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
        return "\(clause); the last reload was rejected: \(refusal)"
    }

    private func reportSentence(_ state: inout State) {
        let now = text(state)
        guard state.sentence != now else { return }
        state.sentence = now
        socket.send([.status(now)])
    }

    private static var monotonicMicroseconds: UInt64 {
        UInt64(clamping: KernelClock.time(CLOCK_MONOTONIC).microseconds)
    }
}

/// A liveness check of the parts that a service depends on: pure, with time as a parameter.
///
/// A keep-alive is due at every interval. Then all parts are queried, and it is sent when all have answered; in the second
/// half of the interval the parts are queried at any step, so that a service that is awake anyway need not be woken. Silent
/// parts are queried a few times more, because an answer may be lost with a thread that was replaced.
struct LivenessCheck: Sendable {
    /// The work that is due now.
    struct Step: Sendable, Hashable {
        /// The round that answers belong to.
        var round: Int
        /// The parts to query, by their index in the list of names.
        var asked: [Int] = []
        /// `true` if all have answered: send the keep-alive.
        var isComplete = false
        /// The parts that were silent for a whole interval; named once a round.
        var silent: [String] = []
    }

    /// The number of queries in an interval while a part is silent.
    private static let attempts = 8

    private let names: [String]
    private let interval: Duration
    private var round = 0
    /// The number of queries in this round; 0 between two rounds.
    private var asked = 0
    private var absent: Set<Int> = []
    private var started: ContinuousClock.Instant

    /// The time of the next work; `nil` if only an answer can change anything.
    private(set) var deadline: ContinuousClock.Instant?

    /// - Parameters:
    ///   - names: The parts that must answer.
    ///   - interval: The time between two keep-alives.
    ///   - start: The start of the first interval: the first keep-alive is due an interval later.
    init(_ names: [String], every interval: Duration, from start: ContinuousClock.Instant) {
        self.names = names
        self.interval = interval
        started = start
        deadline = start + interval
    }

    /// Returns whether a step at a time would start a round.
    func isWelcome(at now: ContinuousClock.Instant) -> Bool { asked == 0 && now >= started + interval / 2 }

    /// Records the answer of a queried part.
    ///
    /// - Returns: Whether it was the last missing answer.
    mutating func answer(_ member: Int, round: Int) -> Bool {
        guard round == self.round, absent.remove(member) != nil else { return false }
        return absent.isEmpty
    }

    /// Returns the work that is due at a time.
    mutating func step(at now: ContinuousClock.Instant) -> Step {
        var step = Step(round: round)
        if asked > 0, absent.isEmpty {
            step.isComplete = true
            asked = 0
            deadline = started + interval
        }
        guard isWelcome(at: now) || deadline.map({ now >= $0 }) == true else { return step }
        if asked == 0 {
            round += 1
            started = now
            absent = Set(names.indices)
            step.round = round
        }
        asked += 1
        step.asked = absent.sorted()
        if asked > Self.attempts {
            step.silent = step.asked.map { names[$0] }
            self.deadline = nil
        } else {
            self.deadline = now + interval / Self.attempts
        }
        return step
    }
}

/// The time for which a service may be silent before its manager kills it (sd_watchdog_enabled(3)).
struct WatchdogTimeout: Sendable, Hashable {
    /// The maximum time between two keep-alives.
    let duration: Duration

    /// Reads the timeout from an environment; `nil` if there is none, or if it is for another process.
    ///
    /// - Parameters:
    ///   - environment: `WATCHDOG_USEC` is in microseconds; `WATCHDOG_PID` may be missing.
    ///   - process: This process's number.
    init?(in environment: [String: String], of process: Int32) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let owner = environment["WATCHDOG_PID"], Int32(owner) != process { return nil }
        duration = .microseconds(microseconds)
    }

    /// The time between two keep-alives: half the timeout, as sd_watchdog_enabled(3) recommends.
    var interval: Duration { duration / 2 }
}
