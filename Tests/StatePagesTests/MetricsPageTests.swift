import AgentEvents
import AgentTestKit
import Foundation
import Testing

@testable import StatePages

/// The pages of metrics, and the documents that must agree with their table.
@Suite struct MetricsPageTests {
    @Test(arguments: MetricsPage.Format.allCases)
    func `the page is as the golden file has it`(format: MetricsPage.Format) throws {
        let page = String(decoding: MetricsPage.bytes(of: Samples.metrics, as: format), as: UTF8.self)
        try Golden.check(page, "metrics.\(format == .prometheus ? "prom" : "openmetrics")")
    }

    /// `Double.init` as a function is `Double(bitPattern:)` for a `UInt64`.
    @Test func `counts are shown as their value, and no sample is the bit pattern of one`() {
        let page = String(decoding: MetricsPage.bytes(of: Samples.metrics, as: .prometheus), as: UTF8.self)
        let lines = page.split(separator: "\n").filter { !$0.hasPrefix("#") }
        for line in lines {
            let value = line.split(separator: " ").last.flatMap { Double($0) }
            #expect(value.map { !$0.isSubnormal } == true, "\(line)")
        }
        let status = Samples.metrics.status
        let counts: [(name: String, value: UInt64?)] = [
            ("reachagent_event_seq", status.lastSequence),
            ("reachagent_netlink_overruns_total", status.overruns?.count),
            ("reachagent_journal_size_bytes", status.journal?.bytes),
            ("reachagent_journal_oldest_seq", status.journal?.oldestSequence),
            ("reachagent_connections", status.sockets?.connections.map { UInt64($0) }),
            ("reachagent_connections_max", status.sockets?.limit.map { UInt64($0) }),
            ("reachagent_checks_started_total", status.schedule?.checks),
            ("reachagent_checks_skipped_total", status.schedule?.skipped),
            ("reachagent_checks_refused_total", status.schedule?.refused),
        ]
        for (name, value) in counts {
            #expect(value != nil, "\(name)")
            #expect(lines.contains("\(name) \(value ?? 0)"), "\(name)")
        }
    }

    @Test func `an agent that knows nothing yet has a page too`() {
        let status = AgentStatus(
            agent: .init(
                version: "1",
                schema: 1,
                processID: 1,
                started: Samples.time,
                uptimeMilliseconds: 0,
                stream: "s"
            ),
            time: Samples.time,
            reachability: .init(
                state: ReachabilityState(via: .unknown, afStatus: -1, path: .init(Path(via: .unknown)))
            ),
            targets: [],
            probes: [],
            uplinks: [],
            hooks: [],
            interfaces: [],
            recent: [],
            lastSequence: 0,
            isSynchronized: false,
            overruns: nil
        )
        let page = String(decoding: MetricsPage.bytes(of: AgentMetrics(status: status), as: .prometheus), as: UTF8.self)
        #expect(page.contains("reachagent_via{via=\"unknown\"} 1\n"))
        #expect(!page.contains("probe_success"))
    }

    @Test(arguments: [0, 1, -1, 1_795_000_000] as [Int64])
    func `the last change has the time of the clock as it is set now`(step: Int64) throws {
        var metrics = Samples.metrics
        let since = try #require(metrics.status.reachability.since).microsecondsSince1970 / 1_000_000
        metrics.status.reachability.forMilliseconds = 360_400
        // The status is of 360 seconds later, unless the clock was set.
        let time = try #require(metrics.status.time).microsecondsSince1970 + step * 1_000_000
        metrics.status.time = Timestamp(microsecondsSince1970: time)
        let page = String(decoding: MetricsPage.bytes(of: metrics, as: .prometheus), as: UTF8.self)
        #expect(page.contains("\nreachagent_state_since_timestamp_seconds \(since + step)\n"))
        let started = metrics.status.seconds(of: Samples.past, elapsed: 360_400)
        #expect(started == Double(since + step))
        #expect(metrics.status.seconds(of: Samples.past, elapsed: nil) == Double(since))
    }

