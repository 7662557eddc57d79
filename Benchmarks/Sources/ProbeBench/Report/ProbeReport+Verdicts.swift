internal import BenchmarkKit

/// The targets, and whether our probes meet them.
extension ProbeReport {
    private enum Target {
        /// The concurrency at which the ratios are judged.
        static let concurrency = 32
        /// Our CPU time per probe over another's.
        static let ratios: [(Contender, Double)] = [(.go, 1.0), (.goSingle, 1.0), (.blackbox, 0.4)]
    }

    /// Compares what was measured with the targets; what is missing is not judged.
    mutating func judge() {
        verdicts = []
        guard let own = result(.probes, concurrency: Target.concurrency) else { return }
        for (contender, limit) in Target.ratios {
            guard let other = result(contender, concurrency: Target.concurrency) else { continue }
            verdicts.append(
                Verdict(
                    "CPU per probe at concurrency \(Target.concurrency), over \(contender.name)",
                    own.cpuMillisecondsPerProbe / other.cpuMillisecondsPerProbe,
                    atMost: limit
                )
            )
        }
        // A failed probe does less, or more: then nothing can be compared.
        let failures = results.reduce(0) { $0 + $1.failures }
        verdicts.append(Verdict("failed probes, everybody's", Double(failures), atMost: 0))
    }
}
