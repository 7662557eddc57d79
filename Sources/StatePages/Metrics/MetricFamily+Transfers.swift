internal import AgentEvents

extension MetricFamily {
    /// The figures of probes with transfers.
    ///
    /// Those of the last transfer are absent before the first one, and unchanged by a transfer that yielded to other
    /// traffic.
    static let transfers: [MetricFamily] = [
        MetricFamily(
            "reachagent_transfer_throughput_bytes_per_second",
            .gauge,
            "The payload rate of the last transfer in windows of 100 ms after slow start, as percentiles",
            labels: point + ["direction", "percentile"]
        ) { metrics in
            legs(in: metrics) { leg in
                leg.goodput.map { [(["50"], Double($0.p50) / 8), (["95"], Double($0.p95) / 8)] } ?? []
            }
        },
        leg(
            "reachagent_transfer_added_latency_seconds",
            "The median round trip while the last transfer ran, less the median before it"
        ) { $0.loaded?.addedMicroseconds.map { Double($0) / 1_000_000 } },
        leg(
            "reachagent_transfer_round_trips_per_minute",
            "The responsiveness while the last transfer ran (draft-ietf-ippm-responsiveness)"
        ) { ($0.loaded?.perMinute).map { Double($0) } },
        leg("reachagent_transfer_duration_seconds", "The duration of the last transfer, from first to last byte") {
            Double($0.durationMicroseconds) / 1_000_000
        },
        leg("reachagent_transfer_first_byte_seconds", "The time to the first byte of the last transfer's response") {
            $0.firstByteMicroseconds.map { Double($0) / 1_000_000 }
        },
        leg(
            "reachagent_transfer_retransmissions",
            "The segments that this machine sent again in the last transfer, where the kernel counts them"
        ) { $0.retransmissions.map { Double($0) } },
        last(
            "reachagent_transfer_idle_round_trip_seconds",
            "The median round trip before the last transfer"
        ) { transfer, _ in transfer.idle.map { Double($0.p50) / 1_000_000 } },
        last("reachagent_transfer_resumptions", "The interruptions after which the last transfer was resumed") {
            transfer,
            _ in Double(transfer.seams.count)
        },
        last("reachagent_transfer_timestamp_seconds", "The end of the last transfer, in Unix time") { $1 },
        MetricFamily(
            "reachagent_transfer_bytes_total",
            .counter,
            "The payload bytes of all transfers",
            labels: point + ["direction"]
        ) { metrics in
            metrics.probes.flatMap { probe -> [Sample] in
                guard let transfers = probe.transfers else { return [] }
                return [("download", transfers.downloadedBytes), ("upload", transfers.uploadedBytes)].map {
                    Sample(labels: labels(probe) + [$0.0], value: Double($0.1))
                }
            }
        },
    ]

    private static func leg(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (Transfer.Leg) -> Double?
    ) -> MetricFamily {
        MetricFamily(name, .gauge, help, labels: point + ["direction"]) { metrics in
            legs(in: metrics) { leg in value(leg).map { [([], $0)] } ?? [] }
        }
    }

    private static func legs(
        in metrics: AgentMetrics,
        _ values: (Transfer.Leg) -> [(labels: [String], value: Double)]
    ) -> [Sample] {
        metrics.probes.flatMap { probe in
            [("download", probe.transfers?.last?.download), ("upload", probe.transfers?.last?.upload)]
                .flatMap { direction, leg in
                    (leg.map(values) ?? []).map {
                        Sample(labels: labels(probe) + [direction] + $0.labels, value: $0.value)
                    }
                }
        }
    }

    private static func last(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (Transfer, Double) -> Double?
    ) -> MetricFamily {
        MetricFamily(name, .gauge, help, labels: point) { metrics in
            metrics.probes.compactMap { probe in
                guard let last = probe.transfers?.last, let ended = probe.transfers?.ended else { return nil }
                return value(last, ended).map { Sample(labels: labels(probe), value: $0) }
            }
        }
    }
}
