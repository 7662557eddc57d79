/// Checks that bytes are one JSON object (RFC 8259), and finds the envelope's members in it.
///
/// The scanner has its own stack instead of recursion: no hostile text makes it recurse deeply or run slowly. It reads
/// no byte before comparing its position with the count.
struct JSONScanner {
    /// The ranges of the envelope's members.
    struct Members {
        var type: Range<Int>?
        var subject: Range<Int>?
        var time: Range<Int>?
        var sequence: UInt64?
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    /// Creates a scanner of bytes that outlive it.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Returns the envelope's members if the bytes are an object; `nil` otherwise.
    mutating func scanEnvelope() -> Members? {
        var members = Members()
        return scanMembers { scanner, name in scanner.scanMember(name, &members) } ? members : nil
    }

    /// Returns the values of the members with these names, in the order of the names; `nil` unless the bytes are one
    /// object.
    ///
    /// Of several members with one name the first counts.
    mutating func scanValues(of names: [StaticString]) -> [Range<Int>?]? {
        var values = [Range<Int>?](repeating: nil, count: names.count)
        let isObject = scanMembers { scanner, name in
            let start = scanner.position
            guard scanner.skipValue() else { return false }
            if let index = names.firstIndex(where: { scanner.matches(name, $0) }), values[index] == nil {
                values[index] = start..<scanner.position
            }
            return true
        }
        return isObject ? values : nil
    }

    /// Scans the members of the object that the bytes are.
    ///
    /// - Parameter scanValue: Scans the value of the member with this name; `false` if it is rejected.
    /// - Returns: True if the bytes are one object, and none of its values was rejected.
    mutating func scanMembers(_ scanValue: (inout JSONScanner, _ name: Range<Int>) -> Bool) -> Bool {
        skipSpace()
        guard scanObject(scanValue) else { return false }
        skipSpace()
        return isAtEnd
    }

    /// Scans the members of the object that starts here, in the same way.
    mutating func scanObject(_ scanValue: (inout JSONScanner, _ name: Range<Int>) -> Bool) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        skipSpace()
        if take(UInt8(ascii: "}")) { return true }
        repeat {
            skipSpace()
            guard let name = scanString() else { return false }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            skipSpace()
            guard scanValue(&self, name) else { return false }
            skipSpace()
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    /// Scans a member of the envelope; of several with one name the first counts, as for ``JSONDocument``: the line must
    /// not have one number for those who scan it and another for those who decode it.
    private mutating func scanMember(_ name: Range<Int>, _ members: inout Members) -> Bool {
        if matches(name, "type") { return scanText(&members.type) }
        if matches(name, "subject") { return scanText(&members.subject) }
        if matches(name, "time") { return scanText(&members.time) }
        if matches(name, "seq") {
            guard let sequence = scanSequence() else { return false }
            members.sequence = members.sequence ?? sequence
            return true
        }
        return skipValue()
    }

    private mutating func scanText(_ member: inout Range<Int>?) -> Bool {
        guard let text = scanString() else { return false }
        member = member ?? text
        return true
    }

    func matches(_ range: Range<Int>, _ name: StaticString) -> Bool {
        range.upperBound - range.lowerBound == name.utf8CodeUnitCount && name.withUTF8Buffer { matches(range, $0) }
    }

    /// Compares byte by byte: in an unoptimized program, `elementsEqual(_:)` takes ten times as long.
    func matches(_ range: Range<Int>, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard range.upperBound - range.lowerBound == name.count else { return false }
        var offset = 0
        while offset < name.count, bytes[range.lowerBound + offset] == name[offset] { offset += 1 }
        return offset == name.count
    }

    // MARK: Tokens

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    /// A newline does not count as space, because the scanned text is one line.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private mutating func scanSequence() -> UInt64? {
        let start = position
        var value: UInt64 = 0
        while position < bytes.count, case let digit = bytes[position] &- UInt8(ascii: "0"), digit < 10 {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowToo) = tenfold.addingReportingOverflow(UInt64(digit))
            guard !overflow, !overflowToo else { return nil }
            value = sum
            position += 1
        }
        // A leading zero is not valid JSON, and no event has the number 0.
        guard position > start, bytes[start] != UInt8(ascii: "0") else { return nil }
        return value
    }