    @Test func `the histogram's buckets are those of the sketch, added up`() {
        var counts = CheckCounts()
        for seconds in [0.0001, 0.25, 0.2500001, 0.26, 1, 31, 33, 1e12, -1] {
            counts.add(outcome: "ok", seconds: seconds)
        }
        counts.add(outcome: "failed", seconds: 0.25)
        let cumulated = Dictionary(uniqueKeysWithValues: counts.cumulated.map { ($0.bound, $0.count) })
        #expect(counts.cumulated.count == 18)
        #expect(cumulated[1 / 4096] == 2 && cumulated[0.125] == 2 && cumulated[0.25] == 4 && cumulated[0.5] == 5)
        #expect(cumulated[1] == 6 && cumulated[16] == 6 && cumulated[32] == 7)
        #expect(counts.durations.count == 9 && counts.ok == 9)
    }

    @Test func `a file for node_exporter has no process metrics, which have names of their own`() {
        let bytes = MetricsPage.bytes(of: Samples.metrics, as: .prometheus, families: MetricFamily.collected)
        let page = String(decoding: bytes, as: UTF8.self)
        #expect(page.contains("reachagent_connectivity{") && page.contains("probe_success{"))
        #expect(!page.contains("process_"))
        let names = Set(MetricFamily.collected.map(\.name))
        #expect(MetricFamily.all.filter { !names.contains($0.name) }.allSatisfy { $0.name.hasPrefix("process_") })
    }

    @Test func `each hook has its metrics, also those that a status leaves out`() throws {
        var metrics = Samples.metrics
        let failing = try #require(metrics.hooks.first)
        metrics.hooks += (1...64).map { number in
            var hook = failing
            (hook.hook, hook.failedRuns, hook.failures) = ("hook-\(number)", 0, 0)
            return hook
        }
        let page = String(decoding: MetricsPage.bytes(of: metrics, as: .prometheus), as: UTF8.self)
        for name in ["reachagent_hook_runs_total", "reachagent_hook_failed_runs_total"] {
            #expect(page.split(separator: "\n").count { $0.hasPrefix("\(name){") } == 65)
        }
    }

