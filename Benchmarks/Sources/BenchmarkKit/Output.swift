internal import FoundationEssentials
internal import Glibc

/// What a benchmark says.
package enum Output {
    /// Progress and errors go to standard error.
    package static func tell(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// A report as JSON, for standard output.
    package static func json(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A ratio over nothing.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
