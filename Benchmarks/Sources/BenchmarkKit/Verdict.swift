/// A figure beside its target.
package struct Verdict: Codable, Sendable {
    package let name: String
    package let value: Double
    /// The largest value that meets the target, or the smallest one.
    package let limit: Double
    /// Whether the value must reach the limit, instead of staying below it.
    package let isMinimum: Bool
    package let isMet: Bool

    package init(_ name: String, _ value: Double, atMost limit: Double) {
        self.name = name
        self.value = value
        self.limit = limit
        isMinimum = false
        // Written so that "not a number", where nothing could be measured, misses.
        isMet = value <= limit
    }

    package init(_ name: String, _ value: Double, atLeast limit: Double) {
        self.name = name
        self.value = value
        self.limit = limit
        isMinimum = true
        isMet = value >= limit
    }

    /// The targets as a table.
    package static func table(_ rows: [Verdict]) -> String {
        var table = TextTable(["", "value", "limit", ""])
        for row in rows {
            let limit = (row.isMinimum ? "at least " : "at most ") + Figure.text(row.limit, digits: 2)
            table.add([row.name, Figure.text(row.value, digits: 3), limit, row.isMet ? "met" : "MISSED"])
        }
        return table.text
    }
}
