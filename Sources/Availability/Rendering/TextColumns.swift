internal import AgentEvents

extension Report {
    /// The title of every format for people.
    var title: String {
        switch selection {
        case .everything: "Availability of the default path"
        case .uplink(let name) where main.subject.kind == .probe:
            "Availability of the probes over \(Figures.shown(name, limit: 40))"
        case .probe(let name) where !others.isEmpty: "Availability of probe \(Figures.shown(name, limit: 40))"
        default: "Availability of \(main.subject.kind.rawValue) \(name(main.subject, 50))"
        }
    }

    /// Returns the title of a section about one account, with its name if there are several such sections.
    func title(_ section: String, of account: SubjectAccount) -> String {
        detailed.count > 1 ? "\(section): \(name(account.subject, 60))" : section
    }

    /// The width of a text report, in columns.
    static let columns = 80

    /// Returns a subject's name, truncated to a width.
    func name(_ subject: Subject, _ width: Int) -> String {
        let title = subject.kind == .path ? "default path" : Figures.shown(subject.title)
        return title.count <= width ? title : String(title.prefix(width - 1)) + "~"
    }

    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func padLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Returns lines of at most ``columns`` characters, indented from the second one on; a long word is truncated.
    static func wrapped(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = String(text.prefix { $0 == " " })
        for word in text.split(separator: " ") {
            var word = word[...]
            let isEmpty = line.allSatisfy { $0 == " " }
            if !isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                line = margin + word
            } else {
                line += (isEmpty ? "" : " ") + word
            }
            while line.count > columns {
                word = line.suffix(line.count - columns)
                lines.append(String(line.prefix(columns)))
                line = margin + word
            }
        }
        return lines + [line]
    }
}

extension String {
    var trimmingTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// The figures of a subject's checks in the format shared by all reports for people.
struct CheckColumns {
    /// The column headings.
    static let heads = ["checks", "loss", "p50", "p95", "p99"]

    /// One cell for each heading.
    let cells: [String]

    init(_ checks: CheckFigures) {
        let quantiles = [0.5, 0.95, 0.99].map { share in
            checks.latency.quantile(share).map { SummaryText.latency(microseconds: $0) } ?? "-"
        }
        cells = ["\(checks.succeeded + checks.failed)", Figures.lossText(checks)] + quantiles
    }
}

extension Report {
    /// The subjects with summaries of checks.
    var checked: [(subject: Subject, checks: CheckFigures)] {
        all.compactMap { account in account.checks.map { (account.subject, $0) } }
    }
}

extension Figures {
    /// Returns the loss in per cent with three decimals, rounded up so that a lost check is never 0; `nil` without a
    /// check.
    static func loss(_ checks: CheckFigures) -> String? {
        checks.lossMillionths.map { millionths in
            let thousandths = (millionths + 9) / 10
            return "\(thousandths / 1000).\(CivilTime.digits(Int(thousandths % 1000), 3))"
        }
    }

    /// Returns the loss with the sign, or a dash.
    static func lossText(_ checks: CheckFigures) -> String { loss(checks).map { "\($0) %" } ?? "-" }
}

/// One metric of a subject's transfers in the format shared by all reports for people.
struct TransferColumns {
    /// The column headings.
    static let heads = ["p50", "p95", "18-23 h p50", "18-23 h p95"]

    /// `download`, `upload` or `added latency`.
    let measure: String
    /// One cell for each heading.
    let cells: [String]

    /// Returns the metrics that have values.
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
    /// The subjects with transfers: the default path and the uplinks, and the probes in a report about probes.
    var transferred: [(subject: Subject, figures: TransferFigures)] {
        all.compactMap { account in
            guard account.subject.kind != .probe || main.subject.kind == .probe else { return nil }
            return account.checks?.transfers.map { (account.subject, $0) }
        }
    }

    /// A sentence for each subject with evenings on which a good rate was configured.
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
