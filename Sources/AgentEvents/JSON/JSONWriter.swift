/// Writes JSON text, one token after the other, in the order of the calls.
///
/// The wire format is frozen byte for byte, including the order of the members; Foundation's encoder chooses its own
/// order, and is ten times slower. The output is always one line: control characters are escaped. The writer inserts
/// commas; the caller names members and closes containers.
package struct JSONWriter: Sendable {
    /// The bytes written so far, with spare capacity: an array's own `append` checks its owner and its capacity for
    /// each quote and comma, which happens here once for a name or a value.
    private var room: [UInt8]
    private var count = 0
    private var needsComma = false

    /// Creates an empty text.
    package init() { self.init(capacity: 768) }

    init(capacity: Int) { room = [UInt8](repeating: 0, count: capacity) }

    /// The text so far, in UTF-8.
    package var bytes: [UInt8] { Array(room.prefix(count)) }

    /// Writes an object whose members `body` writes.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array whose elements `body` writes for each of `elements`.
    package mutating func array<Element>(
        _ elements: some Sequence<Element>,
        _ body: (inout JSONWriter, Element) -> Void
    ) {
        open(UInt8(ascii: "["))
        for element in elements { body(&self, element) }
        close(UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value must follow.
    package mutating func name(_ name: StaticString) {
        name.withUTF8Buffer { put(quoted: $0, before: UInt8(ascii: ":")) }
        needsComma = false
    }

    /// Writes a member's name that is not a constant; its value must follow.
    package mutating func name(of member: String) {
        string(member)
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { characters in
            // Almost no string needs escaping.
            guard JSONWriter.needEscaping(characters) else { return put(quoted: characters) }
            var escaped: [UInt8] = []
            for byte in characters { JSONWriter.append(escaping: byte, to: &escaped) }
            escaped.withUnsafeBufferPointer { put(quoted: $0) }
        }
        needsComma = true
    }

    /// Writes a whole number.
    package mutating func number(_ value: some BinaryInteger) {
        if var rest = UInt64(exactly: value) {
            // Twenty digits are the maximum.
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
                var first = digits.count
                repeat {
                    first -= 1
                    digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                } while rest > 0
                put(UnsafeBufferPointer(rebasing: digits[first...]))
            }
        } else {
            put(word: "\(value)")
        }
        needsComma = true
    }

    /// Writes `true` or `false`.
    package mutating func boolean(_ value: Bool) {
        put(word: value ? "true" : "false")
        needsComma = true
    }

    /// Writes `null`.
    package mutating func null() {
        put(word: "null")
        needsComma = true
    }

    /// Writes a value that is already JSON text.
    package mutating func value(_ text: [UInt8]) {
        text.withUnsafeBufferPointer { put($0) }
        needsComma = true
    }

    /// Writes a string that needs no escaping.
    package mutating func plainString(_ characters: [UInt8]) {
        characters.withUnsafeBufferPointer { put(quoted: $0) }
        needsComma = true
    }

    /// The text as a string.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func open(_ bracket: UInt8) {
        if needsComma { put(UInt8(ascii: ",")) }
        put(bracket)
        needsComma = false
    }

    package mutating func close(_ bracket: UInt8) {
        put(bracket)
        needsComma = true
    }

    /// A loop over a pointer, because it reads every byte of every event, also in unoptimized programs.
    private static func needEscaping(_ characters: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let text = characters.baseAddress else { return false }
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        for position in 0..<characters.count {
            let byte = text[position]
            if byte < 0x20 || byte == 0x7F || byte == quote || byte == backslash { return true }
        }
        return false
    }

    private static func append(escaping byte: UInt8, to text: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            text.append(UInt8(ascii: "\\"))
            text.append(byte)
        case 0..<0x20, 0x7F:
            let digits = Array("0123456789abcdef".utf8)
            text.append(contentsOf: "\\u00".utf8)
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        default: text.append(byte)
        }
    }
}

// MARK: - The room for the text

extension JSONWriter {
    /// Makes room for more bytes, which `body` fills.
    private mutating func put(_ length: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
        let (start, end) = (count, count + length)
        if end > room.count { room += [UInt8](repeating: 0, count: max(length, room.count)) }
        room.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[start..<end])) }
        count = end
    }

    private mutating func put(_ byte: UInt8) { put(1) { $0[0] = byte } }

    /// Writes characters without quotes, after the comma that is due.
    private mutating func put(_ characters: UnsafeBufferPointer<UInt8>) {
        let start = needsComma ? 1 : 0
        put(start + characters.count) { text in
            if start == 1 { text[0] = UInt8(ascii: ",") }
            UnsafeMutableRawBufferPointer(rebasing: text[start...]).copyMemory(from: UnsafeRawBufferPointer(characters))
        }
    }

    private mutating func put(word: String) {
        var word = word
        word.withUTF8 { put($0) }
    }

    /// Writes characters in quotes, after the comma that is due, and a mark after them.
    private mutating func put(quoted characters: UnsafeBufferPointer<UInt8>, before mark: UInt8? = nil) {
        let start = needsComma ? 2 : 1
        let end = start + characters.count
        put(end + (mark == nil ? 1 : 2)) { text in
            if start == 2 { text[0] = UInt8(ascii: ",") }
            text[start - 1] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: text[start..<end])
                .copyMemory(from: UnsafeRawBufferPointer(characters))
            text[end] = UInt8(ascii: "\"")
            if let mark { text[end + 1] = mark }
        }
    }
}

/// A value with a JSON representation.
package protocol JSONRepresentable {
    /// Writes the value as one JSON value.
    func write(to json: inout JSONWriter)
}

extension JSONWriter {
    /// Writes a member whose value is a string.
    package mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        string(value)
    }

    /// Writes a member whose value is a whole number.
    package mutating func member(_ name: StaticString, _ value: some BinaryInteger) {
        self.name(name)
        number(value)
    }

    /// Writes a member whose value is `true` or `false`.
    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        boolean(value)
    }

    /// Writes a member whose value has its own representation.
    package mutating func member(_ name: StaticString, _ value: some JSONRepresentable) {
        self.name(name)
        value.write(to: &self)
    }

    /// Writes a member, or nothing without a value: an absent member means "does not apply".
    package mutating func member<Value>(
        _ name: StaticString,
        ifPresent value: Value?,
        _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard let value else { return }
        self.name(name)
        write(&self, value)
    }

    /// Writes a member whose value is a string, or nothing.
    package mutating func member(_ name: StaticString, ifPresent value: String?) {
        member(name, ifPresent: value) { $0.string($1) }
    }
}
