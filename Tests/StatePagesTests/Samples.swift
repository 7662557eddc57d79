import AgentEvents

@testable import Availability
@testable import StatePages

/// A machine with two uplinks, one of which is in use, and probes of which one fails.
enum Samples {
    static let time = Timestamp(microsecondsSince1970: 1_795_444_931_000_000)
    static let past = Timestamp(microsecondsSince1970: 1_795_444_571_000_000)

    static var status: AgentStatus {
        let path = Path(via: .wifi, interface: "wlan0", kind: "wifi", gateway: "192.0.2.1", source: "192.0.2.7")
        let six = Path(via: .wifi, interface: "wlan0", kind: "wifi", gateway: "fe80::1", source: "2001:db8::7")
        var settled = AgentStatus.SettledState(
            state: ReachabilityState(
                via: .wifi,
                afStatus: 2,
                connectivity: .partial,
                connectivityReason: "http_status",
                connectivityProbe: "api",
                path: .init(path, ipv4: path, ipv6: six)
            )
        )
        settled.since = past
        settled.forMilliseconds = 360_000
        settled.viaSince = past
        settled.viaForMilliseconds = 4_000_000
        settled.connectivitySince = past
        settled.connectivityForMilliseconds = 360_000
        settled.cause = ChangeCause(kind: "probe", code: "http_status", detail: "probe 'api': http_status, 503")
        return AgentStatus(
            agent: .init(
                version: "1.4.0",
                schema: 1,
                host: "edge-7",
                processID: 4711,
                started: past,
                uptimeMilliseconds: 9_000_000,
                bootID: "b",
                stream: "stream-a"
            ),
            time: time,
            reachability: settled,
            targets: [],
            probes: [
                probe("api", verdict: "down", code: "http_status", latency: 41, detail: "HTTP 503 <b>&\"quoted\""),
                probe("web", verdict: "up", latency: 28), probe("web", verdict: "up", latency: 88, interface: "wwan0"),
                probe("hotel", verdict: "portal", code: "portal_redirect", latency: 19),
            ],
            uplinks: [
                Uplink(
                    interface: "wlan0",
                    interfaceIndex: 3,
                    kind: "wifi",
                    connectivity: .partial,
                    reason: .init(code: "http_status", probe: "api"),
                    isUsed: true
                ),
                Uplink(interface: "wwan0", interfaceIndex: 4, kind: "wwan", connectivity: .full, isUsed: false),
            ],
            schedule: .init(checks: 4200, shared: 3, skipped: 1, refused: 0, longestDelayMilliseconds: 12, bytes: [:]),
            hooks: [
                AgentStatus.HookStatus(
                    hook: "vpn",
                    kind: "command",
                    runs: 7,
                    failedRuns: 2,
                    superseded: 0,
                    running: 0,
                    waiting: 0,
                    failures: 1
                )
            ],
            interfaces: [],
            recent: [
                .init(
                    sequence: 48_190,
                    time: past,
                    type: "reachagent.reachability.changed",
                    subject: "default",
                    from: "wwan wwan0 IPv4, full",
                    to: "wifi wlan0 IPv4+IPv6, full",
                    code: "link_added"
                ),
                .init(
                    sequence: 48_211,
                    time: past,
                    type: "reachagent.reachability.changed",
                    subject: "default",
                    from: "wifi wlan0 IPv4+IPv6, full",
                    to: "wifi wlan0 IPv4+IPv6, partial (http_status api)",
                    code: "http_status",
                    detail: "probe 'api': http_status, 503"
                ),
            ],
            lastSequence: 48_213,
            journal: .init(
                directory: "/var/lib/reachagent/journal",
                oldestSequence: 1,
                newestSequence: 48_213,
                segments: 3,
                bytes: 9_876_543,
                isDegraded: false,
                missing: [],
                sync: "interval",
                syncMilliseconds: 1000
            ),
            sockets: .init(
                events: "/run/reachagent/events.sock",
                control: "/run/reachagent/control.sock",
                connections: 2,
                limit: 4096
            ),
            isSynchronized: true,
            overruns: .init(count: 1, dropped: 12)
        )
    }

