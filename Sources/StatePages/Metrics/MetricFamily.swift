/// A family of metrics: its name, meaning and samples.
///
/// ``all`` is the only list of families: it determines the metrics page and the table in docs/metrics.md.
public struct MetricFamily: Sendable {
    /// The types of metrics.
    public enum Kind: String, Sendable {
        case gauge, counter, histogram, info
    }

    /// One value.
    struct Sample {
        /// The values of the family's labels, in their order; empty ones are left out.
        var labels: [String] = []
        var value: Double
    }

    /// The samples of a family.
    enum Samples {
        case values(@Sendable (AgentMetrics) -> [Sample])
        case histogram(@Sendable (AgentMetrics) -> [(labels: [String], counts: CheckCounts)])
    }

    /// The name of the samples; that of a counter ends with `_total`, that of an info with `_info`.
    public let name: String
    /// The type.
    public let kind: Kind
    /// The meaning, without a period at the end.
    public let help: String
    /// The names of the labels.
    public let labels: [String]
    let samples: Samples

    init(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        labels: [String] = [],
        _ samples: @escaping @Sendable (AgentMetrics) -> [Sample]
    ) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.samples = .values(samples)
    }

    init(
        histogram name: String,
        _ help: String,
        labels: [String],
        _ samples: @escaping @Sendable (AgentMetrics) -> [(labels: [String], counts: CheckCounts)]
    ) {
        self.name = name
        kind = .histogram
        self.help = help
        self.labels = labels
        self.samples = .histogram(samples)
    }

    /// All families, in the order of the page.
    public static let all: [MetricFamily] = compatible + probes + transfers + state + agent + process

    /// The families for node_exporter's textfile collector, without those of the process, whose names node_exporter
    /// uses itself.
    public static let collected: [MetricFamily] = compatible + probes + transfers + state + agent

    /// Returns docs/metrics.md with a new table between its two markers; unchanged if they are missing.
    public static func updated(_ document: String) -> String {
        let (start, end) = ("<!-- metrics -->", "<!-- end of metrics -->")
        guard let first = document.firstRange(of: start), let last = document.firstRange(of: end),
            first.upperBound <= last.lowerBound
        else { return document }
        let rows = documentation.joined(separator: "\n")
        return document[..<first.upperBound] + "\n\n\(rows)\n\n" + document[last.lowerBound...]
    }

    /// The rows of the table in docs/metrics.md.
    public static var documentation: [String] {
        ["| Name | Type | Labels | Meaning |", "|---|---|---|---|"]
            + all.map { family in
                let labels = family.labels.map { "`\($0)`" }.joined(separator: ", ")
                return
                    "| `\(family.name)` | \(family.kind.rawValue) |\(labels.isEmpty ? "" : " \(labels)") | \(family.help) |"
            }
    }
}
