internal import Glibc
internal import LinuxSupport
internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import StatePages
internal import StateSocket
internal import Synchronization

internal import struct AgentEvents.EventDraft
internal import enum AgentEvents.ProblemCode
internal import struct AgentEvents.Timestamp
internal import struct AgentEvents.Transfer

/// The figures that only metrics show: those of the last check of each point, and counters since the start of the agent.
///
/// Everything else that metrics show is taken from the status at the time of a scrape.
final class MetricsStore: Sendable {
    fileprivate struct State {
        var checks: [ProbePoint: (last: CheckMetrics?, ended: ObservedTime, counts: CheckCounts)] = [:]
        /// The figures, and the end of the last transfer among them.
        var transfers: [ProbePoint: (figures: TransferMetrics, ended: ObservedTime?)] = [:]
        var transitions: [TransitionKind: UInt64] = [:]
        var connectivity = Reachability.Connectivity.unknown
        /// On the clock that stops during suspend.
        var since: SuspendingClock.Instant
        var seconds: [Reachability.Connectivity: Double] = [:]
    }

    fileprivate struct TransitionKind: Hashable {
        let type: String
        let code: String
    }

    /// The number of points beyond twice the present ones whose figures are kept.
    private static let spare = 64

    private let state: Mutex<State>

    /// - Parameter start: The time from which on durations are counted, without suspends.
    init(start: SuspendingClock.Instant = .now) { state = Mutex(State(since: start)) }

    /// Records a check that was judged.
    func note(_ check: Probes.CompletedCheck, endedAt ended: ObservedTime) {
        let figures = CheckMetrics(check.report, ended: Timestamp(ended).seconds)
        let transfer = check.report.transfer.map { Transfer($0) }
        let isMeasured = check.report.measuredTransfer != nil
        state.withLock { state in
            var counts = state.checks[check.point]?.counts ?? CheckCounts()
            counts.add(outcome: figures.outcome, seconds: transfer == nil ? figures.seconds : nil)
            state.checks[check.point] = (figures, ended, counts)
            guard let transfer else { return }
            var known = state.transfers[check.point] ?? (TransferMetrics(), nil)
            known.figures.add(transfer, endedAt: figures.ended, counts: isMeasured)
            if isMeasured { known.ended = ended }
            state.transfers[check.point] = known
        }
    }

    /// Records a transition that was published.
    func note(_ transition: Transition, at now: SuspendingClock.Instant = .now) {
        let (type, code): (String, String)
        switch transition {
        case .path(let change): (type, code) = ("path.changed", change.cause.code)
        case .targetPath(_, let change): (type, code) = ("path.changed", change.cause.code)
        case .reachability(let change): (type, code) = ("reachability.changed", change.cause.code)
        case .target(_, let change): (type, code) = ("target.changed", change.cause.code)
        case .uplink(let change): (type, code) = ("uplink.changed", change.cause.code)
        case .probe(_, let change): (type, code) = ("probe.changed", change.cause.code)
        case .certificate: (type, code) = ("certificate.expiring", ProblemCode.certificateExpiring.rawValue)
        case .resumed: return
        }
        state.withLock { state in
            state.transitions[TransitionKind(type: type, code: code), default: 0] += 1
            guard case .reachability(let change) = transition else { return }
            state.settle(at: now)
            state.connectivity = change.to.connectivity
        }
    }

    /// Drops the last checks of points that are no longer checked, and their counters once those are more than the
    /// counters of the others.
    ///
    /// A point that is gone for a while keeps its counters: a counter that began again, and was read only after it had
    /// grown beyond its former value, would hide what it counted. Without a maximum, points of interfaces and probes that
    /// come and go would pile up.
    func bound(to points: [ProbePoint]) {
        state.withLock { state in
            let room = 2 * points.count + Self.spare
            let points = Set(points)
            for point in state.checks.keys where !points.contains(point) { state.checks[point]?.last = nil }
            guard state.checks.count > room || state.transfers.count > room else { return }
            state.checks = state.checks.filter { points.contains($0.key) }
            state.transfers = state.transfers.filter { points.contains($0.key) }
        }
    }

    /// Returns the transfers of each point.
    ///
    /// - Parameter now: The present time, by which their ends are those of the wall clock as it is set now.
    func transfers(at now: ObservedTime = .now) -> [ProbePoint: TransferMetrics] {
        state.withLock { $0.transfers(at: now) }
    }

    /// The current figures of the points that are checked at present.
    ///
    /// - Parameters:
    ///   - points: The points.
    ///   - now: The time until which durations are counted.
    ///   - observed: The present time, by which the ends of the last checks are those of the wall clock as it is set now.
    func figures(
        of points: some Sequence<ProbePoint>,
        at now: SuspendingClock.Instant = .now,
        observed: ObservedTime = .now
    ) -> (
        checks: [ProbePoint: (last: CheckMetrics?, counts: CheckCounts)], transfers: [ProbePoint: TransferMetrics],
        transitions: [AgentMetrics.TransitionCount], seconds: [String: Double]
    ) {
        state.withLock { state in
            let points = Set(points)
            state.settle(at: now)
            return (
                state.checks.filter { points.contains($0.key) }.mapValues { check in
                    var last = check.last
                    last?.ended = check.ended.seconds(until: observed)
                    return (last, check.counts)
                },
                state.transfers(at: observed).filter { points.contains($0.key) },
                state.transitions.map { .init(type: $0.key.type, code: $0.key.code, count: $0.value) },
                Dictionary(uniqueKeysWithValues: state.seconds.map { ($0.key.rawValue, $0.value) })
            )
        }
    }
}

