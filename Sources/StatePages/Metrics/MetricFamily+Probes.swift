extension MetricFamily {
    /// The names of the labels of a probe's metrics.
    static let point = ["probe", "device", "family"]

    /// The metrics with the names and meanings of blackbox_exporter.
    static let compatible: [MetricFamily] = [
        check(
            "probe_success",
            "1 if the last check was as expected, 0 if it failed; absent if this machine was the reason"
        ) {
            $0.outcome == "unknown" ? nil : $0.outcome == "ok" ? 1 : 0
        },
        check("probe_duration_seconds", "The duration of the last check") { $0.seconds },
        check("probe_dns_lookup_time_seconds", "The duration of the name lookups of the last check") {
            $0.lookupSeconds
        },
        phases(
            "probe_http_duration_seconds",
            "The duration of each phase of the last HTTP check, over all redirects; absent for a phase that was not reached"
        ) { $0.httpPhases },
        phases("probe_icmp_duration_seconds", "The duration of each phase of the last ICMP check") { $0.icmpPhases },
        phases("probe_dns_duration_seconds", "The duration of each phase of the last DNS check") { $0.dnsPhases },
        check("probe_http_status_code", "The status code of the last response") { $0.httpStatus.map { Double($0) } },
        check("probe_http_version", "The HTTP version of the last response") { $0.httpVersion.flatMap { Double($0) } },
        check("probe_http_content_length", "The size of the last response's body as sent, in bytes") {
            $0.bodyBytes.map { Double($0) }
        },
        check("probe_http_redirects", "The number of redirects that the last check followed") {
            $0.redirects.map { Double($0) }
        },
        check("probe_http_ssl", "1 if the last request went over TLS") { $0.isTLS.map { $0 ? 1 : 0 } },
        check("probe_ip_protocol", "The IP version of the last connection: 4 or 6") { $0.ipVersion.map { Double($0) } },
        certificate("probe_ssl_earliest_cert_expiry", "The end of the certificate that expires first, in Unix time") {
            $0.notAfter
        },
        MetricFamily(
            "probe_tls_version_info",
            .info,
            "The TLS version of the last connection",
            labels: point + ["version"]
        ) { metrics in
            metrics.probes.compactMap { probe in
                probe.last?.tlsVersion.map { version in
                    // The format of Go's crypto/tls, which dashboards expect.
                    let name = version.hasPrefix("TLSv") ? "TLS \(version.dropFirst(4))" : version
                    return Sample(labels: labels(probe) + [name], value: 1)
                }
            }
        },
    ]

    /// The agent's own figures about probes.
    static let probes: [MetricFamily] = [
        MetricFamily(
            "reachagent_probe_verdict",
            .gauge,
            "1 for the verdict on the last checks, 0 for the others",
            labels: point + ["verdict"]
        ) { metrics in
            metrics.probes.flatMap { probe in
                ["up", "down", "portal", "unknown"].map { verdict in
                    Sample(labels: labels(probe) + [verdict], value: probe.verdict == verdict ? 1 : 0)
                }
            }
        },
        MetricFamily(
            "reachagent_probe_verdict_code_info",
            .info,
            "The code of a verdict other than `up`",
            labels: point + ["code"]
        ) { metrics in
            metrics.probes.compactMap { probe in
                probe.code.map { Sample(labels: labels(probe) + [$0], value: 1) }
            }
        },
        MetricFamily(
            "reachagent_probe_verdict_since_timestamp_seconds",
            .gauge,
            "The time since which the verdict holds",
            labels: point
        ) { metrics in
            metrics.probes.compactMap { probe in probe.since.map { Sample(labels: labels(probe), value: $0) } }
        },
        check("reachagent_last_check_timestamp_seconds", "The end of the last check") { $0.ended },
        MetricFamily(
            "reachagent_check_interval_seconds",
            .gauge,
            "The time between two scheduled checks at present: longer on metered links, shorter while in doubt",
            labels: point
        ) { metrics in
            metrics.probes.compactMap { probe in probe.interval.map { Sample(labels: labels(probe), value: $0) } }
        },
        certificate(
            "reachagent_certificate_not_before_timestamp_seconds",
            "The start of the same certificate's validity"
        ) {
            $0.notBefore
        },
        certificate(
            "reachagent_certificate_not_after_timestamp_seconds",
            "The end of the certificate that expires first"
        ) {
            $0.notAfter
        },
        MetricFamily(
            "reachagent_checks_total",
            .counter,
            "The number of checks by outcome",
            labels: point + ["outcome"]
        ) { metrics in
            metrics.probes.flatMap { probe in
                [("ok", probe.checks.ok), ("failed", probe.checks.failed), ("unknown", probe.checks.unknown)].map {
                    Sample(labels: labels(probe) + [$0.0], value: Double($0.1))
                }
            }
        },
        MetricFamily(
            histogram: "reachagent_check_duration_seconds",
            "The durations of the checks that were as expected",
            labels: point
        ) { metrics in metrics.probes.map { (labels($0), $0.checks) } },
    ]

    /// Returns the values of ``point``.
    static func labels(_ probe: ProbeMetrics) -> [String] { [probe.probe, probe.device, probe.family] }

    private static func check(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (CheckMetrics) -> Double?
    ) -> MetricFamily {
        MetricFamily(name, .gauge, help, labels: point) { metrics in
            metrics.probes.compactMap { probe in
                probe.last.flatMap(value).map { Sample(labels: labels(probe), value: $0) }
            }
        }
    }

    private static func phases(
        _ name: String,
        _ help: String,
        _ phases: @escaping @Sendable (CheckMetrics) -> [CheckMetrics.Phase]
    ) -> MetricFamily {
        MetricFamily(name, .gauge, help, labels: point + ["phase"]) { metrics in
            metrics.probes.flatMap { probe in
                (probe.last.map(phases) ?? []).map { Sample(labels: labels(probe) + [$0.name], value: $0.seconds) }
            }
        }
    }

    private static func certificate(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable ((notBefore: Double, notAfter: Double)) -> Double
    ) -> MetricFamily {
        MetricFamily(name, .gauge, help, labels: point) { metrics in
            metrics.probes.compactMap { probe in
                probe.certificate.map { Sample(labels: labels(probe), value: value($0)) }
            }
        }
    }
}
