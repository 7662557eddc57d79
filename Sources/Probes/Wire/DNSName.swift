/// A domain name as its labels, which may hold any bytes.
///
/// Names are compared without the case of ASCII letters (RFC 4343).
package struct DNSName: Sendable, CustomStringConvertible {
    /// Why text is not a domain name.
    package enum ParsingError: String, Error, Sendable, Hashable, CustomStringConvertible {
        case empty = "a name is empty; the root is \".\""
        case emptyLabel = "a name has an empty label"
        case labelTooLong = "a label has more than 63 bytes"
        case nameTooLong = "a name has more than 255 bytes"
        case badEscape = "a backslash is followed by neither a character nor three digits up to 255"
        case notASCII = "a name has a character outside ASCII; use its A-label form (xn--)"

        package var description: String { rawValue }
    }

    /// The labels from left to right, without the root's empty one.
    package let labels: [[UInt8]]

    /// Creates a name of labels that a decoder has checked.
    init(labels: [[UInt8]]) { self.labels = labels }

    /// Reads a name in the form of zone files: labels between dots, `\.` and `\046` for bytes (RFC 1035 section 5.1).
    ///
    /// A final dot changes nothing, for names are absolute here.
    package init(parsing text: String) throws(ParsingError) {
        guard !text.isEmpty else { throw .empty }
        guard text != "." else {
            labels = []
            return
        }
        var labels: [[UInt8]] = []
        var label: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "."):
                guard !label.isEmpty else { throw .emptyLabel }
                labels.append(label)
                label = []
            case UInt8(ascii: "\\"): label.append(try Self.escaped(&rest))
            case 0x80...: throw .notASCII
            default: label.append(byte)
            }
            guard label.count <= 63 else { throw .labelTooLong }
        }
        if !label.isEmpty { labels.append(label) }
        self.labels = labels
        guard wireLength <= 255 else { throw .nameTooLong }
    }

    private static func escaped(_ rest: inout ArraySlice<UInt8>) throws(ParsingError) -> UInt8 {
        guard let first = rest.popFirst() else { throw .badEscape }
        guard (0x30...0x39).contains(first) else {
            guard first < 0x80 else { throw .notASCII }
            return first
        }
        var value = Int(first - 0x30)
        for _ in 0..<2 {
            guard let digit = rest.popFirst(), (0x30...0x39).contains(digit) else { throw .badEscape }
            value = value * 10 + Int(digit - 0x30)
        }
        guard let byte = UInt8(exactly: value) else { throw .badEscape }
        return byte
    }

    /// The bytes that the name takes in a message without compression.
    var wireLength: Int { labels.reduce(1) { $0 + 1 + $1.count } }

    /// The name in the form of a message, without compression.
    package var wireBytes: [UInt8] { labels.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 } + [0] }

    /// The name in the form of zone files, with a final dot; whatever is not visible ASCII is escaped.
    package var description: String {
        guard !labels.isEmpty else { return "." }
        return labels.map { Self.escape($0, special: [UInt8(ascii: "."), UInt8(ascii: "\\")]) + "." }.joined()
    }

    /// Text of bytes, with a backslash before `special` ones and decimal escapes for what is not visible ASCII.
    static func escape(_ bytes: [UInt8], special: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case _ where special.contains(byte): text += "\\" + String(Unicode.Scalar(byte))
            case 0x21...0x7e: text += String(Unicode.Scalar(byte))
            default: text += "\\" + String(repeating: "0", count: byte < 10 ? 2 : byte < 100 ? 1 : 0) + String(byte)
            }
        }
        return text
    }

    private var folded: [[UInt8]] {
        labels.map { $0.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 } }
    }
}

extension DNSName: Hashable {
    package static func == (left: DNSName, right: DNSName) -> Bool { left.folded == right.folded }
    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