    @Test func `a target has its metric, and none until its path is known`() {
        var metrics = Samples.metrics
        metrics.status.targets = [("home", Via.wifi), ("office", .none), ("new", .unknown)].map { name, via in
            let state = ReachabilityState(via: via, afStatus: -1, path: .init(Path(via: via)))
            return .init(name: name, settled: .init(state: state))
        }
        let page = String(decoding: MetricsPage.bytes(of: metrics, as: .prometheus), as: UTF8.self)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("reachagent_target_") }
        #expect(
            lines == [
                #"reachagent_target_reachable{target="home"} 1"#, #"reachagent_target_reachable{target="office"} 0"#,
            ]
        )
    }

    @Test func `a sink has its metrics, and none for unknown values`() {
        var metrics = Samples.metrics
        let time = Timestamp(microsecondsSince1970: 1_795_444_571_500_000)
        metrics.status.sinks = [
            SinkStatus(
                name: "a",
                broker: "nats://a.test",
                state: .connected,
                acknowledged: 41,
                acknowledgedTime: time,
                pending: 2,
                lost: 7
            ),
            SinkStatus(name: "b", broker: "nats://a.test"),
        ]
        let page = String(decoding: MetricsPage.bytes(of: metrics, as: .prometheus), as: UTF8.self)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("reachagent_sink_") }
        #expect(
            lines == [
                #"reachagent_sink_connected{sink="a"} 1"#, #"reachagent_sink_connected{sink="b"} 0"#,
                #"reachagent_sink_acknowledged_seq{sink="a"} 41"#,
                #"reachagent_sink_last_acknowledgement_timestamp_seconds{sink="a"} 1795444571.5"#,
                #"reachagent_sink_pending_events{sink="a"} 2"#, #"reachagent_sink_lost_events_total{sink="a"} 7"#,
                #"reachagent_sink_lost_events_total{sink="b"} 0"#,
            ]
        )
    }

    /// A page with a transfer that was measured, followed by one that yielded, and a probe that has made none.
    private static var transfers: AgentMetrics {
        var metrics = Samples.metrics
        var speed = ProbeMetrics(probe: "speed", device: "wwan0", verdict: "up")
        var transfers = TransferMetrics()
        transfers.add(Samples.transfer, endedAt: 1_795_444_000.5, counts: true)
        let cut = Transfer(download: .init(bytes: 1000, wantedBytes: 5_000_000, durationMicroseconds: 1))
        transfers.add(cut, endedAt: 1_795_444_900, counts: false)
        speed.transfers = transfers
        var new = ProbeMetrics(probe: "new", verdict: "unknown")
        new.transfers = TransferMetrics()
        metrics.probes = [speed, new]
        return metrics
    }

    @Test func `a transfer has its metrics, and one that yielded only its bytes`() {
        let page = String(decoding: MetricsPage.bytes(of: Self.transfers, as: .prometheus), as: UTF8.self)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("reachagent_transfer_") }
            .map { $0.dropFirst("reachagent_transfer_".count).replacing(#"{probe="speed",device="wwan0""#, with: "{…") }
        #expect(
            lines == [
                #"throughput_bytes_per_second{…,direction="download",percentile="50"} 4776874.875"#,
                #"throughput_bytes_per_second{…,direction="download",percentile="95"} 5125000"#,
                #"throughput_bytes_per_second{…,direction="upload",percentile="50"} 1175000"#,
                #"throughput_bytes_per_second{…,direction="upload",percentile="95"} 1237500"#,
                #"added_latency_seconds{…,direction="download"} 0.024512"#,
                #"added_latency_seconds{…,direction="upload"} 0.612"#,
                #"round_trips_per_minute{…,direction="download"} 1311"#,
                #"round_trips_per_minute{…,direction="upload"} 90"#,
                #"duration_seconds{…,direction="download"} 1.214"#, #"duration_seconds{…,direction="upload"} 0.9"#,
                #"first_byte_seconds{…,direction="download"} 0.0213"#, #"retransmissions{…,direction="upload"} 3"#,
                "idle_round_trip_seconds{…} 0.02", "resumptions{…} 1", "timestamp_seconds{…} 1795444000.5",
                #"bytes_total{…,direction="download"} 5001000"#, #"bytes_total{…,direction="upload"} 1000000"#,
                #"bytes_total{probe="new",direction="download"} 0"#, #"bytes_total{probe="new",direction="upload"} 0"#,
            ]
        )
    }

    @Test func `text in a label cannot end it`() {
        var metrics = Samples.metrics
        metrics.transitions = [.init(type: "a\"\n\\b", code: "c", count: 1)]
        let page = String(decoding: MetricsPage.bytes(of: metrics, as: .prometheus), as: UTF8.self)
        #expect(page.contains(#"reachagent_transitions_total{type="a\"\n\\b",code="c"} 1"# + "\n"))
    }

    @Test func `the documentation has the table's rows`() throws {
        let document = try String(contentsOf: Golden.project.appending(path: "docs/metrics.md"), encoding: .utf8)
        let rows = MetricFamily.documentation.joined(separator: "\n")
        #expect(document.contains(rows), "docs/metrics.md is stale: make reference")
    }

    @Test func `the documentation has the rates' unit that their names have`() throws {
        let document = try String(contentsOf: Golden.project.appending(path: "docs/metrics.md"), encoding: .utf8)
        let rates = MetricFamily.all.filter { $0.name.hasSuffix("_per_second") }
        #expect(!rates.isEmpty && rates.allSatisfy { $0.name.hasSuffix("_bytes_per_second") })
        #expect(document.contains("Rates are of the payload, in bytes per second."))
    }

    @Test func `names are unique, and follow the conventions`() {
        #expect(Set(MetricFamily.all.map(\.name)).count == MetricFamily.all.count)
        for family in MetricFamily.all {
            #expect((family.kind == .counter) == family.name.hasSuffix("_total"), "\(family.name)")
            #expect((family.kind == .info) == family.name.hasSuffix("_info"), "\(family.name)")
            #expect(!family.help.isEmpty && !family.help.hasSuffix("."), "\(family.name)")
        }
    }

    /// A parser refuses the whole page where two families have a name in common.
    @Test func `no two families clash in OpenMetrics, with or without a suffix that it reserves`() {
        var taken: Set<String> = []
        for family in MetricFamily.all {
            let (stem, suffixes): (String, [String]) =
                switch family.kind {
                case .gauge: (family.name, [""])
                case .counter: (String(family.name.dropLast("_total".count)), ["", "_total", "_created"])
                case .info: (String(family.name.dropLast("_info".count)), ["", "_info"])
                case .histogram: (family.name, ["", "_bucket", "_count", "_sum", "_created"])
                }
            for suffix in suffixes { #expect(taken.insert(stem + suffix).inserted, "\(stem)\(suffix)") }
        }
    }

    private static let parser = "/usr/lib/python3/dist-packages/prometheus_client/openmetrics/parser.py"
    private static let hasParser = access(parser, R_OK) == 0

    @Test(
        .enabled(if: hasParser, "the reference parser is not installed: apt install python3-prometheus-client"),
        .onOwnThread
    )
    func `the reference parser of OpenMetrics reads the page`() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let page = MetricsPage.bytes(of: Samples.metrics, as: .openMetrics)
        let file = try directory.file("metrics", page)
        let script = """
            import sys
            from prometheus_client.openmetrics.parser import text_fd_to_metric_families
            print(sum(len(family.samples) for family in text_fd_to_metric_families(open(sys.argv[1]))))
            """
        let result = try FinishedCommand(["-c", script, file], of: "/usr/bin/python3")
        let samples = String(decoding: page, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        #expect(result.status == 0 && result.output == "\(samples.count)\n", "\(result.output)\(result.error)")
    }

    /// Every metric that an alert of the example names is in the table.
    @Test func `the alerts name metrics that exist`() throws {
        let alerts = try String(
            contentsOf: Golden.project.appending(path: "examples/prometheus/alerts.yml"),
            encoding: .utf8
        )
        let names = Set(MetricFamily.all.map(\.name))
        let used = alerts.matches(of: /\b(reachagent|probe)_[a-z_]+/).map { String($0.output.0) }
        #expect(!used.isEmpty)
        for name in used { #expect(names.contains(name), "\(name)") }
    }

    private static let hasPromtool = access("/usr/bin/promtool", X_OK) == 0

    @Test(.enabled(if: hasPromtool, "promtool is not installed: apt install prometheus"), .onOwnThread)
    func `promtool has no findings on the page, and the alerts fire when they must`() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        for metrics in [Samples.metrics, Self.transfers] {
            let file = try directory.file("metrics", MetricsPage.bytes(of: metrics, as: .prometheus))
            let page = try Self.run("promtool check metrics < \(file)")
            #expect(page.output.isEmpty && page.status == 0, "\(page.output)")
        }
        let examples = Golden.project.appending(path: "examples/prometheus").path()
        let rules = try Self.run(
            "cd \(examples) && promtool check rules alerts.yml && promtool test rules alerts.test.yml alerts-month.test.yml"
        )
        #expect(rules.status == 0, "\(rules.output)")
    }

    private static func run(_ command: String) throws -> FinishedCommand {
        try FinishedCommand(["-c", "(\(command)) 2>&1"], of: "/bin/sh")
    }
}

/// Golden files: `UPDATE_GOLDEN=1` writes them anew; read each difference before you take it over.
enum Golden {
    static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func check(_ text: String, _ name: String) throws {
        let file = project.appending(path: "Tests/StatePagesTests/Golden/\(name)")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try Data(text.utf8).write(to: file)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(text == expected, "\(name) differs")
    }
}
