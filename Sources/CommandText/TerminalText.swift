internal import ForeignText

/// The last place that text for people passes on its way to a terminal, whichever command prints it.
///
/// Names of interfaces, certificates, answers of servers, output of hooks, files and journals may hold anything. Here every
/// character that could move a cursor, forge a line or turn the order of reading becomes `\u{…}`; only the ends of lines
/// and the colours of ``TerminalStyle/standardOutput(_:)`` are left, and those no stranger can write.
package enum TerminalText {
    /// The beginning of a colour in text that has not passed yet: private characters, drawn anew by each process.
    package static let introducer: String = {
        // Characters of plane 15 are private: no text has a use for them. Five with 15 bits each cannot be guessed.
        var scalars = String.UnicodeScalarView()
        for _ in 0..<5 {
            if let scalar = Unicode.Scalar(0xF0000 + UInt32.random(in: 0..<0x8000)) { scalars.append(scalar) }
        }
        return String(scalars)
    }()
    private static let mark = Array(introducer.utf8)
    private static let sequence = Array("\u{1B}[".utf8)

    /// The bytes that are written for a text, which may have several lines.
    package static func bytes(of text: String) -> [UInt8] {
        let utf8 = Array(text.utf8)
        guard !isPlain(utf8) else { return utf8 }
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let range = rest.firstRange(of: mark) {
            append(rest[..<range.lowerBound], to: &bytes)
            bytes += sequence
            rest = rest[range.upperBound...]
        }
        append(rest, to: &bytes)
        return bytes
    }

    /// A line of JSON that means the same, in which no character acts on a terminal.
    ///
    /// Beyond ASCII there are only the characters of strings, which JSON can escape (RFC 8259, section 7).
    package static func json(_ line: [UInt8]) -> [UInt8] {
        guard !isPlain(line) else { return line }
        var bytes: [UInt8] = []
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            if scalar != "\n", ForeignText.isActive(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
                }
            } else {
                bytes += String(scalar).utf8
            }
        }
        return bytes
    }

    /// True for printable ASCII and ends of lines alone, as most lines are.
    private static func isPlain(_ utf8: [UInt8]) -> Bool {
        utf8.allSatisfy { $0 &- 0x20 < 0x5F || $0 == UInt8(ascii: "\n") }
    }

    private static func append(_ utf8: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        var lines = utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        if let first = lines.popFirst() { bytes += ForeignText.shown(first, limit: first.count).utf8 }
        for line in lines {
            bytes.append(UInt8(ascii: "\n"))
            bytes += ForeignText.shown(line, limit: line.count).utf8
        }
    }
}
