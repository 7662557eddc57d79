internal import ForeignText

/// A position in a JSON text, and the parser of its literals, numbers and strings.
struct JSONCursor {
    let bytes: [UInt8]
    var offset = 0
    /// The budget that bounds the parsing of long strings.
    var budget: WorkBudget?

    var isAtEnd: Bool { offset >= bytes.count }

    /// The byte at the position; nil at the end.
    var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Returns the byte at a distance from the position; nil past the end.
    func byte(after count: Int) -> UInt8? {
        count < bytes.count - offset ? bytes[offset + count] : nil
    }

    /// The text at the position, for an error message.
    var here: String {
        guard let current else { return "the end" }
        return (0x21...0x7E).contains(current) ? "'\(Character(Unicode.Scalar(current)))'" : "byte 0x\(hex(current))"
    }

    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    mutating func readWord(_ word: String, as value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else {
            throw JSONError("a word that is not '\(word)'", at: offset)
        }
        offset += word.utf8.count
        return value
    }

    mutating func readNumber() throws(JSONError) -> JSONNumber {
        let start = offset
        _ = skip(UInt8(ascii: "-"))
        if skip(UInt8(ascii: "0")) {
            if let byte = current, isDigit(byte) { throw JSONError("a number with a leading zero", at: start) }
        } else {
            try skipDigits()
        }
        if skip(UInt8(ascii: ".")) { try skipDigits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            let exponent = offset
            try skipDigits()
            guard offset - exponent <= JSONNumber.maximumExponentDigits else {
                throw JSONError(
                    "a number with more than \(JSONNumber.maximumExponentDigits) digits in its exponent",
                    at: start
                )
            }
        }
        guard offset - start <= JSONNumber.maximumBytes else {
            throw JSONError("a number of more than \(JSONNumber.maximumBytes) bytes", at: start)
        }
        return JSONNumber(unchecked: String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    /// Parses a string, including its opening quotation mark.
    mutating func readString() throws(JSONError) -> ForeignText {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        var nextCheck = offset + WorkBudget.slice
        while let byte = current {
            if offset >= nextCheck {
                nextCheck += WorkBudget.slice
                if budget?.isOver == true { throw JSONError("the budget of the check ends", at: offset) }
            }
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard String(validating: text, as: UTF8.self) != nil else {
                    throw JSONError("a string that is not UTF-8", at: start)
                }
                return ForeignText(text)
            case UInt8(ascii: "\\"): try readEscape(into: &text)
            case 0..<0x20: throw JSONError("an unescaped control character 0x\(hex(byte)) in a string", at: offset)
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw JSONError("a string without an end", at: start)
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(JSONError) {
        let start = offset
        offset += 1
        guard let byte = current else { throw JSONError("a string without an end", at: start) }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: Array(String(Character(try readScalar(from: start))).utf8))
        default: throw JSONError("an escape that JSON does not have", at: start)
        }
    }

    /// Parses the digits of `\uXXXX`, and those of the low surrogate after a high one.
    private mutating func readScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try readHexadecimal(from: start)
        var value = UInt32(first)
        if UTF16.isLeadSurrogate(first), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
            let second = try readHexadecimal(from: start)
            guard UTF16.isTrailSurrogate(second) else { throw JSONError("half of a surrogate pair", at: start) }
            value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw JSONError("half of a surrogate pair", at: start) }
        return scalar
    }

    private mutating func readHexadecimal(from start: Int) throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONError("an escape without four hexadecimal digits", at: start)
            }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }

    private mutating func skipDigits() throws(JSONError) {
        guard let byte = current, isDigit(byte) else { throw JSONError("\(here) where a digit was due", at: offset) }
        while let byte = current, isDigit(byte) { offset += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
