internal import AgentEvents
internal import Probes

/// The probes' results, sorted into the layers that they concern.
struct ProbeEvidence {
    /// A probe that is not up, or whose last check failed.
    struct Failure {
        /// The probe with its interface and family.
        let name: String
        /// The probe alone, as commands take it.
        let probe: String
        let code: String
        let detail: String?
        /// True when the failure is the reason for a loss of connectivity, false while others make up for it.
        let isLoss: Bool
        /// The layer that is at fault.
        let layer: Diagnosis.Layer
        let loginPage: String?
    }

    let failures: [Failure]
    /// The number of probes and checks.
    let count: Int
    /// The number of those that are up.
    let upCount: Int
    /// The certificates that expire first, with their probes.
    let certificates: [(probe: String, certificate: AgentStatus.ExpiringCertificate)]
    /// True when the agent has probes that were left out of its status.
    let isCut: Bool

    init(_ evidence: DiagnosisEvidence) {
        var failures: [Failure] = []
        var status: AgentStatus?
        if case .success(let reply)? = evidence.agent { status = reply }
        let isFull = status?.reachability.state?.connectivity == .full
        let probes = status?.probes ?? []
        for probe in probes {
            let hasFailed = probe.lastOutcome.map { $0 != "ok" } ?? false
            guard probe.verdict != "up" || hasFailed, let code = probe.code ?? probe.lastCode,
                !Self.transferRefusals.contains(code)
            else { continue }
            failures.append(
                Failure(
                    name: ProbeCountText.name(probe.probe, probe.interface, probe.family),
                    probe: probe.probe,
                    code: code,
                    detail: probe.detail,
                    isLoss: probe.verdict != "up" && !isFull && !Self.transferFailures.contains(code),
                    layer: Self.layer(of: code),
                    loginPage: probe.portalURL
                )
            )
        }
        for check in evidence.checks {
            guard let code = check.report.verdict.code else { continue }
            let deciding = check.report.findings.first { $0.code == code }
            failures.append(
                Failure(
                    name: check.name,
                    probe: check.name,
                    code: code.rawValue,
                    detail: deciding?.evidence,
                    isLoss: true,
                    layer: Self.layer(of: code.rawValue, in: check.report.verdict.phase),
                    loginPage: nil
                )
            )
        }
        self.failures = failures
        count = probes.count + evidence.checks.count
        upCount = probes.filter { $0.verdict == "up" }.count + evidence.checks.filter { $0.report.verdict == .ok }.count
        certificates = probes.compactMap { probe in probe.certificate.map { (probe.probe, $0) } }
        isCut = (status?.probesOmitted ?? 0) > 0
    }

    /// The reasons for which a transfer is not made, as configured: nothing is broken.
    private static let transferRefusals = Set(
        [FindingCode.pathChanged, .transferYielded, .transferMetered, .transferBusy].map(\.rawValue)
    )
    /// The failures of transfers alone, which never decide about the connectivity.
    private static let transferFailures = Set(
        [FindingCode.throughputLow, .addedLatencyHigh, .transferStalled, .rangeInvalid].map(\.rawValue)
    )

    func failures(in layer: Diagnosis.Layer) -> [Failure] { failures.filter { $0.layer == layer } }

    /// The layer that a code of a check is about; a check that timed out is sorted by its phase.
    private static func layer(of code: String, in phase: Phase? = nil) -> Diagnosis.Layer {
        let resolver = [FindingCode.dnsNXDomain, .dnsNoAddress, .dnsTimeout, .dnsFailure, .resolverBusy]
        if resolver.map(\.rawValue).contains(code) { return .resolver }
        if code.hasPrefix("tls_") { return .tls }
        if code.hasPrefix("http_") || code.hasPrefix("redirect_") || code.hasPrefix("dns_") { return .response }
        let late = [FindingCode.byteLimit, .evaluationLimit, .latencyHigh, .lossHigh, .requestInvalid]
        if late.map(\.rawValue).contains(code) || transferFailures.contains(code) { return .response }
        return switch phase {
        case .resolve: .resolver
        case .tls: .tls
        case .request, .firstByte, .body: .response
        default: .connection
        }
    }
}
