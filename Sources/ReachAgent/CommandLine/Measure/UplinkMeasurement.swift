internal import Probes

/// A transfer of `reachagent measure` over one uplink: waiting, running or finished.
struct UplinkMeasurement: Sendable {
    /// The outcome of a measurement.
    enum Outcome: Sendable {
        /// The transfer was made, wholly or in part.
        case report(CheckReport)
        /// The transfer was not made, because the uplink cannot carry it or must not.
        case skipped(code: String, reason: String)
    }

    /// The interface that the transfer is bound to; nil for the default path.
    let interface: String?
    /// The last progress of the download.
    private(set) var download: TransferProgress?
    /// The last progress of the upload.
    private(set) var upload: TransferProgress?
    /// The last progress of all; nil before the first.
    private(set) var latest: TransferProgress?
    /// The outcome; nil before the end.
    var outcome: Outcome?

    /// Creates a measurement that has not started.
    init(interface: String?, outcome: Outcome? = nil) {
        self.interface = interface
        self.outcome = outcome
    }

    /// Records the progress of the transfer.
    mutating func note(_ progress: TransferProgress) {
        latest = progress
        switch progress.phase {
        case .download, .suspended, .resumed: download = progress
        case .upload: upload = progress
        case .started, .completed, .cancelled: break
        }
    }

    /// The report; nil before the end, and where no transfer was made.
    var report: CheckReport? {
        guard case .report(let report)? = outcome else { return nil }
        return report
    }

    /// The findings to show: the one that ended the transfer and those that explain it, without warnings and notes about
    /// certificates, which `reachagent probe` shows, and without a cancellation by the user.
    var findings: [Finding] {
        (report?.findings ?? []).filter { finding in
            switch finding.severity {
            case .refusal: finding.code != .cancelled
            case .warning: false
            case .note: Self.notes.contains(finding.code)
            }
        }
    }

    /// The codes of notes about a transfer itself.
    private static let notes: Set<FindingCode> = [.httpBody, .byteLimit, .httpProtocol]

    /// The name of the uplink: the interface that the transfer was bound to, or the one that it took.
    var uplink: String? {
        interface ?? report?.hops.last { $0.interface != nil }?.interface.map { ForeignText.line($0) }
    }

    /// The names of all uplinks that carried the transfer, in their order.
    var uplinks: String? {
        let names = [uplink] + (report?.transfer?.seams ?? []).map { $0.to.map { ForeignText.line($0) } }
        let distinct = names.compactMap(\.self).reduce(into: [String]()) { names, name in
            if names.last != name { names.append(name) }
        }
        return distinct.isEmpty ? nil : distinct.joined(separator: ", ")
    }

    /// The exit status for this measurement alone; nil if it was skipped because the uplink is metered.
    var status: Int32? {
        switch outcome {
        case .report(let report)?:
            switch report.verdict {
            case .ok: 0
            case .failed: ExitStatus.finding
            case .unknown: ExitStatus.tryAgain
            }
        case .skipped(FindingCode.transferMetered.rawValue, _)?: nil
        case .skipped?, nil: ExitStatus.tryAgain
        }
    }
}
