/// Text that a stranger wrote: a name in a certificate, a key of an answer, a member of a request.
///
/// A `String` compares and hashes by Unicode's canonical equivalence, which sorts each run of combining marks: a stranger
/// who writes a long run makes that cost the square of its length. Here text is its bytes, whatever they are: equality,
/// order and hash are theirs, and linear. Text of a stranger's that becomes a key or a member of a set is of this type.
public struct ForeignText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The bytes as they came; UTF-8 is not promised.
    public let bytes: [UInt8]

    /// A text of these bytes, which the reader has bounded.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// A text of a string's UTF-8.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// A text of the program's own, to compare with.
    public init(stringLiteral text: StaticString) {
        bytes = text.withUTF8Buffer { Array($0) }
    }

    /// The beginning of the text as ``shown(_:limit:)`` shows it.
    public var description: String { shown() }

    /// The beginning of the text as ``shown(_:limit:)`` shows it.
    public func shown(limit: Int = Self.shownLimit) -> String { Self.shown(bytes, limit: limit) }

    /// The order of the bytes.
    public static func < (one: Self, other: Self) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }

    /// Compares the text with a string, byte by byte.
    public static func == (one: Self, other: String) -> Bool { one.bytes.elementsEqual(other.utf8) }
}

extension ForeignText {
    /// The number of bytes of foreign text that are shown where nothing else is said.
    public static let shownLimit = 256

    /// The beginning of foreign text, made fit for a terminal, a log and JSON that `jq -r` unwraps.
    ///
    /// Control and format characters, separators of lines and paragraphs, unassigned and private characters appear as
    /// `\u{…}`, a byte that is not UTF-8 as U+FFFD. None of them can move a cursor, forge a line or turn the direction.
    ///
    /// - Parameter limit: The number of bytes that are read, which bounds the work; an ellipsis marks the rest.
    public static func shown(_ bytes: some Collection<UInt8>, limit: Int = shownLimit) -> String {
        var beginning = Array(bytes.prefix(limit))
        let isCut = beginning.count < bytes.count
        // Almost all text is of printable ASCII, which is shown as it is.
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

    /// The beginning of foreign text, made fit to be shown as ``shown(_:limit:)`` of bytes does it.
    public static func shown(_ text: String, limit: Int = shownLimit) -> String { shown(text.utf8, limit: limit) }

    /// True for a character that could act on a terminal or on the order of reading: see ``shown(_:limit:)``.
    public static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
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

    /// Takes away the last character when the cut has left only a part of it.
    private static func removeBrokenCharacter(from bytes: inout [UInt8]) {
        guard let lead = bytes.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[lead] >= 0xC0 else { return }
        let width = (~bytes[lead]).leadingZeroBitCount
        if bytes.count - lead < width { bytes.removeSubrange(lead...) }
    }
}

extension UInt8 {
    /// The small letter of a capital one of ASCII; other bytes as they are.
    ///
    /// Names on the wire (of hosts, header fields, codings) are the same whatever the case of their ASCII letters, and only
    /// of these.
    @inlinable package var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
