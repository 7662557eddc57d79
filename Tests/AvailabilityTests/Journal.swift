import AgentEvents
import Availability

/// A journal that a test writes, event by event, in seconds since 2026-10-01.
struct Journal {
    static let epoch: Int64 = 1_790_812_800

    var events: [AgentEvent] = []
    var sequence: UInt64 = 0
    var stream = "6f1c0000000000000000000000000001"

    static func moment(_ second: Int64) -> Timestamp { Timestamp(microsecondsSince1970: (epoch + second) * 1_000_000) }

    static func window(_ start: Int64, _ end: Int64, in civilTime: CivilTime = .utc) throws -> Window {
        guard let window = Window(from: moment(start), to: moment(end), in: civilTime) else { throw NoWindow() }
        return window
    }

    struct NoWindow: Error {}

    static func path(_ connectivity: Connectivity, reason: String? = nil, kind: String = "wifi") -> ReachabilityState {
        let isPathless = connectivity == .none
        let via: Via = isPathless ? .none : Via(kind == "wired" ? "wired" : kind)
        let path = Path(via: via, reason: isPathless ? reason : nil, interface: "\(kind)0", kind: kind)
        return ReachabilityState(
            via: via,
            afStatus: 2,
            connectivity: connectivity,
            connectivityReason: isPathless ? nil : reason,
            reason: isPathless ? reason : nil,
            path: .init(path)
        )
    }

    mutating func append(_ type: String, at second: Int64, _ content: AgentEvent.Content) {
        sequence += 1
        events.append(
            AgentEvent(
                id: "\(stream)-\(sequence)",
                type: "reachagent." + type,
                time: Self.moment(second),
                sequence: sequence,
                content: content
            )
        )
    }

    mutating func start(at second: Int64) {
        let start = AgentStarted(
            version: "0.1.0",
            schema: 1,
            stream: stream,
            settleUpMilliseconds: 250,
            settleDownMilliseconds: 1000,
            targets: []
        )
        append("agent.started", at: second, .agentStarted(start))
    }

    mutating func stop(at second: Int64) {
        append("agent.stopping", at: second, .agentStopping(AgentStopping(reason: "SIGTERM")))
    }

    mutating func suspend(_ seconds: Int64, until second: Int64) {
        let resumed = SuspendResumed(suspendedMilliseconds: seconds * 1000, observed: Self.moment(second))
        append("suspend.resumed", at: second, .suspendResumed(resumed))
    }

