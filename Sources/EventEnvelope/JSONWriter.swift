/// Writes JSON text, one token after the other, in the order of the calls.
///
/// The wire format is frozen byte for byte, down to the order of the members; Foundation's encoder orders them as it
/// likes, and is ten times slower. What is written here is always one line: control characters are escaped. Commas are
/// set by the writer; that members have names and containers are closed is the caller's business.
public struct JSONWriter: Sendable {
    /// The text so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// An empty text.
    public init() { bytes.reserveCapacity(768) }

    /// Writes an object whose members `body` writes.
    public mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array whose elements `body` writes for each of `elements`.
    public mutating func array<Element>(
        _ elements: some Sequence<Element>,
        _ body: (inout JSONWriter, Element) -> Void
    ) {
        open(UInt8(ascii: "["))
        for element in elements { body(&self, element) }
        close(UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value must follow.
    public mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's name that is not known beforehand; its value must follow.
    package mutating func name(of member: String) {
        string(member)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    public mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { characters in
            // Almost no string has anything to escape.
            if characters.contains(where: JSONWriter.needsEscaping) {
                for byte in characters { append(escaping: byte) }
            } else {
                bytes.append(contentsOf: characters)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number.
    public mutating func number(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes `true` or `false`.
    public mutating func boolean(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes an object whose members are those that stand in the text already.
    ///
    /// - Parameter members: Where they stand: from behind a `{` on.
    package mutating func object(repeating members: Range<Int>) {
        open(UInt8(ascii: "{"))
        bytes.append(contentsOf: bytes[members])
        close(UInt8(ascii: "}"))
    }

    /// Writes a value that is JSON text already.
    package mutating func value(_ text: [UInt8]) {
        separate()
        bytes.append(contentsOf: text)
    }

    /// Writes a string that has nothing to escape.
    package mutating func plainString(_ characters: some Collection<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: characters)
        bytes.append(UInt8(ascii: "\""))
    }

    /// The text as a string.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    package mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private static func needsEscaping(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0..<0x20, 0x7F:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 0xF)])
        default: bytes.append(byte)
        }
    }
}

/// A value that has a form in JSON.
public protocol JSONRepresentable {
    /// Writes the value as one JSON value.
    func write(to json: inout JSONWriter)
}

extension JSONWriter {
    /// Writes a member whose value is a string.
    public mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        string(value)
    }

    /// Writes a member whose value is a whole number.
    public mutating func member(_ name: StaticString, _ value: some BinaryInteger) {
        self.name(name)
        number(value)
    }

    /// Writes a member whose value is `true` or `false`.
    public mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        boolean(value)
    }

    /// Writes a member whose value has a form of its own.
    public mutating func member(_ name: StaticString, _ value: some JSONRepresentable) {
        self.name(name)
        value.write(to: &self)
    }

    /// Writes a member, or nothing where there is no value: an absent member says "does not apply".
    public mutating func member<Value>(
        _ name: StaticString,
        ifPresent value: Value?,
        _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard let value else { return }
        self.name(name)
        write(&self, value)
    }

    /// Writes a member whose value is a string, or nothing.
    public mutating func member(_ name: StaticString, ifPresent value: String?) {
        member(name, ifPresent: value) { $0.string($1) }
    }
}