    /// Skips a value of any kind; `false` if there is none, or it is nested too deeply.
    mutating func skipValue() -> Bool {
        // One bit for each open level: set for an object.
        var isObject: UInt64 = 0
        var depth = 0
        while true {
            skipSpace()
            guard position < bytes.count else { return false }
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let opensObject = bytes[position] == UInt8(ascii: "{")
                position += 1
                skipSpace()
                if take(opensObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { break }
                depth += 1
                guard depth < ScannedLine.maximumDepth else { return false }
                isObject = isObject << 1 | (opensObject ? 1 : 0)
                if opensObject, !scanName() { return false }
                continue
            case UInt8(ascii: "\""): guard scanString() != nil else { return false }
            case UInt8(ascii: "t"): guard takeWord("true") else { return false }
            case UInt8(ascii: "f"): guard takeWord("false") else { return false }
            case UInt8(ascii: "n"): guard takeWord("null") else { return false }
            default: guard skipNumber() else { return false }
            }
            // After a value, the enclosing levels may end too.
            while depth > 0 {
                skipSpace()
                let isInObject = isObject & 1 == 1
                if take(UInt8(ascii: ",")) {
                    if isInObject, !scanName() { return false }
                    break
                }
                guard take(isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
                isObject >>= 1
                depth -= 1
            }
            if depth == 0 { return true }
        }
    }

    /// Scans a member's name and the colon after it.
    private mutating func scanName() -> Bool {
        skipSpace()
        guard scanString() != nil else { return false }
        skipSpace()
        return take(UInt8(ascii: ":"))
    }

    mutating func takeWord(_ word: StaticString) -> Bool {
        let range = position..<position + word.utf8CodeUnitCount
        guard range.upperBound <= bytes.count, matches(range, word) else { return false }
        position = range.upperBound
        return true
    }

    mutating func skipNumber() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            // No digit may follow a leading zero; the caller checks what follows.
        } else {
            guard skipDigits() else { return false }
        }
        if take(UInt8(ascii: ".")), !skipDigits() { return false }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            return skipDigits()
        }
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position > start
    }

    // MARK: Strings

    /// Scans a string, and returns the range of its text between the quotation marks.
    mutating func scanString() -> Range<Int>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while true {
            skipPlainText()
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"): guard skipEscape() else { return nil }
            case 0x80...: guard skipMultibyte(byte) else { return nil }
            default: return nil
            }
        }
    }

    /// Skips ASCII characters that need no escape.
    ///
    /// Most bytes of a journal are such characters: in an unoptimized program, matching ranges takes ten times as long.
    private mutating func skipPlainText() {
        guard let text = bytes.baseAddress else { return }
        let (count, quote, backslash) = (bytes.count, UInt8(ascii: "\""), UInt8(ascii: "\\"))
        var end = position
        while end < count, case let byte = text[end], byte &- 0x20 < 0x60, byte != quote, byte != backslash { end += 1 }
        position = end
    }

    private mutating func skipEscape() -> Bool {
        guard position + 1 < bytes.count else { return false }
        switch bytes[position + 1] {
        case UInt8(ascii: "u"):
            guard position + 5 < bytes.count else { return false }
            for offset in 2..<6 where !Self.isHexadecimal(bytes[position + offset]) { return false }
            position += 6
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        default: return false
        }
        return true
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    /// Scans one character of two to four bytes (RFC 3629): no overlong encoding, no surrogate, nothing above U+10FFFF.
    private mutating func skipMultibyte(_ lead: UInt8) -> Bool {
        let (length, second): (Int, ClosedRange<UInt8>)
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return false
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { return false }
        for offset in 2..<max(2, length) where bytes[position + offset] & 0xC0 != 0x80 { return false }
        position += length
        return true
    }
}
