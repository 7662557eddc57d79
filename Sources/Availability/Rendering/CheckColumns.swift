internal import AgentEvents

/// The figures of a subject's checks as all formats for people have them.
struct CheckColumns {
    /// The heads of the columns.
    static let heads = ["checks", "loss", "p50", "p95", "p99"]

    /// A cell for each head.
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
    /// The loss in per cent with three decimals, rounded up so that a lost check is never 0; `nil` without a check.
    static func loss(_ checks: CheckFigures) -> String? {
        checks.lossMillionths.map { millionths in
            let thousandths = (millionths + 9) / 10
            return "\(thousandths / 1000).\(CivilTime.digits(Int(thousandths % 1000), 3))"
        }
    }

    /// The loss with its sign, or a dash.
    static func lossText(_ checks: CheckFigures) -> String { loss(checks).map { "\($0) %" } ?? "-" }
}
