internal import ArgumentParser
internal import BenchmarkKit
internal import Glibc
internal import Probes
internal import Synchronization

/// The process that is measured: makes many small checks on time, alone and while a transfer runs.
struct LatenessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lateness",
        abstract: "Make small checks beside a transfer, and report how late they began.",
        shouldDisplay: false
    )

    @Option var origin: String
    /// The server of the small checks: one that is busy with the transfer would answer them late.
    @Option var checksOrigin: String
    @Option var caFile: String
    @Option var probes: Int
    @Option var seconds: Int
    @Flag var transfers = false

    /// The transfer that runs, and the next one after it.
    private final class Transfers: Sendable {
        private let prober: Prober
        private let probe: Probe
        private let bytes = Mutex(0)

        init(_ prober: Prober, _ probe: Probe) { (self.prober, self.probe) = (prober, probe) }

        var total: Int { bytes.withLock { $0 } }

        func next() {
            _ = prober.start(probe) { [self] report in
                bytes.withLock { $0 += report.transfer?.download?.bytes ?? 0 }
                if report.verdict == .ok { next() }
            }
        }
    }

    func run() throws {
        let anchors = TrustAnchors(certificates: try CertificateFile.certificates(at: caFile))
        let prober = Prober()
        // As the agent does it: a transfer has an event loop of its own.
        let transferProber = Prober()
        let log = Mutex((isOpen: false, lateness: LatencyHistogram(), failures: 0))
        let scheduler = ProbeScheduler(
            transport: prober,
            limits: ScheduleLimits(checks: 256, checksPerTarget: 256)
        ) { check in
            let (seconds, attoseconds) = max(.zero, min(check.started - check.due, .seconds(50))).components
            let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
            log.withLock { log in
                guard log.isOpen else { return }
                if !log.lateness.record(nanoseconds) || check.report.verdict != .ok { log.failures += 1 }
            }
            return .steady
        }
        let trust = TrustEvaluator(anchors: anchors)
        let small = Probe(
            target: try ProbeTarget(parsing: "\(checksOrigin)/small"),
            trust: trust,
            tls: TLSOptions(applicationProtocols: ["http/1.1"])
        )
        scheduler.setProbes(
            (0..<probes).map { index in
                ScheduledProbe(
                    point: ProbePoint(probe: "probe\(index)", vantage: .default),
                    probe: small,
                    identity: "probe\(index)",
                    pace: ProbePace(interval: .seconds(1))
                )
            }
        )
        scheduler.start()
        var large = Probe(target: try ProbeTarget(parsing: "\(origin)/large"), trust: trust, timeout: .seconds(300))
        large.transfer = TransferPlan(downloadBytes: 1 << 40)
        let running = Transfers(transferProber, large)
        if transfers { running.next() }
        // All probes have found their phase.
        sleep(4)
        log.withLock { $0.isOpen = true }
        sleep(UInt32(seconds))
        let result = log.withLock { log in
            log.isOpen = false
            return log
        }
        let lateness = result.lateness
        scheduler.stop()
        prober.shutDownAndWait()
        transferProber.shutDownAndWait()
        let measurement = LatenessMeasurement(
            isBesideTransfer: transfers,
            checks: Int(lateness.count),
            expectedChecks: probes * seconds,
            failures: result.failures,
            p50Milliseconds: lateness.microseconds(atPercentile: 50) / 1000,
            p99Milliseconds: lateness.microseconds(atPercentile: 99) / 1000,
            maxMilliseconds: lateness.microseconds(atPercentile: 100) / 1000
        )
        print(try measurement.line())
    }
}
