internal import AgentEvents
internal import Probes

/// A measurement on one line, for a log or a pipe.
struct MeasureLine {
    /// The line for a measurement of a target.
    func text(_ target: String, _ measurement: UplinkMeasurement) -> String {
        let place = measurement.uplinks.map { " over \($0)" } ?? ""
        let target = ForeignText.line(target) + place
        switch measurement.outcome {
        case .report(let report)?:
            let figures = report.transfer.map(figures) ?? []
            let (word, code) = Self.verdict(report, measurement.findings.first { $0.severity != .note })
            let notes = measurement.findings.filter { $0.severity == .note }.map { ForeignText.line($0.evidence) }
            return "\(word) \(target): " + ([code].compactMap(\.self) + figures + notes).joined(separator: "; ")
        case .skipped(let code, let reason)?: return "not measured \(target): \(code), \(reason)"
        case nil: return "not measured \(target)"
        }
    }

    private static func verdict(
        _ report: Probes.CheckReport,
        _ finding: Probes.Finding?
    ) -> (word: String, code: String?) {
        let evidence = finding.map { ", \(ForeignText.line($0.evidence))" } ?? ""
        switch report.verdict {
        case .ok: return ("ok", nil)
        case .failed(let code, _): return ("failed", code.rawValue + evidence)
        case .unknown(let code, _): return ("not checked", code.rawValue + evidence)
        }
    }

    private func figures(_ transfer: TransferReport) -> [String] {
        Self.parts(transfer).map { "\($0.name) \($0.text)" }
    }

    /// The download, the upload and the idle round trip, as far as they were measured.
    static func parts(_ transfer: TransferReport) -> [(name: String, text: String)] {
        let legs = [("download", transfer.download), ("upload", transfer.upload)].compactMap { name, leg in
            leg.map { (name: name, text: figures($0)) }
        }
        return legs + (transfer.idle.map { [(name: "idle round trip", text: DurationText.milliseconds($0.p50))] } ?? [])
    }

    private static func figures(_ leg: TransferLeg) -> String {
        let rate = leg.goodput.map { "\(MeasureFigures.rate($0.p50)) (p95 \(MeasureFigures.rate($0.p95)))" }
        let added = leg.loaded?.added.map { "+\(DurationText.milliseconds($0))" }
        let perMinute = leg.loaded.map { "\(MeasureFigures.perMinute($0.perMinute)) round trips/min" }
        let bytes = "\(MeasureFigures.bytes(leg)) in \(MeasureFigures.seconds(leg.duration))"
        return [rate, added, perMinute, bytes].compactMap(\.self).joined(separator: ", ")
    }
}
