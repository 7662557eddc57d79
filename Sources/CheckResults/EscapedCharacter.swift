internal import ForeignText

/// One character in the escape that a text has for it: `\"`, `\u0026`, `\u{26}`, `\x26`, `%26`, `+`, `&amp;` or `&#x26;`.
struct EscapedCharacter {
    /// The escaped character.
    enum Value {
        /// A byte of its UTF-8 encoding.
        case byte(UInt8)
        /// All of it.
        case scalar(Unicode.Scalar)
    }

    let value: Value
    /// The number of bytes of the escape.
    let length: Int

    /// The first bytes of escapes.
    static let introducers = Array("\\%+&".utf8)
    /// The number of bytes of the longest escape, a quoted surrogate pair.
    static let longest = 14

    private static let names: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]
    private static let controls: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "r"): 0x0D,
    ]

    private init(_ value: Value, _ length: Int) { (self.value, self.length) = (value, length) }

    /// Reads the escape at an index; nil if there is none.
    ///
    /// - Parameter isQuoted: `true` if the backslashes of the text are escaped, as evidence quotes them.
    init?(in bytes: [UInt8], at index: Int, isQuoted: Bool) {
        switch bytes[index] {
        case UInt8(ascii: "\\"): self.init(backslashes: bytes[index...], isQuoted: isQuoted)
        case UInt8(ascii: "&"): self.init(reference: bytes[index...])
        case UInt8(ascii: "+"): self.init(.byte(0x20), 1)
        case UInt8(ascii: "%"):
            guard let value = Self.number(bytes[(index + 1)...].prefix(2), count: 2) else { return nil }
            self.init(.byte(UInt8(truncatingIfNeeded: value)), 3)
        default: return nil
        }
    }

    /// Reads an escape of JSON or of a programming language.
    private init?(backslashes text: ArraySlice<UInt8>, isQuoted: Bool) {
        let mark = isQuoted ? 2 : 1
        guard text.prefix(mark).allSatisfy({ $0 == UInt8(ascii: "\\") }) else {
            // Evidence has escaped a quote itself.
            guard text.dropFirst().first == UInt8(ascii: "'") else { return nil }
            self.init(.byte(UInt8(ascii: "'")), 2)
            return
        }
        let rest = text.dropFirst(mark)
        guard let letter = rest.first else { return nil }
        switch letter {
        case UInt8(ascii: "u"): self.init(unicode: rest.dropFirst(), mark: mark)
        case UInt8(ascii: "x"):
            guard let value = Self.number(rest.dropFirst().prefix(2), count: 2) else { return nil }
            self.init(.byte(UInt8(truncatingIfNeeded: value)), mark + 3)
        case UInt8(ascii: "\\") where isQuoted:
            guard let next = rest.dropFirst().first, next == letter || next == UInt8(ascii: "'") else { return nil }
            self.init(.byte(next), 4)
        default: self.init(.byte(Self.controls[letter] ?? letter), mark + 1)
        }
    }

    /// Reads the digits behind `\u`, and a second escape behind the first half of a surrogate pair.
    private init?(unicode digits: ArraySlice<UInt8>, mark: Int) {
        if digits.first == UInt8(ascii: "{") {
            let inside = digits.dropFirst().prefix(9).prefix { $0 != UInt8(ascii: "}") }
            guard inside.count <= 8, digits.dropFirst(inside.count + 1).first == UInt8(ascii: "}"),
                let scalar = Self.number(inside, count: inside.count).flatMap(Unicode.Scalar.init)
            else { return nil }
            self.init(.scalar(scalar), mark + inside.count + 3)
            return
        }
        guard let first = Self.number(digits.prefix(4), count: 4) else { return nil }
        if let scalar = Unicode.Scalar(first) {
            self.init(.scalar(scalar), mark + 5)
            return
        }
        let pair = digits.dropFirst(4)
        guard pair.prefix(mark).allSatisfy({ $0 == UInt8(ascii: "\\") }),
            pair.dropFirst(mark).first == UInt8(ascii: "u"),
            let second = Self.number(pair.dropFirst(mark + 1).prefix(4), count: 4),
            (0xD800..<0xDC00).contains(first), (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { return nil }
        self.init(.scalar(scalar), 2 * (mark + 5))
    }

    /// Reads a character reference of HTML.
    private init?(reference text: ArraySlice<UInt8>) {
        let name = text.dropFirst().prefix(10).prefix { $0 != UInt8(ascii: ";") }
        guard text.dropFirst(name.count + 1).first == UInt8(ascii: ";") else { return nil }
        guard name.first == UInt8(ascii: "#") else {
            let lowered = name.map(\.lowercasedASCII)
            guard let byte = Self.names[String(decoding: lowered, as: UTF8.self)] else { return nil }
            self.init(.byte(byte), name.count + 2)
            return
        }
        let isHexadecimal = name.dropFirst().first?.lowercasedASCII == UInt8(ascii: "x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard let value = Self.number(digits, radix: isHexadecimal ? 16 : 10, count: digits.count),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        self.init(.scalar(scalar), name.count + 2)
    }

    /// Returns the number that this many digits are, at most nine; nil if they are fewer, or not digits.
    private static func number(_ digits: ArraySlice<UInt8>, radix: UInt32 = 16, count: Int) -> UInt32? {
        guard digits.count == count, (1...9).contains(count) else { return nil }
        var number: UInt32 = 0
        for byte in digits {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else { return nil }
            number = number &* radix &+ UInt32(digit)
        }
        return number
    }
}
