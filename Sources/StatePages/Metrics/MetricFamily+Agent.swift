internal import AgentEvents

extension MetricFamily {
    private static let connectivities = ["full", "partial", "portal", "local", "none", "unknown"]
    private static let media = ["wired", "wifi", "wwan", "other", "none", "unknown"]

    /// The state of the machine and of its uplinks.
    static let state: [MetricFamily] = [
        MetricFamily(
            "reachagent_connectivity",
            .gauge,
            "1 for the settled connectivity, 0 for the others",
            labels: ["connectivity"]
        ) {
            metrics in
            let current = metrics.status.reachability.state?.connectivity?.rawValue ?? "unknown"
            return connectivities.map { Sample(labels: [$0], value: $0 == current ? 1 : 0) }
        },
        MetricFamily("reachagent_via", .gauge, "1 for the settled medium, 0 for the others", labels: ["via"]) {
            metrics in
            let current = metrics.status.reachability.state?.via.rawValue ?? "unknown"
            return media.map { Sample(labels: [$0], value: $0 == current ? 1 : 0) }
        },
        one("reachagent_state_since_timestamp_seconds", .gauge, "The time of the last settled change") {
            $0.seconds(of: $0.reachability.since, elapsed: $0.reachability.forMilliseconds)
        },
        MetricFamily(
            "reachagent_path_info",
            .info,
            "The path of each family",
            labels: ["family", "via", "device", "kind"]
        ) { metrics in
            guard let path = metrics.status.reachability.state?.path else { return [] }
            return [("ipv4", path.ipv4), ("ipv6", path.ipv6)].compactMap { family, path in
                path.map { Sample(labels: [family, $0.via.rawValue, $0.interface ?? "", $0.kind ?? ""], value: 1) }
            }
        },
        MetricFamily(
            "reachagent_seconds_total",
            .counter,
            "The time in each connectivity since the start of the agent, without suspend",
            labels: ["connectivity"]
        ) { metrics in
            connectivities.map { Sample(labels: [$0], value: metrics.secondsByConnectivity[$0] ?? 0) }
        },
        MetricFamily(
            "reachagent_uplink_connectivity",
            .gauge,
            "1 for the connectivity of an uplink, 0 for the others",
            labels: ["device", "connectivity"]
        ) { metrics in
            metrics.status.uplinks.flatMap { uplink in
                connectivities.map {
                    Sample(labels: [uplink.interface, $0], value: uplink.connectivity.rawValue == $0 ? 1 : 0)
                }
            }
        },
        MetricFamily(
            "reachagent_uplink_used",
            .gauge,
            "1 if the default path leads through the uplink",
            labels: ["device"]
        ) {
            $0.status.uplinks.map { Sample(labels: [$0.interface], value: $0.isUsed ? 1 : 0) }
        },
        MetricFamily("reachagent_uplink_info", .info, "The kind of an uplink", labels: ["device", "kind"]) {
            $0.status.uplinks.map { Sample(labels: [$0.interface, $0.kind], value: 1) }
        },
        MetricFamily(
            "reachagent_target_reachable",
            .gauge,
            "1 if there is a path to the target, 0 if there is none; absent until that is known",
            labels: ["target"]
        ) { metrics in
            metrics.status.targets.compactMap { target in
                guard let state = target.settled.state, state.via != .unknown else { return nil }
                return Sample(labels: [target.name], value: state.isReachable ? 1 : 0)
            }
        },
        MetricFamily(
            "reachagent_transitions_total",
            .counter,
            "The number of published changes by type and cause",
            labels: ["type", "code"]
        ) { metrics in
            metrics.transitions.sorted { ($0.type, $0.code) < ($1.type, $1.code) }
                .map { Sample(labels: [$0.type, $0.code], value: Double($0.count)) }
        },
    ]

