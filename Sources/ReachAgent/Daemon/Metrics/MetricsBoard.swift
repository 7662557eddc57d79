internal import Probes
internal import Reachability
internal import StatePages
internal import Synchronization

internal import struct AgentEvents.EventDraft
internal import struct AgentEvents.Transfer

/// The figures that only metrics show: those of each last check, and numbers since the start of the agent.
///
/// Everything else that metrics show is taken from the status at the moment of a scrape.
final class MetricsBoard: Sendable {
    fileprivate struct State {
        var checks: [ProbePoint: (last: CheckMetrics, counts: CheckCounts)] = [:]
        var transfers: [ProbePoint: TransferMetrics] = [:]
        var transitions: [TransitionKind: UInt64] = [:]
        var connectivity = Reachability.Connectivity.unknown
        var since: ContinuousClock.Instant
        var seconds: [Reachability.Connectivity: Double] = [:]
    }

    fileprivate struct TransitionKind: Hashable {
        let type: String
        let code: String
    }

    private let state: Mutex<State>

    /// - Parameter start: The moment from which on time is counted.
    init(start: ContinuousClock.Instant = .now) { state = Mutex(State(since: start)) }

    /// Takes a check that was judged.
    func note(_ check: Probes.CompletedCheck, endedAt ended: Double) {
        let figures = CheckMetrics(check.report, ended: ended)
        state.withLock { state in
            var counts = state.checks[check.point]?.counts ?? CheckCounts()
            counts.add(outcome: figures.outcome, seconds: figures.seconds)
            state.checks[check.point] = (figures, counts)
            guard let transfer = check.report.transfer.map({ Transfer($0) }) else { return }
            let isMeasured = check.report.measuredTransfer != nil
            state.transfers[check.point, default: TransferMetrics()]
                .add(transfer, endedAt: ended, counts: isMeasured)
        }
    }

    /// Takes a transition that was published.
    func note(_ transition: Transition, at now: ContinuousClock.Instant) {
        let (type, code): (String, String)
        switch transition {
        case .path(let change): (type, code) = ("path.changed", change.cause.code)
        case .targetPath(_, let change): (type, code) = ("path.changed", change.cause.code)
        case .reachability(let change): (type, code) = ("reachability.changed", change.cause.code)
        case .target(_, let change): (type, code) = ("target.changed", change.cause.code)
        case .uplink(let change): (type, code) = ("uplink.changed", change.cause.code)
        case .probe(_, let change): (type, code) = ("probe.changed", change.cause.code)
        case .certificate: (type, code) = ("certificate.expiring", "certificate_expiring")
        case .resumed: return
        }
        state.withLock { state in
            state.transitions[TransitionKind(type: type, code: code), default: 0] += 1
            guard case .reachability(let change) = transition else { return }
            state.settle(at: now)
            state.connectivity = change.to.connectivity
        }
    }

    /// The transfers of each point.
    var transfers: [ProbePoint: TransferMetrics] { state.withLock { $0.transfers } }

    /// The figures at this moment.
    ///
    /// - Parameter points: The points that are checked at present; those of others are dropped.
    func figures(
        of points: some Sequence<ProbePoint>,
        at now: ContinuousClock.Instant = .now
    ) -> (
        checks: [ProbePoint: (last: CheckMetrics, counts: CheckCounts)], transfers: [ProbePoint: TransferMetrics],
        transitions: [AgentMetrics.TransitionCount], seconds: [String: Double]
    ) {
        state.withLock { state in
            let points = Set(points)
            if state.checks.count > points.count { state.checks = state.checks.filter { points.contains($0.key) } }
            if !state.transfers.isEmpty { state.transfers = state.transfers.filter { points.contains($0.key) } }
            state.settle(at: now)
            return (
                state.checks,
                state.transfers,
                state.transitions.map { .init(type: $0.key.type, code: $0.key.code, count: $0.value) },
                Dictionary(uniqueKeysWithValues: state.seconds.map { ($0.key.rawValue, $0.value) })
            )
        }
    }
}

extension MetricsBoard.State {
    /// Counts the time since the last change.
    fileprivate mutating func settle(at now: ContinuousClock.Instant) {
        seconds[connectivity, default: 0] += max(.zero, since.duration(to: now)) / .seconds(1)
        since = now
    }
}
