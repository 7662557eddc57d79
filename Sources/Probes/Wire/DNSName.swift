internal import ForeignText

/// A domain name of at most 255 bytes, whose labels may contain any byte.
///
/// Names are compared by bytes, ignoring the case of ASCII letters (RFC 4343).
package struct DNSName: Sendable, CustomStringConvertible {
    /// The reason a string is not a domain name.
    package enum ParsingError: String, Error, Sendable, Hashable, CustomStringConvertible {
        case empty = "a name is empty; the root is \".\""
        case emptyLabel = "a name has an empty label"
        case labelTooLong = "a label has more than 63 bytes"
        case nameTooLong = "a name has more than 255 bytes"
        case badEscape = "a backslash is followed by neither a character nor three digits up to 255"
        case notASCII = "a name has a character outside ASCII; use its A-label form (xn--)"

        package var description: String { rawValue }
    }

    /// The maximum size of a name in a message (RFC 1035, section 3.1).
    static let maximumBytes = 255

    /// The name in wire format, without compression: each label after its length, and a zero.
    package let wireBytes: [UInt8]

    /// Creates a name from bytes that a decoder has checked.
    init(checked wireBytes: [UInt8]) { self.wireBytes = wireBytes }

    /// The labels from left to right, without the root's empty one.
    package var labels: [[UInt8]] {
        var labels: [[UInt8]] = []
        var rest = wireBytes[...]
        while let length = rest.popFirst(), length > 0 {
            labels.append(Array(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        return labels
    }

    /// Parses a name in zone file format: labels separated by dots, `\.` and `\046` for bytes (RFC 1035, section 5.1).
    ///
    /// A final dot is optional, because names are absolute here.
    package init(parsing text: String) throws(ParsingError) {
        guard !text.isEmpty else { throw .empty }
        guard text != "." else {
            wireBytes = [0]
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
        wireBytes = labels.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 } + [0]
        guard wireBytes.count <= Self.maximumBytes else { throw .nameTooLong }
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

    /// The name in zone file format, with a final dot; bytes other than visible ASCII are escaped.
    package var description: String {
        guard wireBytes != [0] else { return "." }
        return labels.map { Self.escape($0, special: [UInt8(ascii: "."), UInt8(ascii: "\\")]) + "." }.joined()
    }

    /// Returns bytes as a string, with a backslash before `special` ones and decimal escapes for anything but visible
    /// ASCII.
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
}

extension DNSName: Hashable {
    package static func == (left: DNSName, right: DNSName) -> Bool {
        left.wireBytes.count == right.wireBytes.count
            && zip(left.wireBytes, right.wireBytes).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    package func hash(into hasher: inout Hasher) {
        // The lengths of labels are below all letters.
        for byte in wireBytes { hasher.combine(byte.lowercasedASCII) }
    }
}