    /// The agent itself.
    static let agent: [MetricFamily] = [
        MetricFamily("reachagent_build_info", .info, "The version of the agent", labels: ["version", "schema"]) {
            metrics in
            guard let agent = metrics.status.agent else { return [] }
            return [Sample(labels: [agent.version ?? "", agent.schema.map(String.init) ?? ""], value: 1)]
        },
        one("reachagent_event_seq", .gauge, "The number of the newest event") { $0.lastSequence.map { Double($0) } },
        one(
            "reachagent_synchronized",
            .gauge,
            "0 between a loss of kernel messages and the end of the resynchronization"
        ) {
            $0.isSynchronized.map { $0 ? 1 : 0 }
        },
        one("reachagent_netlink_overruns_total", .counter, "The number of losses of kernel messages") {
            $0.overruns?.count.map { Double($0) }
        },
        one("reachagent_journal_degraded", .gauge, "1 while the journal cannot be written") {
            $0.journal?.isDegraded.map { $0 ? 1 : 0 }
        },
        one("reachagent_journal_size_bytes", .gauge, "The size of the journal's files") {
            $0.journal?.bytes.map { Double($0) }
        },
        one("reachagent_journal_oldest_seq", .gauge, "The number of the journal's oldest event") {
            $0.journal?.oldestSequence.map { Double($0) }
        },
        one("reachagent_connections", .gauge, "The number of connected clients") {
            $0.sockets?.connections.map { Double($0) }
        },
        one("reachagent_connections_max", .gauge, "The maximum of them") { $0.sockets?.limit.map { Double($0) } },
        one("reachagent_checks_started_total", .counter, "The number of checks that were started") {
            $0.schedule?.checks.map { Double($0) }
        },
        one(
            "reachagent_checks_skipped_total",
            .counter,
            "The number of checks left out because the one before had not ended, or the agent could not run"
        ) { $0.schedule?.skipped.map { Double($0) } },
        one(
            "reachagent_checks_refused_total",
            .counter,
            "The number of checks that were not made because of the budget, `allow_cellular` or a metered link"
        ) { $0.schedule?.refused.map { Double($0) } },
        one("reachagent_check_delay_max_seconds", .gauge, "The longest time by which a check started late") {
            $0.schedule?.longestDelayMilliseconds.map { Double($0) / 1000 }
        },
        MetricFamily(
            "reachagent_hook_runs_total",
            .counter,
            "The number of runs of a hook that ended",
            labels: ["hook"]
        ) {
            $0.hooks.compactMap { hook in
                hook.runs.map { Sample(labels: [hook.hook], value: Double($0)) }
            }
        },
        MetricFamily("reachagent_hook_failed_runs_total", .counter, "The number of runs that failed", labels: ["hook"])
        {
            $0.hooks.compactMap { hook in
                hook.failedRuns.map { Sample(labels: [hook.hook], value: Double($0)) }
            }
        },
        MetricFamily(
            "reachagent_sink_connected",
            .gauge,
            "1 while a sink is connected to its broker",
            labels: ["sink"]
        ) {
            $0.status.sinks.map { Sample(labels: [$0.name], value: $0.state == .connected ? 1 : 0) }
        },
        MetricFamily(
            "reachagent_sink_acknowledged_seq",
            .gauge,
            "The number up to which a sink's broker has all events",
            labels: ["sink"]
        ) {
            $0.status.sinks.compactMap { sink in
                sink.acknowledged.map { Sample(labels: [sink.name], value: Double($0)) }
            }
        },
        MetricFamily(
            "reachagent_sink_last_acknowledgement_timestamp_seconds",
            .gauge,
            "The time of the last acknowledgement by a sink's broker",
            labels: ["sink"]
        ) {
            $0.status.sinks.compactMap { sink in
                sink.acknowledgedTime.map { Sample(labels: [sink.name], value: $0.seconds) }
            }
        },
        MetricFamily(
            "reachagent_sink_pending_events",
            .gauge,
            "The number of events that wait for a sink",
            labels: ["sink"]
        ) {
            $0.status.sinks.compactMap { sink in
                sink.pending.map { Sample(labels: [sink.name], value: Double($0)) }
            }
        },
        MetricFamily(
            "reachagent_sink_lost_events_total",
            .counter,
            "The number of events that a sink's broker never gets, since the sink was configured",
            labels: ["sink"]
        ) {
            $0.status.sinks.map { Sample(labels: [$0.name], value: Double($0.lost)) }
        },
    ]

    /// The agent's process, with the names of the Prometheus client libraries.
    static let process: [MetricFamily] = [
        process("process_cpu_seconds_total", .counter, "The CPU time of the process") { $0.cpuSeconds },
        process("process_resident_memory_bytes", .gauge, "The memory in use") { Double($0.residentBytes) },
        process("process_virtual_memory_bytes", .gauge, "The address space") { Double($0.virtualBytes) },
        process("process_threads", .gauge, "The number of threads") { Double($0.threads) },
        process("process_open_fds", .gauge, "The number of open files") { $0.openFiles.map { Double($0) } },
        process("process_max_fds", .gauge, "The maximum number of open files") { Double($0.maximumFiles) },
        process("process_start_time_seconds", .gauge, "The start of the process, in Unix time") { $0.started },
    ]

    private static func one(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ value: @escaping @Sendable (AgentStatus) -> Double?
    ) -> MetricFamily {
        MetricFamily(name, kind, help) { value($0.status).map { [Sample(value: $0)] } ?? [] }
    }

    private static func process(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ value: @escaping @Sendable (AgentMetrics.ProcessMetrics) -> Double?
    ) -> MetricFamily {
        MetricFamily(name, kind, help) { $0.process.flatMap(value).map { [Sample(value: $0)] } ?? [] }
    }
}
