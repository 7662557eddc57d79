internal import AgentEvents
internal import Probes
internal import Reachability

/// The verdict of a measurement by the thresholds of its probe, as the agent judges each of its transfers.
struct MeasureVerdict {
    private let rule: TransferRule

    /// Creates a verdict by the thresholds of a rule.
    init(_ rule: TransferRule) { self.rule = rule }

    /// Returns the report with the verdict of the thresholds, if it overrides the report's own verdict.
    func judged(_ report: Probes.CheckReport) -> Probes.CheckReport {
        // A transfer that was too slow for its bytes has timed out as a consequence.
        let (isOK, isTimeout) = (report.verdict == .ok, report.verdict.code == .timeout)
        guard isOK || isTimeout, let transfer = report.transfer, let finding = finding(transfer),
            isOK || finding.code == .throughputLow
        else { return report }
        var report = report
        report.verdict = .failed(finding.code, .body)
        report.findings.insert(finding, at: 0)
        return report
    }

    private func finding(_ transfer: TransferReport) -> Probes.Finding? {
        let (word, leg) = transfer.download.map { ("download", $0) } ?? ("upload", transfer.upload)
        if let band = rule.throughput, let rate = leg?.goodput?.p50, rate <= band.bad {
            return Probes.Finding(
                .throughputLow,
                subject: word,
                evidence: "\(MeasureFigures.rate(rate)); \(MeasureFigures.rate(band.bad)) or less is bad"
            )
        }
        let added = [("download", transfer.download), ("upload", transfer.upload)].compactMap { word, leg in
            leg?.loaded?.added.map { (word: word, duration: $0) }
        }
        if let band = rule.addedLatency, let worst = added.max(by: { $0.duration < $1.duration }),
            worst.duration / .milliseconds(1) >= band.bad
        {
            let bad = DurationText.milliseconds(.microseconds(Int64(band.bad * 1000)))
            return Probes.Finding(
                .addedLatencyHigh,
                subject: worst.word,
                evidence: "+\(DurationText.milliseconds(worst.duration)); \(bad) or more is bad"
            )
        }
        return nil
    }
}
