internal import ArgumentParser
internal import BenchmarkKit
internal import Glibc
internal import Probes

/// The process that is measured: makes probes for a while, and reports their cost as JSON.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Make probes for a while, and report as JSON.",
        shouldDisplay: false
    )

    @Option(help: "The name of the load in the report.")
    var name = "stub"

    @Option(help: "The maker of the probes: scheduler or threads.")
    var contender = Contender.scheduler

    @Option(help: "The number of probes.")
    var probes = 10_000

    @Option(help: "Every how many seconds each is made.")
    var interval = 10

    @Option(help: "The measured seconds.")
    var seconds = 30

    @Option(help: "The target; without it a stand-in answers.")
    var url: String?

    @Option(help: ArgumentHelp("The certificates to trust, in PEM.", valueName: "path"))
    var caFile: String?

    @Option(help: "The CPU that this process may use, counted from 0.")
    var cpu = 0

    func run() throws {
        try Affinity.pin(to: cpu)
        let prober = url.map { _ in Prober() }
        let transport: any CheckTransport = if let prober { prober } else { StubTransport() }
        let log = LatenessLog()
        let interval = Duration.seconds(interval)
        let driver: any ProbeDriver =
            switch contender {
            case .scheduler: ScheduledProbes(try scheduledProbes(interval), transport: transport, log: log)
            case .threads: ThreadPerProbe(try scheduledProbes(interval), transport: transport, log: log)
            }
        // The first look is over, and all probes have found their phase.
        sleep(UInt32(min(3600, probes == 1 ? 5 : self.interval + 10)))
        // Looking at ten thousand threads takes a while, and holds them up.
        let before = ProcessUsage(of: getpid())
        sleep(2)
        log.begin()
        let cpu = ProcessUsage.ownCPUNanoseconds
        let started = MonotonicClock.nanoseconds
        sleep(UInt32(seconds))
        let elapsed = Double(MonotonicClock.nanoseconds - started) / 1e9
        let cpuSeconds = Double(ProcessUsage.ownCPUNanoseconds - cpu) / 1e9
        let lateness = log.end()
        let after = ProcessUsage(of: getpid())
        let measurement = ScheduleMeasurement(
            name: name,
            contender: contender,
            probes: probes,
            intervalSeconds: self.interval,
            elapsedSeconds: elapsed,
            checks: Int(lateness.histogram.count),
            failures: lateness.failures,
            skipped: driver.skipped,
            p50Milliseconds: lateness.histogram.microseconds(atPercentile: 50) / 1000,
            p99Milliseconds: lateness.histogram.microseconds(atPercentile: 99) / 1000,
            maxMilliseconds: lateness.histogram.microseconds(atPercentile: 100) / 1000,
            cpuPercent: cpuSeconds / elapsed * 100,
            residentKilobytes: after.residentKilobytes,
            // This thread went to sleep twice.
            wakeUps: max(2, after.wakeUps(since: before)) - 2
        )
        print(try measurement.line())
        driver.stop()
        prober?.shutDownAndWait()
    }

    /// Probes that have the same target and are different all the same, as far as the scheduler knows.
    private func scheduledProbes(_ interval: Duration) throws -> [ScheduledProbe] {
        let anchors = TrustAnchors(certificates: try caFile.map { try CertificateFile.certificates(at: $0) } ?? [])
        let trust = TrustEvaluator(anchors: anchors)
        let tls = TLSOptions(applicationProtocols: ["http/1.1"])
        return try (0..<probes).map { index in
            let target = try ProbeTarget(parsing: url ?? "tcp://host\(index).test:443")
            return ScheduledProbe(
                point: ProbePoint(probe: "probe\(index)", vantage: .default),
                probe: Probe(target: target, trust: trust, tls: tls),
                identity: "probe\(index)",
                pace: ProbePace(interval: interval)
            )
        }
    }
}
