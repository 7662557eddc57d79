/// The rows of the dashboard, from the state of the machine to that of the agent.
extension Dashboard {
    private static let chosen = #"instance=~"$instance""#
    private static let chosenProbe = #"instance=~"$instance", probe=~"$probe""#

    static let rows: [(title: String, panels: [DashboardPanel])] = [
        ("Now", now), ("Connectivity", connectivity), ("Probes", probes), ("Transfers", transfers),
        ("Sinks", sinks), ("Agent", agent),
    ]

    private static let now = [
        DashboardPanel(
            title: "Connectivity",
            visualization: .stat,
            width: 4,
            showsName: true,
            queries: [.init(expression: "reachagent_connectivity{\(chosen)} == 1", legend: "{{connectivity}}")]
        ),
        DashboardPanel(
            title: "Medium",
            visualization: .stat,
            width: 4,
            showsName: true,
            queries: [.init(expression: "reachagent_via{\(chosen)} == 1", legend: "{{via}}")]
        ),
        DashboardPanel(
            title: "Since",
            visualization: .stat,
            unit: "s",
            width: 4,
            queries: [.init(expression: "time() - reachagent_state_since_timestamp_seconds{\(chosen)}")]
        ),
        DashboardPanel(
            title: "Available in 30 days",
            visualization: .stat,
            unit: "percentunit",
            width: 4,
            queries: [
                .init(
                    expression: """
                        1 - \(seconds(#"connectivity=~"none|local|portal""#)) \
                        / \(seconds(#"connectivity!="unknown""#)) \
                        unless ( \(seconds(#"connectivity="unknown""#)) > 600 \
                        and \(seconds(#"connectivity=~"full|partial|portal|local""#)) == 0 )
                        """,
                    legend: "{{instance}}"
                )
            ]
        ),
        DashboardPanel(
            title: "First certificate to expire",
            visualization: .stat,
            unit: "s",
            width: 4,
            queries: [
                .init(expression: "min(reachagent_certificate_not_after_timestamp_seconds{\(chosenProbe)}) - time()")
            ]
        ),
        DashboardPanel(
            title: "Probes down",
            visualization: .stat,
            width: 4,
            queries: [.init(expression: #"sum(reachagent_probe_verdict{\#(chosenProbe), verdict="down"})"#)]
        ),
    ]

    /// The expression for the seconds of some connectivities in 30 days.
    private static func seconds(_ connectivities: String) -> String {
        "sum by (instance) (increase(reachagent_seconds_total{\(chosen), \(connectivities)}[30d]))"
    }

    private static let connectivity = [
        DashboardPanel(
            title: "Connectivity over time",
            visualization: .timeline,
            width: 12,
            queries: [.init(expression: "reachagent_connectivity{\(chosen)}", legend: "{{connectivity}}")]
        ),
        DashboardPanel(
            title: "Uplinks that work in full",
            visualization: .timeline,
            width: 12,
            queries: [
                .init(
                    expression: #"max by (device) (reachagent_uplink_connectivity{\#(chosen), connectivity="full"})"#,
                    legend: "{{device}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Changes",
            visualization: .curves,
            width: 12,
            queries: [
                .init(
                    // A counter without a past has no increase: a cause that is new counts in full, if the agent is not.
                    expression: """
                        sum by (type, code) ( \
                        reachagent_transitions_total{\(chosen)} \
                        unless reachagent_transitions_total{\(chosen)} offset $__rate_interval \
                        and on (instance) reachagent_build_info{\(chosen)} offset $__rate_interval \
                        or increase(reachagent_transitions_total{\(chosen)}[$__rate_interval]) )
                        """,
                    legend: "{{type}} {{code}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Paths",
            visualization: .table,
            width: 12,
            queries: [.init(expression: "reachagent_path_info{\(chosen)}")]
        ),
    ]

    private static let probes = [
        DashboardPanel(
            title: "Probes that are up",
            visualization: .timeline,
            width: 12,
            queries: [
                .init(
                    expression: #"reachagent_probe_verdict{\#(chosenProbe), verdict="up"}"#,
                    legend: "{{probe}} {{device}} {{family}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Codes of the other verdicts",
            visualization: .table,
            width: 12,
            queries: [.init(expression: "reachagent_probe_verdict_code_info{\(chosenProbe)}")]
        ),
        DashboardPanel(
            title: "Duration of checks, p50 and p95",
            visualization: .curves,
            unit: "s",
            queries: ["0.5", "0.95"].map { share in
                .init(
                    expression: """
                        histogram_quantile(\(share), sum by (probe, le) \
                        (rate(reachagent_check_duration_seconds_bucket{\(chosenProbe)}[$__rate_interval])))
                        """,
                    legend: "{{probe}} p\(share == "0.5" ? "50" : "95")"
                )
            }
        ),
        DashboardPanel(
            title: "Share of failed checks",
            visualization: .curves,
            unit: "percentunit",
            queries: [
                .init(
                    expression: """
                        sum by (probe) (rate(reachagent_checks_total{\(chosenProbe), outcome="failed"}[$__rate_interval])) \
                        / sum by (probe) (rate(reachagent_checks_total{\(chosenProbe)}[$__rate_interval]))
                        """,
                    legend: "{{probe}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Phases of HTTP checks",
            visualization: .curves,
            unit: "s",
            queries: [
                .init(
                    expression: "avg by (phase) (probe_http_duration_seconds{\(chosenProbe)})",
                    legend: "{{phase}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Certificates",
            visualization: .curves,
            unit: "s",
            queries: [
                .init(
                    expression: "reachagent_certificate_not_after_timestamp_seconds{\(chosenProbe)} - time()",
                    legend: "{{probe}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Time since the last check",
            visualization: .curves,
            unit: "s",
            queries: [
                .init(
                    expression: "time() - reachagent_last_check_timestamp_seconds{\(chosenProbe)}",
                    legend: "{{probe}} {{device}} {{family}}"
                )
            ]
        ),
    ]

    private static let transfers = [
        DashboardPanel(
            title: "Throughput, median",
            visualization: .curves,
            unit: "bps",
            queries: [
                .init(
                    expression:
                        #"reachagent_transfer_throughput_bytes_per_second{\#(chosenProbe), percentile="50"} * 8"#,
                    legend: "{{probe}} {{device}} {{direction}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Latency under load",
            visualization: .curves,
            unit: "s",
            queries: [
                .init(
                    expression: "reachagent_transfer_added_latency_seconds{\(chosenProbe)}",
                    legend: "{{probe}} {{device}} {{direction}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Bytes of transfers in a day",
            visualization: .curves,
            unit: "bytes",
            queries: [
                .init(
                    expression:
                        "sum by (device, direction) (increase(reachagent_transfer_bytes_total{\(chosenProbe)}[1d]))",
                    legend: "{{device}} {{direction}}"
                )
            ]
        ),
    ]

    private static let sinks = [
        DashboardPanel(
            title: "Sinks that are connected",
            visualization: .timeline,
            queries: [.init(expression: "reachagent_sink_connected{\(chosen)}", legend: "{{instance}} {{sink}}")]
        ),
        DashboardPanel(
            title: "Events that wait",
            visualization: .curves,
            queries: [.init(expression: "reachagent_sink_pending_events{\(chosen)}", legend: "{{instance}} {{sink}}")]
        ),
        DashboardPanel(
            title: "Events lost to the broker",
            visualization: .curves,
            queries: [
                .init(
                    expression: "increase(reachagent_sink_lost_events_total{\(chosen)}[$__rate_interval])",
                    legend: "{{instance}} {{sink}}"
                )
            ]
        ),
    ]

    private static let agent = [
        DashboardPanel(
            title: "CPU",
            visualization: .curves,
            unit: "percentunit",
            width: 6,
            queries: [
                .init(
                    expression: "rate(process_cpu_seconds_total{\(chosen)}[$__rate_interval])",
                    legend: "{{instance}}"
                )
            ]
        ),
        DashboardPanel(
            title: "Memory",
            visualization: .curves,
            unit: "bytes",
            width: 6,
            queries: [.init(expression: "process_resident_memory_bytes{\(chosen)}", legend: "{{instance}}")]
        ),
        DashboardPanel(
            title: "Journal",
            visualization: .curves,
            unit: "bytes",
            width: 6,
            queries: [.init(expression: "reachagent_journal_size_bytes{\(chosen)}", legend: "{{instance}}")]
        ),
        DashboardPanel(
            title: "Clients",
            visualization: .curves,
            width: 6,
            queries: [.init(expression: "reachagent_connections{\(chosen)}", legend: "{{instance}}")]
        ),
    ]
}
