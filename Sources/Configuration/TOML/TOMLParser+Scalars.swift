/// Strings, numbers, booleans and dates.
extension TOMLParser {
    // MARK: Strings

    mutating func basicString() throws(Failure) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += try escape()
            default:
                try requireText(byte)
                text.append(byte)
                position += 1
            }
        }
        throw expected("'\"' at the end of the string")
    }

    mutating func literalString() throws(Failure) -> String {
        position += 1
        let start = position
        while let byte = peek() {
            if byte == UInt8(ascii: "'") {
                position += 1
                return String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
            }
            try requireText(byte)
            position += 1
        }
        throw expected("''' at the end of the string")
    }

    private mutating func requireText(_ byte: UInt8) throws(Failure) {
        guard Self.isControl(byte) else { return }
        if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
            throw failure("invalid TOML: a string does not end on its line")
        }
        throw failure("invalid TOML: a string contains a control character; write it as an escape")
    }

    /// Parses a multi-line string between three of these quotes.
    mutating func longString(_ quote: UInt8) throws(Failure) -> String {
        position += 3
        // A line break immediately after the quotes is not part of the string.
        if peek() == UInt8(ascii: "\n") || starts(with: "\r\n") { _ = try endOfLine() }
        var text: [UInt8] = []
        while let byte = peek() {
            if byte == quote {
                var count = 0
                // One or two quotes may precede the three that end the string.
                while count < 5, peek() == quote { (count, position) = (count + 1, position + 1) }
                text += repeatElement(quote, count: count >= 3 ? count - 3 : count)
                if count >= 3 { return String(decoding: text, as: UTF8.self) }
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                text += try lineContinuation() ? [] : escape()
            } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                _ = try endOfLine()
                text.append(UInt8(ascii: "\n"))
            } else {
                try requireText(byte)
                text.append(byte)
                position += 1
            }
        }
        throw expected("three quotes at the end of the string")
    }

    /// Consumes a backslash at the end of a line, and all whitespace up to the next character of the string.
    private mutating func lineContinuation() throws(Failure) -> Bool {
        var next = position + 1
        while next < bytes.count, bytes[next] == UInt8(ascii: " ") || bytes[next] == UInt8(ascii: "\t") { next += 1 }
        guard next < bytes.count, bytes[next] == UInt8(ascii: "\n") || bytes[next] == UInt8(ascii: "\r") else {
            return false
        }
        position = next
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): position += 1
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): _ = try endOfLine()
            default: return true
            }
        }
        return true
    }

    /// Returns the bytes of the character that an escape sequence represents.
    private mutating func escape() throws(Failure) -> [UInt8] {
        let start = position
        position += 1
        let digits: Int
        switch peek() {
        case UInt8(ascii: "u"): digits = 4
        case UInt8(ascii: "U"): digits = 8
        case let byte?:
            guard let character = Self.escapes[byte] else {
                position = start
                throw failure("invalid TOML: '\\' does not start an escape; write a backslash as '\\\\'")
            }
            position += 1
            return [character]
        case nil: throw expected("an escape")
        }
        position += 1
        guard position + digits <= bytes.count, bytes[position..<(position + digits)].allSatisfy(Self.isHexadecimal),
            let value = UInt32(String(decoding: bytes[position..<(position + digits)], as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(value)
        else {
            position = start
            throw failure("invalid TOML: expected the \(digits) hexadecimal digits of a character")
        }
        // Paths, arguments and variables end at a NUL in C: the rest would be silently ignored.
        guard value != 0 else {
            position = start
            throw failure("a string contains the character NUL")
        }
        position += digits
        return Array(String(Character(scalar)).utf8)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10, UInt8(ascii: "f"): 12,
        UInt8(ascii: "r"): 13, UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
    ]

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    // MARK: Words

    /// Parses a boolean, a number or a date.
    mutating func scalar() throws(Failure) -> Node.Value {
        let start = position
        func end(from position: Int) -> Int {
            bytes[position...].firstIndex { Self.endsWord($0) } ?? bytes.count
        }
        var stop = end(from: start)
        // A space may separate a date from a time.
        if stop - start == 10, bytes[start + 4] == UInt8(ascii: "-"), stop + 1 < bytes.count,
            bytes[stop] == UInt8(ascii: " "), TOMLNumber.isDigit(bytes[stop + 1])
        {
            stop = end(from: stop + 1)
        }
        guard stop > start else { throw expected("a value") }
        let word = String(decoding: bytes[start..<stop], as: UTF8.self)
        guard stop - start <= 128, let value = TOMLNumber.value(of: word) else {
            let shown = word.count > 32 ? "\(word.prefix(32))…" : word
            throw failure("invalid TOML: expected a value, got '\(shown)'; \(Self.correction(of: word))")
        }
        position = stop
        return value
    }

    /// Returns the correction of a word that is not a value.
    private static func correction(of word: String) -> String {
        if let first = word.unicodeScalars.first, "“”„‘’«".unicodeScalars.contains(first) {
            return "strings are written in straight quotes"
        }
        // Comparing a long word would take too long.
        guard word.utf8.count <= 5 else { return "strings are written in quotes" }
        return switch word.lowercased() {
        case "true", "yes", "on": "write true"
        case "false", "no", "off": "write false"
        default: "strings are written in quotes"
        }
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "#"), UInt8(ascii: "="),
            UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            true
        default: false
        }
    }
}

