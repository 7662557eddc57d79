internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// prometheus-blackbox-exporter: a daemon that probes whenever its page is fetched.
///
/// Only its own CPU time counts, not that of whoever fetches; each probe also renders a page of metrics.
struct BlackboxDaemon: LoadGenerator {
    let contender = Contender.blackbox
    let version: String
    let path: String
    let directory: TemporaryDirectory

    func run(_ load: Load) throws(BenchmarkError) -> Measurement {
        let configuration = try directory.write(BlackboxModule.configuration(caFile: load.caFile), to: "blackbox.yml")
        let port = try Loopback.freePort()
        let daemon = try ChildProcess(
            path,
            ["--config.file=\(configuration)", "--web.listen-address=127.0.0.1:\(port)", "--log.level=error"]
        )
        defer { daemon.stop() }
        try Loopback.waitForListener(on: port, of: daemon, named: path)
        let scraper = Scraper(
            port: port,
            path: "/probe?module=\(BlackboxModule.name)&target=\(load.url)",
            concurrency: load.concurrency
        )
        _ = try scraper.fetch(load.warmUp)
        let cpu = ProcessUsage.cpuNanoseconds(of: daemon.identifier)
        let started = MonotonicClock.nanoseconds
        let result = try scraper.fetch(load.count)
        let elapsed = MonotonicClock.nanoseconds - started
        let used = ProcessUsage.cpuNanoseconds(of: daemon.identifier) - cpu
        return Measurement(
            summary: LoadSummary(
                count: load.count,
                failures: result.failures,
                cpuSeconds: Double(used) / 1e9,
                elapsedSeconds: Double(elapsed) / 1e9,
                p50Microseconds: result.latencies.microseconds(atPercentile: 50),
                p99Microseconds: result.latencies.microseconds(atPercentile: 99),
                failure: result.failures > 0 ? "probe_success is not 1" : nil
            ),
            peakResidentKilobytes: ProcessUsage.peakResidentKilobytes(of: daemon.identifier)
        )
    }
}
