internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import Synchronization

internal import struct AgentEvents.AgentStatus
internal import struct AgentEvents.EventDraft
internal import struct AgentEvents.SinkStatus
internal import struct AgentEvents.Timestamp

/// Remembers what was published, so that `status` can be answered at any time and from any thread.
///
/// The publisher notes everything here right after it was published, in the order of the numbers. On its thread only values
/// are kept; texts are made for a request, of a copy.
final class StatusStore: Sendable {
    fileprivate struct State {
        var reachability = SettledState<ReachabilityState>(unknown: .unknown)
        var targets: [(target: Target, settled: SettledState<TargetState>)]
        var network = NetworkSnapshot(isSynchronized: false)
        var recent: [(transition: Transition, isOfProbe: Bool, sequence: UInt64, time: Timestamp)] = []
        var lastSequence: UInt64
        var overruns = AgentStatus.Overruns(count: 0, dropped: 0)
        /// The last of them.
        var lastOverrun: ObservedTime?
    }

    private let agent: AgentFacts
    private let state: Mutex<State>

    /// A store in which nothing is known yet.
    ///
    /// - Parameter lastSequence: The number of the last event of the previous run, which the journal has; 0 without one.
    init(agent: AgentFacts, targets: [Target], lastSequence: UInt64) {
        self.agent = agent
        state = Mutex(
            State(
                targets: targets.map { target in
                    (target, SettledState(unknown: TargetState(address: target.address, path: .unknown)))
                },
                lastSequence: lastSequence
            )
        )
    }

    /// Records the kernel's view, before the transitions that result from it.
    func note(_ update: NetworkUpdate) { state.withLock { $0.network = update.snapshot } }

    /// Records a transition that was published.
    ///
    /// - Parameters:
    ///   - sequence: The event's number.
    ///   - time: The time of the event.
    func note(_ transition: Transition, sequence: UInt64, at time: ObservedTime) {
        state.withLock { state in
            state.lastSequence = max(state.lastSequence, sequence)
            switch transition {
            case .path(let change):
                // Raw changes carry no verdicts of probes.
                let isSettled = change.to.hasPathsPublished(like: state.reachability.state)
                state.reachability.observe(change, isSettled: isSettled)
            case .targetPath(let target, let change):
                guard let index = state.targets.firstIndex(where: { $0.target == target }) else { return }
                state.targets[index].settled.observe(change)
            case .reachability(let change):
                let (from, to) = (change.from, change.to)
                state.reachability.settle(
                    change,
                    at: time,
                    keepsVia: from.via == to.via,
                    keepsConnectivity: to.hasProbesWord ? from.connectivity == to.connectivity : nil,
                    isSettled: state.reachability.pending.map { $0.state.hasPathsPublished(like: to) }
                )
                state.remember(transition, sequence, time)
            case .target(let target, let change):
                state.remember(transition, sequence, time)
                guard let index = state.targets.firstIndex(where: { $0.target == target }) else { return }
                let keepsVia = change.from.via == change.to.via
                state.targets[index].settled.settle(change, at: time, keepsVia: keepsVia)
            case .uplink, .probe, .certificate: state.remember(transition, sequence, time)
            case .resumed: break
            }
        }
    }

    /// Records a published loss of kernel messages.
    func note(_ overrun: Overrun, sequence: UInt64) {
        state.withLock { state in
            state.lastSequence = max(state.lastSequence, sequence)
            state.overruns.count(overrun)
            state.lastOverrun = overrun.observed
        }
    }

    /// Records the number of any other event that was published.
    func note(sequence: UInt64) { state.withLock { $0.lastSequence = max($0.lastSequence, sequence) } }

    /// The number of the newest event that the status has.
    var lastSequence: UInt64 { state.withLock { $0.lastSequence } }

    /// The settled state.
    var reachability: ReachabilityState { state.withLock { $0.reachability.state } }

    /// Sets other targets, after a reload; those that were there before keep their state.
    func setTargets(_ targets: [Target]) {
        state.withLock { state in
            state.targets = targets.map { target in
                state.targets.first { $0.target == target }
                    ?? (target, SettledState(unknown: TargetState(address: target.address, path: .unknown)))
            }
        }
    }

    /// The present state, with everything that was published.
    var published: Published { Published(agent: agent, state: state.withLock { $0 }) }

    /// A copy of the state after one event.
    struct Published: Sendable {
        fileprivate let agent: AgentFacts
        fileprivate let state: State

        /// The number of the last event whose effect it has.
        var lastSequence: UInt64 { state.lastSequence }
    }
}

extension StatusStore.Published {
    /// The current status.
    func status(
        at now: ObservedTime = .now,
        journal: AgentStatus.Journal?,
        sockets: AgentStatus.Sockets?,
        probes: [ProbeRecord] = [],
        waiting: [ProbeRule] = [],
        uplinks: [Uplink] = [],
        availability: [AgentStatus.Availability] = [],
        schedule: ScheduleStatistics? = nil,
        configuration: AgentStatus.Configuration? = nil,
        hookSetup: AgentStatus.HookSetup? = nil,
        hooks: [AgentStatus.HookStatus] = [],
        sinks: [SinkStatus] = []
    ) -> AgentStatus {
        var overruns = state.overruns
        overruns.last = state.lastOverrun.map { Timestamp($0, at: now) }
        return AgentStatus(
            of: agent,
            at: now,
            reachability: state.reachability,
            targets: state.targets,
            probes: probes,
            waiting: waiting,
            uplinks: uplinks,
            availability: availability,
            schedule: schedule,
            configuration: configuration,
            hookSetup: hookSetup,
            hooks: hooks,
            sinks: sinks,
            network: state.network,
            recent: state.recent.compactMap {
                AgentStatus.Transition($0.transition, sequence: $0.sequence, time: $0.time)
            },
            lastSequence: state.lastSequence,
            overruns: overruns,
            journal: journal,
            sockets: sockets
        )
    }

    /// The full state as an event.
    func snapshot(probes: [ProbeRecord] = [], uplinks: [Uplink] = []) -> EventDraft {
        let targets = state.targets.map { ($0.target, $0.settled.state) }
        return EventDraft.networkSnapshot(
            state.network,
            state: state.reachability.state,
            since: state.reachability.observed,
            targets: targets,
            probes: probes,
            uplinks: uplinks
        )
    }
}

extension StatusStore.State {
    fileprivate mutating func remember(_ transition: Transition, _ sequence: UInt64, _ time: ObservedTime) {
        if recent.count == AgentStatus.maximumRecent {
            // Many probes that fail at once must not push out the changes of the state that result.
            let probes = recent.indices.filter { recent[$0].isOfProbe }
            let isCrowded = probes.count + (transition.isOfProbe ? 1 : 0) > AgentStatus.maximumRecent / 2
            recent.remove(at: isCrowded ? probes.first ?? 0 : 0)
        }
        recent.append((transition, transition.isOfProbe, sequence, Timestamp(time)))
    }
}

extension Transition {
    fileprivate var isOfProbe: Bool {
        switch self {
        case .probe, .certificate: true
        case .path, .targetPath, .reachability, .target, .uplink, .resumed: false
        }
    }
}

extension ReachabilityState {
    /// `true` if the probes report anything.
    fileprivate var hasProbesWord: Bool {
        connectivity != .unknown && connectivity != .none || connectivityReason != nil
    }
}
