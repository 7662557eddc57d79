/// A family of metrics: its name, meaning and samples.
///
/// ``all`` is the one list of them: the page of metrics is written by it, and docs/metrics.md has its rows.
public struct MetricFamily: Sendable {
    /// The types of metrics.
    public enum Kind: String, Sendable {
        case gauge, counter, histogram, info
    }

    /// One value.
    struct Sample {
        /// The values of the family's labels, in their order; one that is empty is left out.
        var labels: [String] = []
        var value: Double
    }

    /// The samples of a family.
    enum Samples {
        case values(@Sendable (AgentMetrics) -> [Sample])
        case histogram(@Sendable (AgentMetrics) -> [(labels: [String], counts: CheckCounts)])
    }

    /// The name of the samples: that of a counter ends in `_total`, that of an info in `_info`.
    public let name: String
    /// The type.
    public let kind: Kind
    /// The meaning, without a full stop.
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

    /// Those of a file for node_exporter's textfile collector: without the process's, whose names are its own.
    public static let collected: [MetricFamily] = compatible + probes + transfers + state + agent

    /// The table of docs/metrics.md made anew, between its two markers; the document itself where they are missing.
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
