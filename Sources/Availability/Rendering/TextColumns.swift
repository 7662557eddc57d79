internal import AgentEvents
internal import ForeignText

extension Report {
    /// The title of every format for people.
    var title: String {
        switch selection {
        case .everything: "Availability of the default path"
        case .uplink(let name) where main.subject.kind == .probe:
            "Availability of the probes over \(Figures.shown(name).shortened(to: 40))"
        case .probe(let name) where !others.isEmpty: "Availability of probe \(Figures.shown(name).shortened(to: 40))"
        default: "Availability of \(main.subject.kind.rawValue) \(name(main.subject, 50))"
        }
    }

    /// Returns the title of a section about one account, with its name if there are several such sections.
    func title(_ section: String, of account: SubjectAccount) -> String {
        detailed.count > 1 ? "\(section): \(name(account.subject, 60))" : section
    }

    /// Returns a subject's name with its point, shortened in the middle of the name to a number of columns.
    func name(_ subject: Subject, _ columns: Int) -> String {
        guard subject.kind != .path else { return "default path" }
        let bounds = [
            subject.interface.map { "over \(Figures.shown($0).shortened(to: 20))" },
            subject.family.map { Figures.shown($0).shortened(to: 8) },
            !subject.isBound && ambiguousNames.contains(ForeignText(subject.name)) ? subject.kind.rawValue : nil,
        ].compactMap(\.self)
        let point = bounds.isEmpty ? "" : " (\(bounds.joined(separator: ", ")))"
        return Figures.shown(subject.name, limit: 256).shortened(to: columns - point.width) + point
    }

    /// The names that a probe has and another subject too.
    static func ambiguousNames(_ subjects: [SubjectAccount]) -> Set<ForeignText> {
        func names(_ kind: Subject.Kind) -> Set<ForeignText> {
            Set(subjects.map(\.subject).filter { $0.kind == kind && !$0.isBound }.map { ForeignText($0.name) })
        }
        return names(.probe).intersection(names(.uplink).union(["default path"]))
    }
}

extension Subject {
    /// True for a probe that is bound to an interface or a family.
    fileprivate var isBound: Bool { interface != nil || family != nil }
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

    /// The width of the widest measure.
    static let measureWidth = 13

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
