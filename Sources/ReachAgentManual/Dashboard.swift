import Foundation
import StatePages

/// The Grafana dashboard in `examples/prometheus`, as JSON.
///
/// It is generated, because every name and explanation in it comes from the table of metrics.
enum Dashboard {
    /// Returns the content of the file.
    static func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Document()), as: UTF8.self) + "\n"
    }

    /// All panels.
    static var panels: [DashboardPanel] { rows.flatMap(\.panels) }

    private static let source = Source(type: "prometheus", uid: "${datasource}")
    private static let columns = 24
    private static let panelHeight = 7
    private static let statHeight = 4

    private struct Source: Encodable {
        var type: String
        var uid: String
    }

    private struct Document: Encodable {
        var title = "ReachAgent"
        var uid = "reachagent"
        var description = "The reachability and connectivity of machines, and the reason of each change"
        var tags = ["reachagent", "network"]
        var schemaVersion = 38
        var editable = true
        var refresh = "1m"
        var timezone = "browser"
        var time = ["from": "now-24h", "to": "now"]
        var templating = ["list": Variable.all]
        var panels = Panel.all
    }

    private struct Variable: Encodable {
        var name: String
        var label: String
        var type: String
        var query: String
        var datasource: Source?
        var definition: String?
        var includeAll: Bool?
        var multi: Bool?
        var refresh: Int?
        var allValue: String?

        static let all = [
            Variable(name: "datasource", label: "Data source", type: "datasource", query: "prometheus"),
            values("instance", "Machine", "label_values(reachagent_build_info, instance)"),
            values(
                "probe",
                "Probe",
                #"label_values(reachagent_probe_verdict{instance=~"$instance"}, probe)"#
            ),
        ]

        private static func values(_ name: String, _ label: String, _ query: String) -> Variable {
            Variable(
                name: name,
                label: label,
                type: "query",
                query: query,
                datasource: source,
                definition: query,
                includeAll: true,
                multi: true,
                refresh: 2,
                allValue: ".*"
            )
        }
    }

    private struct Panel: Encodable {
        struct Position: Encodable {
            var h, w, x, y: Int
        }

        struct Target: Encodable {
            var datasource: Source
            var expr: String
            var format: String
            var instant: Bool
            var legendFormat: String
            var refId: String
        }

        struct Defaults: Encodable {
            var unit: String
        }

        struct FieldConfig: Encodable {
            var defaults: Defaults
            var overrides: [String] = []
        }

        struct Options: Encodable {
            var textMode: String?
        }

        var id: Int
        var title: String
        var type: String
        var gridPos: Position
        var description: String?
        var datasource: Source?
        var fieldConfig: FieldConfig?
        var options: Options?
        var targets: [Target]?

        static let all: [Panel] = {
            var panels: [Panel] = []
            var line = 0
            for row in rows {
                panels.append(
                    Panel(
                        id: panels.count + 1,
                        title: row.title,
                        type: "row",
                        gridPos: Position(h: 1, w: columns, x: 0, y: line)
                    )
                )
                line += 1
                var column = 0
                var height = 0
                for panel in row.panels {
                    if column + panel.width > columns { (column, line) = (0, line + height) }
                    height = panel.visualization == .stat ? statHeight : panelHeight
                    let position = Position(h: height, w: panel.width, x: column, y: line)
                    panels.append(Panel(panel, id: panels.count + 1, at: position))
                    column += panel.width
                }
                line += height
            }
            return panels
        }()

        private init(id: Int, title: String, type: String, gridPos: Position) {
            (self.id, self.title, self.type, self.gridPos) = (id, title, type, gridPos)
        }

        private init(_ panel: DashboardPanel, id: Int, at position: Position) {
            self.init(id: id, title: panel.title, type: panel.visualization.rawValue, gridPos: position)
            description = panel.description
            datasource = source
            fieldConfig = FieldConfig(defaults: Defaults(unit: panel.unit))
            options = Options(textMode: panel.visualization == .stat ? (panel.showsName ? "name" : "value") : nil)
            let isInstant = panel.visualization == .stat || panel.visualization == .table
            targets = panel.queries.enumerated().map { index, query in
                Target(
                    datasource: source,
                    expr: query.expression,
                    format: panel.visualization == .table ? "table" : "time_series",
                    instant: isInstant,
                    legendFormat: query.legend,
                    refId: String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index)))
                )
            }
        }
    }
}

/// A panel of the dashboard: queries of metrics in the table, and their visualization.
struct DashboardPanel {
    /// The Grafana visualizations that the dashboard uses.
    enum Visualization: String {
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
        /// The PromQL expression, with the variables of the dashboard.
        var expression: String
        /// The name of the results, with labels in braces, such as `{{probe}}`.
        var legend = ""
    }

    var title: String
    var visualization: Visualization
    /// A Grafana unit, such as `s` or `percentunit`.
    var unit = "short"
    /// The width in 24ths of the dashboard.
    var width = 8
    /// True to show the name of the series instead of its value.
    var showsName = false
    var queries: [Query]

    /// The description of the first metric in the table of metrics.
    var description: String? { families.first.map { "\($0.help)." } }

    /// The metric families in the queries.
    var families: [MetricFamily] { names.compactMap { name in MetricFamily.all.first { $0.name == name } } }

    /// The names in the queries that the table does not contain.
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
