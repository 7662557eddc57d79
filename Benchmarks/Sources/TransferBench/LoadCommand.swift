internal import ArgumentParser
internal import BenchmarkKit
internal import Probes

/// The process that is measured: makes one transfer.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Make one transfer, and report the payload bytes.",
        shouldDisplay: false
    )

    @Option var scenario: Scenario
    @Option var origin: String
    @Option var caFile: String
    @Option var bytes: Int

    func run() async throws {
        let anchors = TrustAnchors(certificates: try CertificateFile.certificates(at: caFile))
        var probe = Probe(
            target: try ProbeTarget(parsing: "\(origin)/large"),
            trust: TrustEvaluator(anchors: anchors),
            tls: TLSOptions(applicationProtocols: scenario.applicationProtocols),
            timeout: .seconds(300)
        )
        var plan = TransferPlan(
            downloadBytes: scenario.isUpload ? 0 : bytes,
            uploadBytes: scenario.isUpload ? bytes : 0
        )
        if scenario.isUpload, case .http(let url) = try ProbeTarget(parsing: "\(origin)/upload") {
            plan.uploadURL = url
        }
        probe.transfer = plan
        let prober = Prober()
        let report = await prober.check(probe)
        let leg = scenario.isUpload ? report.transfer?.upload : report.transfer?.download
        print(report.verdict == .ok ? "\(leg?.bytes ?? 0)" : report.findings.first.map { "\($0)" } ?? "failed")
        await prober.shutDown()
    }
}
