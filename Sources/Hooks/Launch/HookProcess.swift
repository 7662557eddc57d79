package import EventLoopExecutor
import Glibc
import LinuxSupport
import NIOCore

/// A running program, from its start to its end.
///
/// All state is used on one event loop. One thread per program starts it and waits for its end, and one reads its output.
/// (swift-subprocess 1.0.2 has an unstructured task and a `Task.sleep` in each run, which ignore executor preferences: after
/// one run, libdispatch's threads wake an idle agent every second forever.)
package final class HookProcess: Sendable {
    /// The end of a program: succeeded, exited, signaled, timedOut, notStarted or stopped.
    package typealias End = HookRunEnd

    /// The time between SIGTERM and SIGKILL.
    package static let grace = Duration.seconds(1)
    /// The time to wait for a killed program: the kernel may be unable to end it (a hanging file system).
    private static let patience = TimeAmount.seconds(5)
    /// The delay of the last check after a run that has left processes behind, most of which end within that time.
    private static let lastCheckDelay = TimeAmount.seconds(1)
    /// The maximum number of searches for descendants that started meanwhile, if there is no control group to kill.
    private static let maximumRounds = 4

    private struct State {
        var reader: HookOutputReader?
        var leader: HookLeader?
        var group: ControlGroup?
        var timer: Scheduled<Void>?
        /// The reason that the agent ends the program: timed out, or stopped.
        var reason: HookRunEnd.Outcome?
        var wasKilled = false
        /// The descendants of the program at the time of SIGTERM.
        var descendants = HookDescendants()
        var hasLeaderEnded = false
        /// `true` once the IDs of the leader and its group may be those of others.
        var isReaped = false
        var ended: (@Sendable (End) -> Void)?
    }

    private let gate: LoopGate
    private var loop: any EventLoop { gate.eventLoop }
    private let began = NIODeadline.now()
    private let timeout: TimeAmount
    private let containment: HookContainment?
    /// The name of the run, which identifies the processes that it starts.
    private let run: String?
    private let made: @Sendable () -> Void
    private let state: NIOLoopBoundBox<State>

    private init(
        timeout: Duration,
        on gate: LoopGate,
        in containment: HookContainment?,
        made: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (End) -> Void
    ) {
        self.gate = gate
        self.containment = containment
        run = containment?.nextName()
        self.made = made
        self.timeout = TimeAmount(timeout)
        state = .makeBoxSendingValue(State(ended: ended), eventLoop: gate.eventLoop)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - launch: The program.
    ///   - gate: The access to the event loop of the process. The end is not reported if the gate is closed while the
    ///     program runs.
    ///   - made: Called on the loop when the process exists; it may already have ended.
    ///   - ended: Called once, on the loop; never before this method has returned if it is called on the loop.
    package static func start(
        _ launch: HookLaunch,
        on gate: LoopGate,
        in containment: HookContainment? = nil,
        made: @escaping @Sendable () -> Void = {},
        ended: @escaping @Sendable (End) -> Void
    ) -> HookProcess {
        let process = HookProcess(timeout: launch.timeout, on: gate, in: containment, made: made, ended: ended)
        var launch = launch
        if let run = process.run { launch.environment[HookContainment.variable] = run }
        gate.execute { [launch] in process.begin(launch) }
        return process
    }

    /// Ends the program: SIGTERM to the group, a second later SIGKILL.
    ///
    /// `ended` is called with `.stopped`, unless the program had ended already. Safe to call from any thread.
    package func stop() { gate.execute { self.end(because: .stopped) } }

    private func begin(_ launch: HookLaunch) {
        let streams: HookStreams
        do throws(HookStreams.Refusal) {
            streams = try HookStreams(input: launch.input)
        } catch {
            return finish(.notStarted(reason: "\(error)"))
        }
        do throws(HookStreams.Refusal) {
            let reader = try HookOutputReader(streams.outputReader)
            try reader.start()
            state.value.reader = reader
        } catch {
            streams.closeProgramsEnds()
            return finish(.notStarted(reason: "\(error)"))
        }
        startThread(launch, streams)
    }

    private func startThread(_ launch: HookLaunch, _ streams: HookStreams) {
        let (gate, containment) = (gate, containment)
        do {
            try NamedThread.start("hook-wait") {
                let started = Result { () throws(HookStartFailure) -> Started in
                    if let containment { return try containment.start(launch, streams: streams) }
                    return (try HookLeader.start(launch, streams: streams), nil)
                }
                streams.closeProgramsEnds()
                gate.execute { self.started(started) }
                guard case .success((let leader, _)) = started else { return }
                leader.wait()
                gate.execute { self.leaderEnded() }
            }
        } catch {
            streams.closeProgramsEnds()
            let refusal = HookStreams.Refusal(action: "make a thread", number: error.errno)
            finish(.notStarted(reason: "\(refusal)"))
        }
    }

    private typealias Started = (leader: HookLeader, group: ControlGroup?)

    private func started(_ result: Result<Started, HookStartFailure>) {
        switch result {
        case .failure(let failure): finish(failure.outcome)
        case .success((let leader, let group)):
            made()
            state.value.leader = leader
            state.value.group = group
            if let reason = state.value.reason {
                terminate(leader, because: reason)
            } else {
                state.value.timer = loop.assumeIsolated().scheduleTask(in: timeout) { self.end(because: .timedOut) }
            }
        }
    }

    /// Sends SIGTERM to the group, unless the leader has already ended: processes left behind are ignored then.
    private func end(because reason: HookRunEnd.Outcome) {
        guard state.value.ended != nil, state.value.reason == nil else { return }
        guard let leader = state.value.leader else {
            state.value.reason = reason
            // A start that hangs has no process to end yet; one that comes later is still ended.
            state.value.timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(Self.grace)) { self.finish(reason) }
            return
        }
        guard !leader.hasEnded else { return }
        terminate(leader, because: reason)
    }

    private func terminate(_ leader: HookLeader, because reason: HookRunEnd.Outcome) {
        state.value.reason = reason
        state.value.timer?.cancel()
        if let group = state.value.group {
            group.signal(SIGTERM)
        } else {
            // Found before SIGTERM, because it may end the parents by which processes outside the group are found.
            state.value.descendants = HookDescendants(of: leader.number, adopted: adopted)
            leader.signalGroup(SIGTERM)
            state.value.descendants.signal(SIGTERM, exceptGroup: leader.number)
        }
        state.value.timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(Self.grace)) { self.kill(leader) }
    }

    /// The criteria for processes of the run that have become children of this process.
    private var adopted: HookDescendants.Adopted? { run.flatMap { containment?.adopted(by: $0) } }

    /// Sends SIGKILL; the leader is alive or has not been reaped, so the group ID has not been reused.
    private func kill(_ leader: HookLeader) {
        // A timer that has expired together with the end of the run comes after it, although it was cancelled.
        guard !state.value.isReaped else { return }
        state.value.wasKilled = true
        if state.value.group?.kill() != true {
            // A process may start others faster than they are found: the search ends when all that were found have
            // ended.
            for _ in 0..<Self.maximumRounds {
                state.value.descendants.refresh(leader.number, adopted: adopted)
                leader.signalGroup(SIGKILL)
                state.value.descendants.signal(SIGKILL, exceptGroup: leader.number)
                if state.value.descendants.living.isEmpty { break }
            }
        }
        if state.value.hasLeaderEnded { return over(leader) }
        state.value.timer = loop.assumeIsolated().scheduleTask(in: Self.patience) {
            if let reason = self.state.value.reason { self.finish(reason) }
        }
    }

    private func leaderEnded() {
        guard let leader = state.value.leader else { return }
        state.value.hasLeaderEnded = true
        let isEnding = state.value.reason != nil && !state.value.wasKilled
        // The other processes of the group have a second until SIGKILL, for which the leader's ID must not be reused.
        if isEnding, hasCompanions(leader) { return }
        over(leader)
    }

    private func hasCompanions(_ leader: HookLeader) -> Bool {
        if let group = state.value.group { return group.isPopulated }
        // One in the middle of execve(2) had no environment by which it could be recognized (proc_pid_environ(5)).
        state.value.descendants.refresh(leader.number, adopted: adopted)
        return leader.hasCompanions || !state.value.descendants.living.isEmpty
    }

    private func over(_ leader: HookLeader) {
        let ending = leader.reap()
        state.value.isReaped = true
        if let containment, !containment.end(leader, state.value.group) {
            // The kernel may report a process's end before the process has left its group, and nothing else would check
            // again.
            loop.assumeIsolated().scheduleTask(in: Self.lastCheckDelay) { containment.reap() }
        }
        switch ending {
        case _ where state.value.reason != nil: finish(state.value.reason ?? .stopped)
        case .exited(0): finish(.succeeded)
        case .exited(let status): finish(.exited(status: status))
        case .signaled(let signal): finish(.signaled(signal))
        case .lost: finish(.notStarted(reason: "its exit status was taken by another caller (waitid)"))
        }
    }

    private func finish(_ outcome: HookRunEnd.Outcome) {
        state.value.timer?.cancel()
        state.value.timer = nil
        let output = state.value.reader?.finish() ?? HookOutput()
        state.value.reader = nil
        guard let ended = state.value.ended else { return }
        state.value.ended = nil
        ended(End(outcome: outcome, output: output, duration: Duration(NIODeadline.now() - began)))
    }
}