/// Booleans, numbers and dates of TOML 1.0.
enum TOMLNumber {
    /// Returns the value of a word; `nil` if it is not a value.
    static func value(of word: String) -> Node.Value? {
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "inf", "+inf": return .number(.infinity)
        case "-inf": return .number(-.infinity)
        case "nan", "+nan", "-nan": return .number(.nan)
        default: break
        }
        let bytes = Array(word.utf8)
        if isDate(bytes) { return .date }
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
            return digits(bytes.dropFirst(2), radix: radix).flatMap { Int($0, radix: radix) }.map { .integer($0) }
        }
        let hasSign = bytes.first == UInt8(ascii: "+") || bytes.first == UInt8(ascii: "-")
        let sign = bytes.first == UInt8(ascii: "-") ? "-" : ""
        let unsigned = bytes.dropFirst(hasSign ? 1 : 0)
        let whole = unsigned.prefix { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
        guard let integer = digits(whole, radix: 10), integer.utf8.count == 1 || !integer.hasPrefix("0") else {
            return nil
        }
        if whole.count == unsigned.count { return Int(sign + integer).map { .integer($0) } }
        return number(sign + integer, rest: unsigned[whole.endIndex...])
    }

    /// Parses a number with a fraction or an exponent.
    private static func number(_ integer: String, rest: ArraySlice<UInt8>) -> Node.Value? {
        var (text, rest) = (integer, rest)
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix { $0 | 0x20 != UInt8(ascii: "e") }
            guard let digits = digits(fraction, radix: 10) else { return nil }
            text += ".\(digits)"
            rest = rest[fraction.endIndex...]
        }
        if let first = rest.first, first | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            let hasSign = rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-")
            guard let digits = digits(rest.dropFirst(hasSign ? 1 : 0), radix: 10) else { return nil }
            text += "e\(rest.first == UInt8(ascii: "-") ? "-" : "")\(digits)"
            rest = []
        }
        return rest.isEmpty ? Double(text).map { .number($0) } : nil
    }

    /// Returns the digits without the underscores between them.
    private static func digits(_ bytes: ArraySlice<UInt8>, radix: Int) -> String? {
        var text = ""
        var isBehindDigit = false
        for byte in bytes {
            if byte == UInt8(ascii: "_") {
                guard isBehindDigit else { return nil }
                isBehindDigit = false
                continue
            }
            let character = Character(Unicode.Scalar(byte))
            guard let digit = character.hexDigitValue, digit < radix else { return nil }
            text.append(character)
            isBehindDigit = true
        }
        return isBehindDigit ? text : nil
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    // MARK: Dates

    /// Returns whether the bytes have the format of a date, a time or both (RFC 3339); no key accepts one.
    private static func isDate(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        guard bytes.count > 4 else { return false }
        if bytes[4] == UInt8(ascii: "-") {
            guard let year = take(4, from: &rest), takeByte("-", from: &rest), let month = take(2, from: &rest),
                takeByte("-", from: &rest), let day = take(2, from: &rest), (1...12).contains(month),
                (1...days(of: month, in: year)).contains(day)
            else { return false }
            if rest.isEmpty { return true }
            guard takeByte("T", from: &rest) || takeByte("t", from: &rest) || takeByte(" ", from: &rest),
                takeTime(from: &rest)
            else { return false }
            return rest.isEmpty || takeOffset(from: &rest) && rest.isEmpty
        }
        return takeTime(from: &rest) && rest.isEmpty
    }

    private static func takeTime(from rest: inout ArraySlice<UInt8>) -> Bool {
        guard let hour = take(2, from: &rest), takeByte(":", from: &rest), let minute = take(2, from: &rest),
            takeByte(":", from: &rest), let second = take(2, from: &rest), hour < 24, minute < 60, second <= 60
        else { return false }
        guard takeByte(".", from: &rest) else { return true }
        let fraction = rest.prefix(while: isDigit)
        rest = rest[fraction.endIndex...]
        return !fraction.isEmpty
    }

    private static func takeOffset(from rest: inout ArraySlice<UInt8>) -> Bool {
        if takeByte("Z", from: &rest) || takeByte("z", from: &rest) { return true }
        guard takeByte("+", from: &rest) || takeByte("-", from: &rest), let hour = take(2, from: &rest),
            takeByte(":", from: &rest), let minute = take(2, from: &rest)
        else { return false }
        return hour < 24 && minute < 60
    }

    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func takeByte(_ character: Unicode.Scalar, from rest: inout ArraySlice<UInt8>) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func days(of month: Int, in year: Int) -> Int {
        let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}
