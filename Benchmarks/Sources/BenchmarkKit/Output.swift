internal import FoundationEssentials
internal import Glibc

/// The output of a benchmark.
package enum Output {
    /// Writes a line, such as progress or an error, to standard error.
    package static func tell(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Returns a report as JSON, for standard output.
    package static func json(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A ratio can have the divisor 0.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
