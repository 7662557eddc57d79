internal import AgentEvents

/// One measure of a subject's transfers as all formats for people have it.
struct TransferColumns {
    /// The heads of the columns.
    static let heads = ["p50", "p95", "18-23 h p50", "18-23 h p95"]

    /// `download`, `upload` or `added latency`.
    let measure: String
    /// A cell for each head.
    let cells: [String]

    /// The measures that there are.
    static func rows(_ figures: TransferFigures) -> [TransferColumns] {
        [
            row("download", figures.all.download, figures.evening.download, SummaryText.bitRate),
            row("upload", figures.all.upload, figures.evening.upload, SummaryText.bitRate),
            row("added latency", figures.all.added, figures.evening.added, SummaryText.latency(microseconds:)),
        ].compactMap(\.self)
    }

    private static func row(
        _ measure: String,
        _ all: ExponentialHistogram,
        _ evening: ExponentialHistogram,
        _ text: (Int64) -> String
    ) -> TransferColumns? {
        guard all.count > 0 else { return nil }
        let values = [all.quantile(0.5), all.quantile(0.95), evening.quantile(0.5), evening.quantile(0.95)]
        return TransferColumns(measure: measure, cells: values.map { $0.map(text) ?? "-" })
    }
}

extension Report {
    /// The subjects with transfers: the default path and the uplinks, and the probes of a report about probes.
    var transferred: [(subject: Subject, figures: TransferFigures)] {
        all.compactMap { account in
            guard account.subject.kind != .probe || main.subject.kind == .probe else { return nil }
            return account.checks?.transfers.map { (account.subject, $0) }
        }
    }

    /// A sentence for each subject on whose evenings a good rate was configured.
    var deliveries: [String] {
        transferred.compactMap { subject, figures in
            figures.delivery.map { "\(name(subject, 40)): \($0.sentence)" }
        }
    }
}

extension TransferFigures.Delivery {
    /// `the provider delivered 38 of 100 Mbit/s on 12 of 30 evenings (18 to 23 h)`.
    var sentence: String {
        let hours = TransferFigures.eveningHours
        let time = "(\(hours.lowerBound) to \(hours.upperBound) h)"
        guard shortEvenings > 0 else {
            let days = evenings == 1 ? "the only evening" : "all \(evenings) evenings"
            return "the provider delivered at least \(SummaryText.bitRate(good)) on \(days) \(time)"
        }
        return "the provider delivered \(SummaryText.bitRate(delivered, outOf: good)) on \(shortEvenings) of "
            + "\(evenings) evening\(evenings == 1 ? "" : "s") \(time)"
    }
}