extension ObservedTime {
    /// Returns the time in seconds since 1970, by the wall clock as it is set now.
    func seconds(until now: ObservedTime) -> Double { Timestamp(self, at: now).seconds }
}

extension MetricsStore.State {
    /// Returns the transfers, with their ends by the wall clock as it is set at a time.
    fileprivate func transfers(at now: ObservedTime) -> [ProbePoint: TransferMetrics] {
        transfers.mapValues { figures, ended in
            var figures = figures
            figures.ended = ended?.seconds(until: now)
            return figures
        }
    }

    /// Counts the time since the last change.
    fileprivate mutating func settle(at now: SuspendingClock.Instant) {
        seconds[connectivity, default: 0] += max(.zero, since.duration(to: now)) / .seconds(1)
        since = now
    }
}

extension CheckMetrics {
    /// The phases of blackbox_exporter, each with the phases of a report that it comprises.
    private static let phasesOfHTTP: [(name: String, phases: Set<Probes.Phase>)] = [
        ("resolve", [.resolve]), ("connect", [.connect]), ("tls", [.tls]), ("processing", [.request, .firstByte]),
        ("transfer", [.body]),
    ]

    /// The figures of a report.
    ///
    /// - Parameter ended: The end of the check, in seconds since 1970.
    init(_ report: Probes.CheckReport, ended: Double) {
        let outcome =
            switch report.verdict {
            case .ok: "ok"
            case .failed: "failed"
            case .unknown: "unknown"
            }
        self.init(outcome: outcome, ended: ended, seconds: report.duration / .seconds(1))
        let timings = report.hops.flatMap(\.phases)
        lookupSeconds = Self.seconds(of: [.resolve], in: timings)
        if timings.contains(where: { $0.phase == .echo }) {
            icmpPhases = Self.phases([("resolve", [.resolve]), ("rtt", [.echo])], in: timings)
        } else if timings.contains(where: { $0.phase == .query }) {
            dnsPhases = Self.phases(
                [("resolve", [.resolve]), ("connect", [.connect, .tls]), ("request", [.query])],
                in: timings
            )
        }
        // The peer of an ICMP check has no port, and thus no brackets.
        ipVersion = report.hops.last?.peerAddress.flatMap { HostAddress(endpoint: $0) }
            .map { $0.family == .ipv6 ? 6 : 4 }
        tlsVersion = report.hops.last?.tls?.version
        guard let hop = report.hops.last, hop.url.hasPrefix("http") else { return }
        httpPhases = Self.phases(Self.phasesOfHTTP, in: timings)
        httpStatus = hop.response?.status
        httpVersion = hop.response?.httpVersion
        bodyBytes = hop.response?.bodyBytes
        // A hop without a response is followed by its repetition over HTTP/1.1.
        redirects = report.hops.dropLast().count { $0.response != nil }
        isTLS = hop.url.hasPrefix("https:")
    }

    private static func phases(_ wanted: [(name: String, phases: Set<Probes.Phase>)], in timings: [PhaseTiming])
        -> [CheckMetrics.Phase]
    {
        wanted.compactMap { name, phases in
            seconds(of: phases, in: timings).map { CheckMetrics.Phase(name, seconds: $0) }
        }
    }

    /// The sum of the phases; `nil` where none of them was reached.
    private static func seconds(of phases: Set<Probes.Phase>, in timings: [PhaseTiming]) -> Double? {
        let found = timings.filter { phases.contains($0.phase) }
        return found.isEmpty ? nil : found.reduce(0) { $0 + $1.duration / .seconds(1) }
    }
}

extension AgentMetrics.ProcessMetrics {
    /// The resources of this process; `nil` without /proc.
    ///
    /// - Parameter started: The start of the agent, in seconds since 1970.
    static func current(started: Double) -> Self? {
        guard let text = text(of: "/proc/self/stat"), let name = text.lastIndex(of: ")") else { return nil }
        // After the name of the program, which may contain anything (proc_pid_stat(5)): field 3 and on.
        let fields = text[text.index(after: name)...].split(separator: " ")
        func field(_ number: Int) -> UInt64? { fields.count > number - 3 ? UInt64(fields[number - 3]) : nil }
        guard let user = field(14), let system = field(15), let threads = field(20), let virtual = field(23),
            let pages = field(24)
        else { return nil }
        return Self(
            cpuSeconds: Double(user + system) / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))),
            residentBytes: pages * UInt64(max(1, sysconf(Int32(_SC_PAGESIZE)))),
            virtualBytes: virtual,
            threads: Int(clamping: threads),
            openFiles: openFiles(),
            maximumFiles: FileLimit.current,
            started: started
        )
    }

    private static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    private static func openFiles() -> Int? {
        // One of them is the descriptor of the directory itself.
        (try? DirectoryStream.names(in: "/proc/self/fd")).map { max(0, $0.count - 1) }
    }
}