    static func probe(
        _ name: String,
        verdict: String,
        code: String? = nil,
        latency: Int64,
        detail: String? = nil,
        interface: String? = nil
    )
        -> AgentStatus.ProbeStatus
    {
        var probe = AgentStatus.ProbeStatus(probe: name, verdict: verdict)
        probe.interface = interface
        probe.code = code
        probe.since = past
        probe.forMilliseconds = 360_000
        probe.last = time
        probe.lastOutcome = verdict == "up" ? "ok" : "failed"
        probe.latencyMilliseconds = latency
        probe.detail = detail
        if name == "web" {
            probe.certificate = .init(
                subject: "CN=web.example",
                notAfter: Timestamp(microsecondsSince1970: 1_796_222_531_000_000),
                daysLeft: 9,
                threshold: "10%"
            )
        }
        return probe
    }

    static var metrics: AgentMetrics {
        var web = ProbeMetrics(probe: "web", verdict: "up")
        var check = CheckMetrics(outcome: "ok", ended: 1_795_444_930.5, seconds: 0.028125)
        check.lookupSeconds = 0.0025
        check.httpPhases = [
            .init("resolve", seconds: 0.0025), .init("connect", seconds: 0.005), .init("tls", seconds: 0.01),
            .init("processing", seconds: 0.01), .init("transfer", seconds: 0.000625),
        ]
        (check.httpStatus, check.httpVersion, check.bodyBytes, check.redirects) = (200, "2", 1256, 0)
        (check.isTLS, check.tlsVersion, check.ipVersion) = (true, "TLSv1.3", 6)
        web.last = check
        web.since = 1_795_444_571
        web.interval = 60
        web.certificate = (1_788_446_531, 1_796_222_531)
        for seconds in [0.028, 0.028, 0.3, 11] { web.checks.add(outcome: "ok", seconds: seconds) }
        web.checks.add(outcome: "unknown", seconds: 1)

        var api = ProbeMetrics(probe: "api", device: "wwan0", family: "ipv4", verdict: "down")
        api.code = "connect_timeout"
        api.interval = 2.5
        var failed = CheckMetrics(outcome: "failed", ended: 1_795_444_931, seconds: 5)
        // The connection was never made: there are no figures of what comes after it.
        failed.httpPhases = [.init("resolve", seconds: 0.001), .init("connect", seconds: 4.999)]
        (failed.redirects, failed.isTLS) = (0, true)
        api.last = failed
        api.checks.add(outcome: "failed", seconds: 5)

        return AgentMetrics(
            status: status,
            probes: [api, web, ProbeMetrics(probe: "new", verdict: "unknown")],
            hooks: status.hooks,
            transitions: [
                .init(type: "reachability.changed", code: "link_down", count: 3),
                .init(type: "probe.changed", code: "http_status", count: 1),
            ],
            secondsByConnectivity: ["full": 8000.5, "partial": 360],
            process: .init(
                cpuSeconds: 1.25,
                residentBytes: 20_000_000,
                virtualBytes: 400_000_000,
                threads: 9,
                openFiles: 30,
                maximumFiles: 16_384,
                started: 1_795_444_571
            )
        )
    }

    static let transfer = Transfer(
        download: .init(
            bytes: 5_000_000,
            wantedBytes: 5_000_000,
            durationMicroseconds: 1_214_000,
            firstByteMicroseconds: 21_300,
            goodput: .init(
                p50: 38_214_999,
                p95: 41_000_000,
                mean: 36_900_000,
                windows: 9,
                slowStartMicroseconds: 300_000
            ),
            loaded: .init(addedMicroseconds: 24_512, perMinute: 1311)
        ),
        upload: .init(
            bytes: 1_000_000,
            wantedBytes: 1_000_000,
            durationMicroseconds: 900_000,
            goodput: .init(p50: 9_400_000, p95: 9_900_000, mean: 9_000_000, windows: 7, slowStartMicroseconds: 200_000),
            retransmissions: 3,
            loaded: .init(addedMicroseconds: 612_000, perMinute: 90)
        ),
        idle: .init(count: 8, minimum: 19_000, p50: 20_000, p95: 23_000),
        seams: [.init(offset: 3_145_728, code: "path_changed", pauseMicroseconds: 840_000)]
    )

    // MARK: The page

    /// The page of the status, with a history.
    static var page: PageContent {
        var latency = ExponentialHistogram()
        for _ in 0..<60 { latency.add(microseconds: 28_000) }
        let api = ProbePoint(probe: "api", interface: nil, family: nil)
        return PageContent(
            status: status,
            calendars: (try? [calendar(days: history), calendar("wlan0", days: history)]) ?? [],
            latency: [api: [RecentLatency.Hour(start: hour(0), succeeded: 60, failed: 1, latency: latency)]],
            transfers: ["wwan0": series],
            timeline: changes.compactMap(TimelineEntry.init)
        )
    }

