/// A source of lines, which waits for each no longer than a test may.
package protocol LineSource {
    /// The next line; `nil` at the end.
    func next() async -> String?
}

/// The source ended before an expected line came.
package struct MissingLine: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

extension LineSource {
    /// The next line that contains a text; those before it are skipped.
    ///
    /// - Throws: When there is none.
    @discardableResult
    package func next(containing text: String) async throws -> String { try await lines(to: text).last ?? "" }

    /// The lines up to the next one that contains a text.
    ///
    /// - Throws: When there is none.
    package func lines(to text: String) async throws -> [String] {
        var lines: [String] = []
        while let line = await next() {
            lines.append(line)
            if line.contains(text) { return lines }
        }
        throw MissingLine(description: "no line with '\(text)' came; the last ones were: \(lines.suffix(5))")
    }

    /// All lines until the end.
    package func rest() async -> [String] {
        var all: [String] = []
        while let line = await next() { all.append(line) }
        return all
    }
}
