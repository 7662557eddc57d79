/// A figure beside its target.
package struct Verdict: Codable, Sendable {
    package let name: String
    package let value: Double
    /// The largest value that meets the target.
    package let limit: Double
    package let isMet: Bool

    package init(_ name: String, _ value: Double, atMost limit: Double) {
        self.name = name
        self.value = value
        self.limit = limit
        // Written so that "not a number", where nothing could be measured, misses.
        isMet = value <= limit
    }

    /// The targets as a table.
    package static func table(_ rows: [Verdict]) -> String {
        var table = TextTable(["", "value", "at most", ""])
        for row in rows {
            table.add([
                row.name, Figure.text(row.value, digits: 3), Figure.text(row.limit, digits: 2),
                row.isMet ? "met" : "MISSED",
            ])
        }
        return table.text
    }
}
