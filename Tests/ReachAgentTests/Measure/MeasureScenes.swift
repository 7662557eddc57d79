import Foundation
import Probes

@testable import ReachAgent

/// Measurements in the situations that make a difference to what is shown.
enum MeasureScenes {
    static let target = "https://speed.example.org/large"

    // MARK: Reports

    static func leg(
        _ megabits: Double,
        added: Int? = 14_200,
        bytes: Int = 20 << 20,
        of wanted: Int = 20 << 20,
        seconds: Double = 4.31,
        isUpload: Bool = false
    ) -> TransferLeg {
        var leg = TransferLeg(wantedBytes: wanted)
        leg.bytes = bytes
        leg.duration = .seconds(seconds)
        leg.timeToFirstByte = isUpload ? nil : .microseconds(12_080)
        leg.goodput = Goodput(
            p50: megabits * 1e6,
            p95: megabits * 1.0625e6,
            mean: megabits * 0.99e6,
            windows: 40,
            slowStart: .milliseconds(300)
        )
        leg.retransmissions = isUpload ? 3 : nil
        leg.loaded = added.map { added in
            LoadedRoundTrips(
                separate: RoundTrips(
                    count: 38,
                    minimum: .microseconds(11_000),
                    p50: .microseconds(11_200 + added),
                    p95: .microseconds(14_000 + 2 * added)
                ),
                perMinute: 60e6 / Double(11_200 + added),
                added: .microseconds(added)
            )
        }
        return leg
    }

    static func report(
        _ interface: String = "eth0",
        download: TransferLeg? = leg(38.94),
        upload: TransferLeg? = nil,
        verdict: CheckVerdict = .ok,
        findings: [Finding] = []
    ) -> CheckReport {
        var hop = CheckHop(url: target)
        hop.interface = interface
        var report = CheckReport(
            target: target,
            verdict: verdict,
            findings: findings,
            hops: [hop],
            started: Date(timeIntervalSince1970: 1_795_244_400),
            duration: .seconds(6)
        )
        let idle = RoundTrips(
            count: 8,
            minimum: .microseconds(10_900),
            p50: .microseconds(11_200),
            p95: .microseconds(13_000)
        )
        report.transfer = TransferReport(download: download, upload: upload, idle: idle)
        return report
    }

    static func measured(_ report: CheckReport, interface: String? = nil) -> UplinkMeasurement {
        UplinkMeasurement(interface: interface, outcome: .report(report))
    }

    static let both = report(upload: leg(10.11, added: 41_000, bytes: 5 << 20, of: 5 << 20, isUpload: true))

    static let stalled = report(
        "wlan0",
        download: leg(1.207, added: 220_400, bytes: 3_250_586, seconds: 21.5),
        verdict: .failed(.transferStalled, .body),
        findings: [
            Finding(.transferStalled, subject: "download", evidence: "no byte for 10 s, after 3.1 of 20 MiB")
        ]
    )

    static let cancelled = report(
        download: leg(38.94, bytes: 12_999_999, seconds: 2.7),
        verdict: .unknown(.cancelled, .body),
        findings: [Finding(.cancelled, subject: target, evidence: "cancelled after 2.9 s")]
    )

    static let slow = report(
        download: leg(0.82, added: 1_900_000, bytes: 5 << 20, of: 5 << 20, seconds: 52),
        verdict: .failed(.throughputLow, .body),
        findings: [Finding(.throughputLow, subject: "download", evidence: "820 kbit/s; 1.00 Mbit/s or less is bad")]
    )

    static let metered = UplinkMeasurement(
        interface: "wwan0",
        outcome: .skipped(
            code: "transfer_metered",
            reason: "it is metered; '--metered' measures it all the same"
        )
    )

    static var resumed: CheckReport {
        var report = report("wlan0")
        report.transfer?.seams = [
            TransferSeam(
                offset: 9 << 20,
                code: .pathChanged,
                pause: .milliseconds(1200),
                from: "wlan0",
                to: "wwan0",
                isRestarted: false
            )
        ]
        return report
    }

    /// Names and measurements of summaries.
    static let summaries: [(name: String, measurements: [UplinkMeasurement])] = [
        ("one", [measured(both)]),
        ("download", [measured(report(download: leg(938.2, added: nil)))]),
        ("cancelled", [measured(cancelled)]),
        ("stalled", [measured(stalled)]),
        ("slow", [measured(slow)]),
        ("resumed", [measured(resumed)]),
        ("each", [measured(both, interface: "eth0"), measured(stalled, interface: "wlan0"), metered]),
        (
            "many",
            (0..<7).map { number in
                measured(report("eth\(number)", download: leg(Double(100 - number * 13))), interface: "eth\(number)")
            }
        ),
        ("refused", [measured(refused)]),
        ("interrupted", [measured(both, interface: "eth0"), UplinkMeasurement(interface: "wlan0")]),
    ]

    /// A check that came to no transfer.
    static var refused: CheckReport {
        CheckReport(
            target: target,
            verdict: .failed(.connectRefused, .connect),
            findings: [Finding(.connectRefused, subject: "192.0.2.7:443", evidence: "connection refused")],
            hops: [CheckHop(url: target)],
            started: Date(timeIntervalSince1970: 1_795_244_400),
            duration: .milliseconds(12)
        )
    }

    // MARK: Progress

    static func running(_ progress: [TransferProgress], on interface: String? = nil) -> UplinkMeasurement {
        progress.reduce(into: UplinkMeasurement(interface: interface)) { $0.note($1) }
    }

    static func progress(
        _ phase: TransferProgress.Phase,
        _ bytes: Int = 0,
        of total: Int = 20 << 20,
        rate: Double? = nil,
        added: Duration? = nil
    ) -> TransferProgress {
        TransferProgress(phase: phase, bytes: bytes, totalBytes: total, bitsPerSecond: rate, addedLatency: added)
    }

    static let started = progress(.started)
    static let loading = progress(.download, 13_002_342, rate: 38.2e6, added: .microseconds(12_400))
    static let loaded = progress(.download, 20 << 20, rate: 38.9e6, added: .microseconds(14_000))
    static let sending = progress(.upload, 901_775, of: 5 << 20, rate: 9.97e6, added: .milliseconds(1240))
    static let paused = progress(.suspended, 9 << 20)

    /// Names and measurements of live displays; the last one is of a machine with another transfer.
    static let displays: [(name: String, measurements: [UplinkMeasurement], seconds: Double)] = [
        ("connecting", [running([])], 0.04),
        ("idle", [running([started])], 0.3),
        ("download", [running([started, loading])], 2.7),
        ("upload", [running([started, loading, loaded, sending])], 5.1),
        ("suspended", [running([started, loading, paused])], 75),
        (
            "each-running",
            [
                measured(both, interface: "eth0"), running([started, loading], on: "wlx00c0caabcdef"),
                UplinkMeasurement(interface: "usb0"), metered,
            ], 3.2
        ),
        ("each-failed", [measured(stalled, interface: "wlan0"), running([started], on: "wwan0")], 0.2),
        ("busy", [running([], on: "eth0"), UplinkMeasurement(interface: "wlan0")], 12),
    ]
}
