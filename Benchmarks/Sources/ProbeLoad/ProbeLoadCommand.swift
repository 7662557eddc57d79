internal import ArgumentParser
internal import BenchmarkKit
internal import Probes

/// `probe-load`: makes the same check again and again with the `Probes` library, and reports what that cost.
///
/// A process of its own, so that its CPU time is nobody else's.
@main
struct ProbeLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe-load",
        abstract: "Make HTTPS checks in a loop and report their cost as one line of JSON."
    )

    @Option(help: "The target.")
    var url: String

    @Option(help: ArgumentHelp("The certificates to trust, in PEM.", valueName: "path"))
    var caFile: String

    @Option(help: "The number of measured checks.")
    var count = 1000

    @Option(help: "The number of concurrent checks.")
    var concurrency = 1

    @Option(help: "The number of checks before them that do not count.")
    var warmUp = 100

    @Flag(help: "Evaluate the server's trust anew for each check, as if every server were met for the first time.")
    var trustAnew = false

    func validate() throws {
        guard 1...10_000_000 ~= count else { throw ValidationError("--count must be from 1 to 10000000") }
        guard 1...512 ~= concurrency else { throw ValidationError("--concurrency must be from 1 to 512") }
        guard 0...10_000_000 ~= warmUp else { throw ValidationError("--warm-up must be from 0 to 10000000") }
    }

    func run() async throws {
        let anchors = TrustAnchors(certificates: try CertificateFile.certificates(at: caFile))
        let probe = Probe(
            target: try ProbeTarget(parsing: url),
            trust: TrustEvaluator(anchors: anchors),
            tls: TLSOptions(applicationProtocols: ["http/1.1"])
        )
        let loop = ProbeLoop(prober: Prober(), probe: probe, evaluatesTrustAnew: trustAnew)
        _ = await loop.run(count: warmUp, concurrency: concurrency)
        let cpu = ProcessUsage.ownCPUNanoseconds
        let started = MonotonicClock.nanoseconds
        let result = await loop.run(count: count, concurrency: concurrency)
        let summary = LoadSummary(
            count: count,
            failures: result.failures,
            cpuSeconds: Double(ProcessUsage.ownCPUNanoseconds - cpu) / 1e9,
            elapsedSeconds: Double(MonotonicClock.nanoseconds - started) / 1e9,
            p50Microseconds: result.latencies.microseconds(atPercentile: 50),
            p99Microseconds: result.latencies.microseconds(atPercentile: 99),
            failure: result.failure
        )
        print(try summary.line())
        await loop.prober.shutDown()
    }
}