    mutating func certificate(at second: Int64, subject: String) throws {
        let line = #"""
            {"specversion":"1.0","id":"\#(stream)-\#(sequence + 1)","source":"/reachagent/edge-7","type":"reachagent.certificate.expiring","subject":"web","time":"\#(Self.moment(second))","seq":\#(sequence + 1),"data":{"probe":"web","threshold":"14d","percent_left":10,"days_left":13,"position":0,"verified":true,"certificate":{"subject":"\#(subject)","issuer":"CN=Example CA","sha256":"a1a1","not_before":"2026-08-23T19:00:00.000000Z","not_after":"2026-11-20T19:00:00.000000Z"},"observed":"\#(Self.moment(second))"}}
            """#
        guard let event = AgentEvent(line: Array(line.utf8)) else { throw NoWindow() }
        sequence += 1
        events.append(event)
    }

    mutating func path(
        at second: Int64,
        observed: Int64? = nil,
        from: ReachabilityState,
        to: ReachabilityState,
        cause: ChangeCause = ChangeCause(kind: "link", code: "link_changed")
    ) {
        let change = StateChange(from: from, to: to, cause: cause, observed: Self.moment(observed ?? second))
        append("reachability.changed", at: second, .reachabilityChanged(change))
    }

    static func uplink(_ name: String, _ connectivity: Connectivity, reason: String? = nil) -> Uplink {
        Uplink(
            interface: name,
            interfaceIndex: 3,
            kind: name.hasPrefix("ww") ? "wwan" : "wifi",
            connectivity: connectivity,
            reason: reason.map { Uplink.Reason(code: $0) },
            isUsed: true
        )
    }

    mutating func uplink(_ name: String, at second: Int64, from: Connectivity, to: Connectivity, reason: String? = nil)
    {
        let change = UplinkChange(
            from: Self.uplink(name, from),
            to: Self.uplink(name, to, reason: reason),
            cause: ChangeCause(kind: "probe", code: reason ?? "up"),
            observed: Self.moment(second),
            settledMilliseconds: 0
        )
        append("uplink.changed", at: second, .uplinkChanged(change))
    }

    mutating func probe(
        _ name: String,
        over interface: String? = nil,
        family: String? = nil,
        at second: Int64,
        from: String,
        to: String,
        code: String? = nil,
        cause: String? = nil,
        kind: String = "probe"
    ) {
        let change = ProbeChange(
            point: ProbePoint(probe: name, interface: interface, family: family),
            from: ProbeVerdict(verdict: from),
            to: ProbeVerdict(verdict: to, code: code),
            cause: ChangeCause(kind: kind, code: cause ?? code ?? "up"),
            observed: Self.moment(second)
        )
        append("probe.changed", at: second, .probeChanged(change))
    }

    /// An hour of checks whose latencies are spread by half.
    mutating func summary(
        _ name: String,
        over interface: String? = nil,
        from second: Int64,
        checks: Int64,
        failed: Int,
        latency: Int64
    ) {
        var summary = ProbeSummary(
            point: ProbePoint(probe: name, interface: interface),
            from: Self.moment(second),
            to: Self.moment(second + 3599),
            succeeded: Int(checks)
        )
        summary.failed.add("timeout", failed)
        for check in 0..<checks { summary.latency.add(microseconds: latency + latency * check / (2 * checks)) }
        append("probe.summary", at: second + 3600, .probeSummary(summary))
    }

    /// A transfer, in a summary of its own.
    mutating func transfer(
        _ name: String,
        over interface: String? = nil,
        at second: Int64,
        down: Int64? = nil,
        up: Int64? = nil,
        added: Int64? = nil,
        good: Int64? = nil
    ) {
        var summary = ProbeSummary(
            point: ProbePoint(probe: name, interface: interface),
            from: Self.moment(second),
            to: Self.moment(second),
            succeeded: 1
        )
        summary.transfer = Self.transfers(down: down, up: up, added: added, good: good)
        append("probe.summary", at: second + 3600, .probeSummary(summary))
    }

    static func transfers(
        down: Int64? = nil,
        up: Int64? = nil,
        added: Int64? = nil,
        good: Int64? = nil
    ) -> TransferSketches {
        func leg(_ rate: Int64?, _ added: Int64? = nil) -> Transfer.Leg? {
            guard let rate else { return nil }
            return Transfer.Leg(
                bytes: 5_000_000,
                wantedBytes: 5_000_000,
                durationMicroseconds: 1_000_000,
                goodput: .init(p50: rate, p95: rate, mean: rate, windows: 9, slowStartMicroseconds: 0),
                loaded: .init(addedMicroseconds: added, perMinute: 60)
            )
        }
        var sketches = TransferSketches()
        sketches.add(Transfer(download: leg(down, added), upload: leg(up)))
        sketches.goodBitsPerSecond = good
        return sketches
    }

    /// An event about missing ones, with the settled states.
    mutating func states(_ settled: SettledStates, at second: Int64) {
        let change = JournalDegraded(
            isDegraded: false,
            code: "journal_resumed",
            missingFirstSequence: 1,
            missingLastSequence: sequence,
            settled: settled
        )
        append("journal.degraded", at: second, .journalDegraded(change))
    }

    /// An event that says nothing but that the agent ran.
    mutating func other(at second: Int64) { append("hook.completed", at: second, .unknown) }

    func account(
        _ window: Window,
        _ selection: Report.Selection = .everything,
        aliveUntil: Int64? = nil,
        isDegraded: Bool = false
    ) -> Account {
        var accountant = Accountant(window: window, selection: selection)
        for event in events { accountant.add(event) }
        return accountant.account(aliveUntil: aliveUntil.map(Self.moment), isDegraded: isDegraded)
    }
}

extension AgentEvent {
    /// An event about anything, from a host whose name does not matter.
    private static let anything: AgentEvent = {
        let line = #"{"id":"x","source":"/reachagent/edge-7","type":"x","time":"1970-01-01T00:00:00Z"}"#
        guard let event = AgentEvent(line: Array(line.utf8)) else { preconditionFailure("the line is an event") }
        return event
    }()

    fileprivate init(id: String, type: String, time: Timestamp, sequence: UInt64, content: Content) {
        self = .anything
        self.id = id
        self.type = type
        self.time = time
        self.sequence = sequence
        self.content = content
    }
}
