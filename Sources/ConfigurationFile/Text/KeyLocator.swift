/// Finds the line of each key in a text, because the TOML library tells none.
///
/// It reads as much of the grammar as lines need: table headers, dotted keys, inline tables, arrays, strings of one line
/// and of several, comments. A text that it cannot read never reaches the library, which asserts what it has not checked
/// and has no bound on nesting; what is wrong inside of values and with the same key twice is the library's to say.
struct KeyLocator {
    /// What is known of one key, and of what is below it.
    final class Place {
        let line: Int
        let ordinal: Int
        var members: [String: Place] = [:]
        var elements: [Place] = []

        init(line: Int, ordinal: Int) {
            self.line = line
            self.ordinal = ordinal
        }
    }

    /// Why a text must not be given to the library.
    struct Trouble: Hashable {
        let line: Int
        let message: String
    }

    /// How many keys and brackets may be nested; our own keys need five.
    static let mostLevels = 16

    /// The root table.
    let root = Place(line: 1, ordinal: 0)
    /// Why the text must not be parsed; nil when it may.
    private(set) var trouble: Trouble?

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var ordinal = 0

    /// Reads a text in valid UTF-8.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        do throws(Stop) {
            try readDocument()
        } catch {
            trouble = Trouble(line: line, message: error.message)
        }
    }

    private struct Stop: Error {
        let message: String

        static func malformed(_ message: String) -> Stop { Stop(message: "not TOML: \(message)") }
    }

    // MARK: Structure

    private mutating func readDocument() throws(Stop) {
        var table = root
        var depth = 0
        while true {
            skipBlank(lines: true)
            guard let byte = peek() else { return }
            if byte == UInt8(ascii: "[") {
                (table, depth) = try readHeader()
            } else {
                try readMember(of: table, depth: depth)
            }
            skipBlank(lines: false)
            guard peek() == nil || peek() == UInt8(ascii: "\n") || isCarriageReturn() else {
                throw .malformed("nothing but a comment may follow on the line")
            }
        }
    }

    private mutating func readHeader() throws(Stop) -> (Place, Int) {
        advance()
        let isElement = peek() == UInt8(ascii: "[")
        if isElement { advance() }
        let keys = try readKeys(depth: 0)
        try expect(UInt8(ascii: "]"))
        if isElement { try expect(UInt8(ascii: "]")) }
        var place = root
        for (index, key) in keys.enumerated() {
            place = child(key, of: place)
            if index < keys.count - 1 || !isElement {
                place = place.elements.last ?? place
            } else {
                let element = newPlace()
                place.elements.append(element)
                place = element
            }
        }
        return (place, keys.count)
    }

    private mutating func readMember(of table: Place, depth: Int) throws(Stop) {
        let keys = try readKeys(depth: depth)
        skipBlank(lines: false)
        try expect(UInt8(ascii: "="))
        skipBlank(lines: false)
        var place = table
        for key in keys { place = child(key, of: place) }
        try readValue(at: place, depth: depth + keys.count)
    }

    /// `a . "b".'c'`.
    private mutating func readKeys(depth: Int) throws(Stop) -> [String] {
        var keys: [String] = []
        while true {
            skipBlank(lines: false)
            keys.append(try readKey())
            guard depth + keys.count <= Self.mostLevels else { throw tooDeep }
            skipBlank(lines: false)
            guard peek() == UInt8(ascii: ".") else { return keys }
            advance()
        }
    }

    private mutating func readKey() throws(Stop) -> String {
        switch peek() {
        case UInt8(ascii: "\""): return try readBasicString()
        case UInt8(ascii: "'"): return try readLiteralString()
        default:
            let start = position
            while let byte = peek(), Self.isBare(byte) { position += 1 }
            guard position > start else { throw .malformed("a key is wanted") }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
    }

    private mutating func readValue(at place: Place, depth: Int) throws(Stop) {
        switch peek() {
        case UInt8(ascii: "\""):
            if startsWith("\"\"\"") { try skipLongString(quote: UInt8(ascii: "\"")) } else { _ = try readBasicString() }
        case UInt8(ascii: "'"):
            if startsWith("'''") { try skipLongString(quote: UInt8(ascii: "'")) } else { _ = try readLiteralString() }
        case UInt8(ascii: "["): try readArray(at: place, depth: depth + 1)
        case UInt8(ascii: "{"): try readInlineTable(at: place, depth: depth + 1)
        default:
            let start = position
            while let byte = peek(), !Self.endsScalar(byte) { position += 1 }
            guard position > start else { throw .malformed("a value is wanted") }
        }
    }

    private mutating func readArray(at place: Place, depth: Int) throws(Stop) {
        guard depth <= Self.mostLevels else { throw tooDeep }
        advance()
        while true {
            skipBlank(lines: true)
            if peek() == UInt8(ascii: "]") { return advance() }
            let element = newPlace()
            place.elements.append(element)
            try readValue(at: element, depth: depth)
            skipBlank(lines: true)
            if peek() == UInt8(ascii: "]") { return advance() }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func readInlineTable(at place: Place, depth: Int) throws(Stop) {
        guard depth <= Self.mostLevels else { throw tooDeep }
        advance()
        skipBlank(lines: false)
        if peek() == UInt8(ascii: "}") { return advance() }
        while true {
            try readMember(of: place, depth: depth)
            skipBlank(lines: false)
            if peek() == UInt8(ascii: "}") { return advance() }
            try expect(UInt8(ascii: ","))
        }
    }

    // MARK: Texts

    private mutating func readBasicString() throws(Stop) -> String {
        advance()
        var text = String.UnicodeScalarView()
        var start = position
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                text.append(contentsOf: scalars(from: start))
                advance()
                return String(text)
            case UInt8(ascii: "\\"):
                text.append(contentsOf: scalars(from: start))
                if let scalar = try readEscape() { text.append(scalar) }
                start = position
            case UInt8(ascii: "\n"): throw unendedText
            default: position += 1
            }
        }
        throw unendedText
    }

    private func scalars(from start: Int) -> String.UnicodeScalarView {
        String(decoding: bytes[start..<position], as: UTF8.self).unicodeScalars
    }

    private mutating func readLiteralString() throws(Stop) -> String {
        advance()
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "'") {
                defer { advance() }
                return String(decoding: bytes[start..<position], as: UTF8.self)
            }
            position += 1
        }
        throw unendedText
    }

    private mutating func skipLongString(quote: UInt8) throws(Stop) {
        for _ in 0..<3 { advance() }
        while let byte = peek() {
            if byte == quote {
                var count = 0
                while peek() == quote, count < 5 {
                    advance()
                    count += 1
                }
                // Up to two quotes may stand before the three that end it.
                if count >= 3 { return }
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                _ = try readEscape()
            } else {
                advance()
            }
        }
        throw .malformed("a text over several lines does not end")
    }

    /// An escape in a text of either length; nil where it stands for no character, as at a line's end.
    private mutating func readEscape() throws(Stop) -> Unicode.Scalar? {
        advance()
        guard let byte = peek() else { throw unendedText }
        let digits: Int
        switch byte {
        case UInt8(ascii: "u"): digits = 4
        case UInt8(ascii: "U"): digits = 8
        case UInt8(ascii: "b"), UInt8(ascii: "t"), UInt8(ascii: "n"), UInt8(ascii: "f"), UInt8(ascii: "r"),
            UInt8(ascii: "\""), UInt8(ascii: "\\"):
            advance()
            return Self.short[byte] ?? Unicode.Scalar(byte)
        default: return nil
        }
        advance()
        guard position + digits <= bytes.count,
            let value = UInt32(String(decoding: bytes[position..<position + digits], as: UTF8.self), radix: 16)
        else { throw .malformed("\(digits) hexadecimal digits are wanted") }
        // The library ends texts at a NUL, as C does: the rest would be passed over in silence.
        guard value != 0 else { throw Stop(message: "a text holds the character NUL") }
        position += digits
        return Unicode.Scalar(value)
    }

    private static let short: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "t"): "\t", UInt8(ascii: "n"): "\n", UInt8(ascii: "f"): "\u{C}",
        UInt8(ascii: "r"): "\r",
    ]

    // MARK: Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isCarriageReturn() -> Bool { peek() == UInt8(ascii: "\r") }

    private func startsWith(_ text: StaticString) -> Bool {
        let end = position + text.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        return text.withUTF8Buffer { bytes[position..<end].elementsEqual($0) }
    }

    private mutating func advance() {
        guard position < bytes.count else { return }
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    private mutating func expect(_ byte: UInt8) throws(Stop) {
        guard peek() == byte else { throw .malformed("'\(Character(Unicode.Scalar(byte)))' is wanted") }
        advance()
    }

    /// Skips spaces, and with `lines` the ends of lines and comments too; without, a comment up to the end of its line.
    private mutating func skipBlank(lines: Bool) {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): advance()
            case UInt8(ascii: "#"):
                while let next = peek(), next != UInt8(ascii: "\n") { position += 1 }
            case UInt8(ascii: "\n") where lines, UInt8(ascii: "\r") where lines: advance()
            default: return
            }
        }
    }

    private mutating func newPlace() -> Place {
        ordinal += 1
        return Place(line: line, ordinal: ordinal)
    }

    private mutating func child(_ key: String, of place: Place) -> Place {
        if let known = place.members[key] { return known }
        let child = newPlace()
        place.members[key] = child
        return child
    }

    private var unendedText: Stop { Stop(message: "a text in quotes does not end on its line") }

    private var tooDeep: Stop { Stop(message: "keys are nested more than \(Self.mostLevels) levels deep") }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "#"), UInt8(ascii: "\n"): true
        default: false
        }
    }
}
