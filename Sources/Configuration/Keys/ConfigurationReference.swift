/// The reference of all keys in Markdown, generated from their declarations.
///
/// In a document, `<!-- keys: TABLE -->` and `<!-- end of keys -->` mark the places of the tables of keys; everything
/// else is written by hand.
public enum ConfigurationReference {
    /// An invalid marker in a document.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The line of the marker, from 1.
        public let line: Int
        /// The reason.
        public let message: String

        /// The line and the reason: `line 7: there is no table 'agents'`.
        public var description: String { "line \(line): \(message)" }
    }

    private static let start = "<!-- keys: "
    private static let end = "<!-- end of keys -->"

    /// The tables by the names in markers; a document must contain each of them.
    private static let tables: [(name: String, keys: KeyList)] =
        RootKeys.sections.map { ($0.facts.name, $0.keys) } + [
            ("target.NAME", TargetKeys.all), ("probe.NAME", ProbeKeys.all), ("probe.NAME.latency", LatencyKeys.all),
            ("probe.NAME.loss", LossKeys.all), ("probe.NAME.transfer", TransferKeys.all),
            ("probe.NAME.throughput", ThroughputKeys.all), ("probe.NAME.added_latency", AddedLatencyKeys.all),
            ("request", RequestKeys.all), ("response", ResponseKeys.all),
            ("trust", TrustKeys.all + TLSKeys.all + ExpiryKeys.all), ("hook.NAME", HookKeys.all),
            ("hook.NAME.when", WhenKeys.all), ("program", ProgramKeys.all), ("webhook", WebhookKeys.all),
            ("sink.NAME", SinkKeys.all),
        ]

    /// Returns a document with its tables of keys regenerated.
    ///
    /// - Throws: The first marker that is unknown, repeated or not closed, or the first table without a marker.
    public static func updated(_ document: String) throws(Failure) -> String {
        var lines: [String] = []
        var missing = Set(tables.map(\.name))
        var open: (line: Int, name: String)?
        let given = document.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in given.enumerated() {
            if line == end {
                guard open != nil else { throw Failure(line: index + 1, message: "no table of keys begins above") }
                open = nil
            } else if line.hasPrefix(start), line.hasSuffix(" -->") {
                let name = String(line.dropFirst(start.count).dropLast(" -->".count))
                if let open { throw Failure(line: open.line, message: "the table '\(open.name)' does not end") }
                guard missing.remove(name) != nil, let table = tables.first(where: { $0.name == name }) else {
                    throw Failure(line: index + 1, message: "there is no table '\(name)', or it is there twice")
                }
                open = (index + 1, name)
                lines += [String(line), ""] + markdown(table.keys) + ["", end]
            } else if open == nil {
                lines.append(String(line))
            }
        }
        if let open { throw Failure(line: open.line, message: "the table '\(open.name)' does not end") }
        if let name = missing.min() { throw Failure(line: given.count, message: "the table '\(name)' is missing") }
        return lines.joined(separator: "\n")
    }

    private static func markdown(_ keys: KeyList) -> [String] {
        ["| Key | Type | Default | Meaning |", "|---|---|---|---|"]
            + keys.declarations.map(\.facts).map { facts in
                let cells = ["`\(facts.name)`", facts.kind, facts.standard, meaning(of: facts)]
                return "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
            }
    }

    private static func meaning(of facts: KeyFacts) -> String {
        guard let example = facts.example else { return facts.sentence }
        return "\(facts.sentence). Example: `\(example)`"
    }
}
