internal import AgentEvents

/// The metrics page in one of two formats.
public struct MetricsPage: Sendable {
    /// The formats.
    public enum Format: Sendable, CaseIterable {
        /// The Prometheus text format 0.0.4.
        case prometheus
        /// OpenMetrics 1.0.
        case openMetrics

        /// The media type.
        public var contentType: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }

    private let format: Format
    private var bytes: [UInt8] = []

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - metrics: The values.
    ///   - format: The format.
    ///   - families: The families to include.
    public static func bytes(
        of metrics: AgentMetrics,
        as format: Format,
        families: [MetricFamily] = MetricFamily.all
    ) -> [UInt8] {
        var page = MetricsPage(format: format)
        page.bytes.reserveCapacity(16_384 + metrics.probes.count * 4096)
        for family in families { page.write(family, of: metrics) }
        if format == .openMetrics { page.append("# EOF\n") }
        return page.bytes
    }

    private init(format: Format) { self.format = format }

    private mutating func write(_ family: MetricFamily, of metrics: AgentMetrics) {
        switch family.samples {
        case .values(let make):
            let samples = make(metrics)
            guard !samples.isEmpty else { return }
            writeHead(family)
            for sample in samples { write(family.name, family.labels, sample.labels, sample.value) }
        case .histogram(let make):
            let histograms = make(metrics)
            guard !histograms.isEmpty else { return }
            writeHead(family)
            for (labels, counts) in histograms { write(family, labels, counts) }
        }
    }

    /// Writes the head of a family, which is left out for a family without samples.
    private mutating func writeHead(_ family: MetricFamily) {
        let (name, kind): (String, String)
        switch (format, family.kind) {
        case (.openMetrics, .counter): (name, kind) = (String(family.name.dropLast("_total".count)), "counter")
        case (.openMetrics, .info): (name, kind) = (String(family.name.dropLast("_info".count)), "info")
        case (.prometheus, .info): (name, kind) = (family.name, "gauge")
        default: (name, kind) = (family.name, family.kind.rawValue)
        }
        append("# HELP \(name) \(family.help).\n# TYPE \(name) \(kind)\n")
    }

    private mutating func write(_ family: MetricFamily, _ labels: [String], _ counts: CheckCounts) {
        let total = Double(counts.durations.count)
        for (bound, count) in counts.cumulated {
            let text = Self.text(bound, isBound: true)
            write("\(family.name)_bucket", family.labels + ["le"], labels + [text], Double(count))
        }
        write("\(family.name)_bucket", family.labels + ["le"], labels + ["+Inf"], total)
        write("\(family.name)_sum", family.labels, labels, Double(counts.durations.sum) / 1_000_000)
        write("\(family.name)_count", family.labels, labels, total)
    }

    private mutating func write(_ name: String, _ labels: [String], _ values: [String], _ value: Double) {
        append(name)
        var isFirst = true
        for (label, text) in zip(labels, values) where !text.isEmpty {
            append(isFirst ? "{" : ",")
            append(label)
            append("=\"")
            append(escaping: text)
            append("\"")
            isFirst = false
        }
        append(isFirst ? " " : "} ")
        append(Self.text(value))
        append("\n")
    }

    /// Returns a number, without a fraction if it is whole; the bounds of buckets are floating-point numbers in
    /// OpenMetrics.
    private static func text(_ value: Double, isBound: Bool = false) -> String {
        if !isBound, let whole = Int64(exactly: value), abs(whole) < 1 << 53 { return "\(whole)" }
        return "\(value)"
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(escaping text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "\\")])
            case UInt8(ascii: "\""): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "\"")])
            case UInt8(ascii: "\n"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            default: bytes.append(byte)
            }
        }
    }
}
