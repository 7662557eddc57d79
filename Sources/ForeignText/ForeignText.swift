/// Untrusted text: a name in a certificate, a key in a response, a member of a request.
///
/// A `String` compares and hashes by Unicode canonical equivalence, which sorts each run of combining marks: an
/// attacker who sends a long run makes that cost quadratic in its length. This type holds arbitrary bytes, and
/// compares, orders and hashes them in linear time. Untrusted text that becomes a dictionary key or a member of a set
/// is of this type.
public struct ForeignText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The bytes as received, not necessarily valid UTF-8.
    public let bytes: [UInt8]

    /// Creates a text from bytes, the number of which the caller has limited.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Creates a text from the UTF-8 bytes of a string.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Creates a text from a literal, to compare with.
    public init(stringLiteral text: StaticString) {
        bytes = text.withUTF8Buffer { Array($0) }
    }

    /// The beginning of the text, escaped as by ``shown(_:limit:)``.
    public var description: String { shown() }

    /// Returns the beginning of the text, escaped as by ``shown(_:limit:)``.
    public func shown(limit: Int = Self.shownLimit) -> String { Self.shown(bytes, limit: limit) }

    /// Orders texts by their bytes.
    public static func < (one: Self, other: Self) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }

    /// Compares the text with a string, byte by byte.
    public static func == (one: Self, other: String) -> Bool { one.bytes.elementsEqual(other.utf8) }
}

extension ForeignText {
    /// The default maximum number of bytes of untrusted text to show.
    public static let shownLimit = 256

    /// Returns the beginning of untrusted text, escaped for a terminal, a log, and JSON that `jq -r` unwraps.
    ///
    /// Control and format characters, line and paragraph separators, and unassigned and private-use characters appear
    /// as `\u{…}`, a byte that is not valid UTF-8 as U+FFFD. None of them can move the cursor, forge a line or change
    /// the text direction.
    ///
    /// - Parameter limit: The maximum number of bytes to read, which bounds the work; an ellipsis marks the rest.
    public static func shown(_ bytes: some Collection<UInt8>, limit: Int = shownLimit) -> String {
        var beginning = Array(bytes.prefix(limit))
        let isCut = beginning.count < bytes.count
        // Almost all text is printable ASCII, which needs no escaping.
        if !isCut, isPrintableASCII(beginning) { return String(decoding: beginning, as: UTF8.self) }
        if isCut { removeBrokenCharacter(from: &beginning) }
        var shown = String.UnicodeScalarView()
        var decoder = UTF8()
        var iterator = beginning.makeIterator()
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): append(scalar, to: &shown)
            case .error: shown.append("\u{FFFD}")
            case .emptyInput: break decoding
            }
        }
        if isCut { shown.append("…") }
        return String(shown)
    }

    /// Returns the beginning of untrusted text, escaped as by ``shown(_:limit:)`` of bytes.
    public static func shown(_ text: String, limit: Int = shownLimit) -> String { shown(text.utf8, limit: limit) }

    /// Returns whether a character could affect a terminal or the reading order; see ``shown(_:limit:)``.
    public static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        // The library looks properties up in a tree, and almost all text is ASCII.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }

    private static func isPrintableASCII(_ bytes: [UInt8]) -> Bool {
        for byte in bytes where byte < 0x20 || byte > 0x7E { return false }
        return true
    }

    private static func append(_ scalar: Unicode.Scalar, to shown: inout String.UnicodeScalarView) {
        guard isActive(scalar) else { return shown.append(scalar) }
        shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
    }

    /// Removes the last character if truncation has left only a part of it.
    private static func removeBrokenCharacter(from bytes: inout [UInt8]) {
        guard let lead = bytes.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[lead] >= 0xC0 else { return }
        let width = (~bytes[lead]).leadingZeroBitCount
        if bytes.count - lead < width { bytes.removeSubrange(lead...) }
    }
}

extension UInt8 {
    /// The lower-case letter of an upper-case ASCII letter; other bytes unchanged.
    ///
    /// Names on the wire (hosts, header fields, codings) are case-insensitive in ASCII letters, and only in these.
    @inlinable package var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