    /// Transfers in two of the last hours and two of the last days, of which the older one was below the good rate.
    static var series: RecentTransfers.Series {
        func sketches(_ rate: Int64) -> TransferSketches {
            var sketches = TransferSketches()
            var slow = transfer
            slow.download?.goodput?.p50 = rate
            sketches.add(slow)
            sketches.goodBitsPerSecond = 90_000_000
            return sketches
        }
        func slots(_ count: Int, _ length: Int64) -> [RecentTransfers.Slot] {
            (0..<count).map { index in
                let start = hour(0).microsecondsSince1970 - Int64(count - 1 - index) * length
                let rate: Int64? = index == count - 7 ? 38_214_999 : index == count - 1 ? 94_000_000 : nil
                return .init(
                    start: Timestamp(microsecondsSince1970: start),
                    points: rate.map { [sketches($0)] } ?? []
                )
            }
        }
        return .init(hours: slots(24, 3_600_000_000), days: slots(30, 86_400_000_000))
    }

    private static let history = [nil, nil] + [Double?](repeating: 1, count: 87) + [47.0 / 48]

    /// The beginning of the present hour, or of one before it.
    static func hour(_ before: Int64) -> Timestamp {
        let hours = time.microsecondsSince1970 / 3_600_000_000 - before
        return Timestamp(microsecondsSince1970: hours * 3_600_000_000)
    }

    private struct NoSuchDay: Error {}

    /// A calendar whose last day is that of ``time``; `nil` is a day without data.
    static func calendar(_ uplink: String? = nil, days: [Double?]) throws -> AvailabilityCalendar {
        let day: Int64 = 86_400_000_000
        let list = days.enumerated().map { index, share in
            let moment = time.microsecondsSince1970 - Int64(days.count - 1 - index) * day
            let date = CivilTime.utc.day(of: Timestamp(microsecondsSince1970: moment))
            let available = Int64((Double(day) * (share ?? 0)).rounded())
            return AvailabilityCalendar.Day(
                date: date,
                available: available,
                known: share == nil ? 0 : day,
                outages: share == nil ? 0 : day - available
            )
        }
        guard let last = list.last else { throw NoSuchDay() }
        let begin = CivilTime.utc.start(of: last.date).microsecondsSince1970 + 36_000_000_000
        let attribution = Attribution(segment: .machine, code: "link_down", evidence: [])
        let longest = Outage(
            begin: Timestamp(microsecondsSince1970: begin),
            end: Timestamp(microsecondsSince1970: begin + 1_800_000_000),
            isContinued: false,
            ending: .recovered,
            attribution: attribution
        )
        let count = list.count(where: { $0.outages > 0 })
        return AvailabilityCalendar(uplink: uplink, days: list, outageCount: count, longest: count > 0 ? longest : nil)
    }

    static func event(_ type: String, _ sequence: UInt64, _ content: AgentEvent.Content) -> AgentEvent {
        let line = #"""
            {"specversion":"1.0","id":"s-\#(sequence)","source":"/reachagent/edge-7","type":"reachagent.\#(type)","time":"\#(past)"}
            """#
        guard var event = AgentEvent(line: Array(line.utf8)) else { preconditionFailure("the line is an event") }
        (event.sequence, event.content) = (sequence, content)
        return event
    }

    /// The newest changes, the newest first.
    static var changes: [AgentEvent] {
        guard var from = status.reachability.state, let to = status.reachability.state else { return [] }
        (from.connectivity, from.connectivityReason, from.connectivityProbe) = (.full, nil, nil)
        let cause = ChangeCause(kind: "probe", code: "http_status", detail: "probe 'api': http_status, 503")
        let state = StateChange(from: from, to: to, cause: cause, observed: past, settledMilliseconds: 1000)
        let probe = ProbeChange(
            point: ProbePoint(probe: "api", interface: "wwan0", family: nil),
            from: ProbeVerdict(verdict: "up"),
            to: ProbeVerdict(verdict: "down", code: "connect_timeout"),
            cause: ChangeCause(kind: "probe", code: "connect_timeout", detail: "192.0.2.80:443"),
            observed: past
        )
        return [
            event("reachability.changed", 48_211, .reachabilityChanged(state)),
            event("probe.changed", 48_210, .probeChanged(probe)),
        ]
    }
}
