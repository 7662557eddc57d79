/// A measured value and its target.
package struct Verdict: Codable, Sendable {
    package let name: String
    package let value: Double
    /// The largest value that meets the target; the smallest one if ``isMinimum`` is `true`.
    package let limit: Double
    /// A Boolean value that indicates whether the limit is a minimum rather than a maximum.
    package let isMinimum: Bool
    package let isMet: Bool

    package init(_ name: String, _ value: Double, atMost limit: Double) {
        self.name = name
        self.value = value
        self.limit = limit
        isMinimum = false
        // Written so that NaN, where nothing could be measured, misses the target.
        isMet = value <= limit
    }

    package init(_ name: String, _ value: Double, atLeast limit: Double) {
        self.name = name
        self.value = value
        self.limit = limit
        isMinimum = true
        isMet = value >= limit
    }

    /// Returns the verdicts as a table.
    package static func table(_ rows: [Verdict]) -> String {
        var table = TextTable(["", "value", "limit", ""])
        for row in rows {
            let limit = (row.isMinimum ? "at least " : "at most ") + Figure.text(row.limit, digits: 2)
            table.add([row.name, Figure.text(row.value, digits: 3), limit, row.isMet ? "met" : "MISSED"])
        }
        return table.text
    }
}
