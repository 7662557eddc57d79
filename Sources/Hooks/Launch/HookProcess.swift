import DetachedThread
package import EventLoopExecutor
import Glibc
import NIOCore

/// A program that runs, from its start to its end.
///
/// Everything happens on one event loop. A thread of its own starts the program and sleeps until it ends; the thread ends
/// with it. (swift-subprocess 1.0.2 has an unstructured task and a `Task.sleep` in each run, which no executor preference
/// reaches: after one run, libdispatch's threads wake an idle agent up every second for ever.)
package final class HookProcess: Sendable {
    /// How a program ended.
    package struct End: Sendable, Hashable {
        /// The outcome: succeeded, exited, signaled, timedOut, notStarted or stopped.
        package var outcome: HookCompletion.Outcome
        /// What it wrote.
        package var output: HookOutput
        /// From the start to the end.
        package var duration: Duration
    }

    /// How long a program that is to end has between TERM and KILL.
    package static let grace = Duration.seconds(1)
    /// How long one that was killed is waited for: the kernel may be unable to end it (a file system that hangs).
    private static let patience = TimeAmount.seconds(5)

    private struct State {
        var reader: HookOutputReader?
        var leader: HookLeader?
        var timer: Scheduled<Void>?
        /// Why we end it: timed out, or stopped.
        var reason: HookCompletion.Outcome?
        var wasKilled = false
        /// What it had started when it was to end.
        var descendants = HookDescendants()
        var hasLeaderEnded = false
        var ended: (@Sendable (End) -> Void)?
    }

    private let gate: LoopGate
    private var loop: any EventLoop { gate.eventLoop }
    private let began = NIODeadline.now()
    private let timeout: TimeAmount
    private let made: @Sendable () -> Void
    private let state: NIOLoopBoundBox<State>

    private init(
        timeout: Duration,
        on gate: LoopGate,
        made: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (End) -> Void
    ) {
        self.gate = gate
        self.made = made
        self.timeout = TimeAmount(timeout)
        state = .makeBoxSendingValue(State(ended: ended), eventLoop: gate.eventLoop)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - launch: What to start.
    ///   - gate: The loop where everything here happens. When it is closed while the program runs, the end is not told.
    ///   - made: Called on the loop when there is a process, which may have ended already.
    ///   - ended: Called once, on the loop, and never before this has returned when this is called on the loop.
    package static func start(
        _ launch: HookLaunch,
        on gate: LoopGate,
        made: @escaping @Sendable () -> Void = {},
        ended: @escaping @Sendable (End) -> Void
    ) -> HookProcess {
        let process = HookProcess(timeout: launch.timeout, on: gate, made: made, ended: ended)
        gate.execute { process.begin(launch) }
        return process
    }

    /// Ends it: TERM to the group, a second later KILL.
    ///
    /// `ended` is called with `.stopped`, unless the program had ended already. Safe from any thread.
    package func stop() { gate.execute { self.end(because: .stopped) } }

    private func begin(_ launch: HookLaunch) {
        let streams: HookStreams
        let reader: HookOutputReader
        do {
            streams = try HookStreams(input: launch.input)
        } catch {
            return finish(.notStarted(reason: "\(error)"))
        }
        do {
            reader = try HookOutputReader(streams.outputReader)
        } catch {
            streams.closeAll()
            return finish(.notStarted(reason: "\(error)"))
        }
        state.value.reader = reader
        reader.begin(streams.outputReader, on: loop).assumeIsolated().whenComplete { result in
            switch result {
            case .success:
                self.startThread(launch, streams)
            case .failure(let error):
                streams.closeProgramsEnds()
                self.finish(.notStarted(reason: "cannot read its output: \(error)"))
            }
        }
    }

    private func startThread(_ launch: HookLaunch, _ streams: HookStreams) {
        let gate = gate
        do {
            try DetachedThread.start {
                let leader = Result { () throws(HookStartFailure) in
                    try HookLeader.start(launch, streams: streams)
                }
                streams.closeProgramsEnds()
                gate.execute { self.started(leader) }
                guard case .success(let leader) = leader else { return }
                leader.wait()
                gate.execute { self.leaderEnded() }
            }
        } catch {
            streams.closeProgramsEnds()
            let refusal = HookStreams.Refusal(action: "make a thread", number: error.errno)
            finish(.notStarted(reason: "\(refusal)"))
        }
    }

    private func started(_ result: Result<HookLeader, HookStartFailure>) {
        switch result {
        case .failure(let failure): finish(failure.outcome)
        case .success(let leader):
            made()
            state.value.leader = leader
            if let reason = state.value.reason {
                terminate(leader, because: reason)
            } else {
                state.value.timer = loop.assumeIsolated().scheduleTask(in: timeout) { self.end(because: .timedOut) }
            }
        }
    }

    /// Asks the group to end, unless the leader has ended already: then it is over, and what it left behind is let be.
    private func end(because reason: HookCompletion.Outcome) {
        guard state.value.ended != nil, state.value.reason == nil else { return }
        guard let leader = state.value.leader else {
            state.value.reason = reason
            return
        }
        guard !leader.hasEnded else { return }
        terminate(leader, because: reason)
    }

    private func terminate(_ leader: HookLeader, because reason: HookCompletion.Outcome) {
        state.value.reason = reason
        state.value.timer?.cancel()
        // Those that have left the group are found by their parents, which TERM may end.
        state.value.descendants = HookDescendants(of: leader.number)
        leader.signalGroup(SIGTERM)
        state.value.descendants.signal(SIGTERM, exceptGroup: leader.number)
        state.value.timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(Self.grace)) { self.kill(leader) }
    }

    /// The leader is alive or was not reaped: the group's number is still its own.
    private func kill(_ leader: HookLeader) {
        state.value.wasKilled = true
        state.value.descendants.refresh(leader.number)
        leader.signalGroup(SIGKILL)
        state.value.descendants.signal(SIGKILL, exceptGroup: leader.number)
        if state.value.hasLeaderEnded { return over(leader) }
        state.value.timer = loop.assumeIsolated().scheduleTask(in: Self.patience) {
            if let reason = self.state.value.reason { self.finish(reason) }
        }
    }

    private func leaderEnded() {
        guard let leader = state.value.leader else { return }
        state.value.hasLeaderEnded = true
        let isEnding = state.value.reason != nil && !state.value.wasKilled
        // Who is left of a group that is to end has its second, and the leader's number is kept for KILL.
        if isEnding && (leader.hasCompanions || !state.value.descendants.living.isEmpty) { return }
        over(leader)
    }

    private func over(_ leader: HookLeader) {
        let ending = leader.reap()
        switch ending {
        case _ where state.value.reason != nil: finish(state.value.reason ?? .stopped)
        case .exited(0): finish(.succeeded)
        case .exited(let status): finish(.exited(status: status))
        case .signaled(let signal): finish(.signaled(signal))
        case .lost: finish(.notStarted(reason: "how it ended was taken by somebody else (waitid)"))
        }
    }

    private func finish(_ outcome: HookCompletion.Outcome) {
        state.value.timer?.cancel()
        state.value.timer = nil
        let output = state.value.reader?.finish() ?? HookOutput()
        state.value.reader = nil
        guard let ended = state.value.ended else { return }
        state.value.ended = nil
        ended(End(outcome: outcome, output: output, duration: Duration(NIODeadline.now() - began)))
    }
}
