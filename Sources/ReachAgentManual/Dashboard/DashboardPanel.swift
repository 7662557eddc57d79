import StatePages

/// A panel of the dashboard: queries over metrics of the table, and how they are drawn.
struct DashboardPanel {
    /// The forms of Grafana that the dashboard uses.
    enum Form: String {
        /// One number or name.
        case stat
        /// Bars of states over time.
        case timeline = "state-timeline"
        /// Curves.
        case curves = "timeseries"
        /// Rows.
        case table
    }

    /// A query and the name of its results.
    struct Query {
        /// In PromQL, with the variables of the dashboard.
        var expression: String
        /// With labels in braces, such as `{{probe}}`.
        var legend = ""
    }

    var title: String
    var form: Form
    /// A unit of Grafana's, such as `s` or `percentunit`.
    var unit = "short"
    /// The width in 24ths of the dashboard.
    var width = 8
    /// Show the name of the series instead of its value.
    var showsName = false
    var queries: [Query]

    /// The meaning: that of the first metric in the table of metrics.
    var description: String? { families.first.map { "\($0.help)." } }

    /// The families that the queries name.
    var families: [MetricFamily] { names.compactMap { name in MetricFamily.all.first { $0.name == name } } }

    /// The names of families in the queries that the table does not have.
    var unknownNames: [String] { names.filter { name in !MetricFamily.all.contains { $0.name == name } } }

    /// The labels in the names of results that no family of the query has.
    var unknownLabels: [String] {
        let known = Set(families.flatMap(\.labels) + ["instance"])
        return queries.flatMap { $0.legend.matches(of: /\{\{([a-z_]+)\}\}/).map { String($0.output.1) } }
            .filter { !known.contains($0) }
    }

    private var names: [String] {
        queries.flatMap { query in
            query.expression.matches(of: /\b(reachagent|probe|process)_[a-z_]+/).map { match in
                let name = String(match.output.0)
                let histogram = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }.map {
                    name.dropLast($0.count)
                }
                let isHistogram = MetricFamily.all.contains {
                    $0.name == histogram.map(String.init) && $0.kind == .histogram
                }
                return isHistogram ? histogram.map(String.init) ?? name : name
            }
        }
    }
}
