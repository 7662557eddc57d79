/// One value of a ``JSONDocument``.
package struct JSONNode: Sendable {
    private let document: JSONDocument
    private let index: Int

    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    private var entry: JSONDocument.Entry { document.entries[index] }

    /// The kind of the value.
    package var kind: JSONDocument.Kind { entry.kind }

    /// The bytes of a number, or of an escaped string.
    package var text: ArraySlice<UInt8> { document.bytes[entry.text] }

    /// The value of a string; half of a surrogate pair reads as U+FFFD.
    package var string: String? { unescaped().map { String(decoding: $0.bytes, as: UTF8.self) } }

    /// The value of a string in UTF-8; `nil` if an escape is half of a surrogate pair, which is not a character.
    package var characters: [UInt8]? { unescaped().flatMap { $0.isWhole ? Array($0.bytes) : nil } }

    /// Returns the value of a whole number, if it fits the type.
    package func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        guard kind == .number else { return nil }
        var digits = text
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        var value: Value = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowToo) =
                isNegative
                ? tenfold.subtractingReportingOverflow(Value(digit)) : tenfold.addingReportingOverflow(Value(digit))
            guard !overflow, !overflowToo else { return nil }
            value = sum
        }
        return value
    }

    /// The value of a number.
    package var double: Double? { kind == .number ? Double(String(decoding: text, as: UTF8.self)) : nil }

    /// The value of `true` or `false`.
    package var boolean: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The elements of an array.
    package var elements: [JSONNode] {
        guard kind == .array else { return [] }
        var elements: [JSONNode] = []
        var next = index + 1
        while next < entry.next {
            elements.append(JSONNode(document: document, index: next))
            next = document.entries[next].next
        }
        return elements
    }

    /// The members of an object, in its order.
    package var members: [(name: JSONNode, value: JSONNode)] {
        guard kind == .object else { return [] }
        var members: [(name: JSONNode, value: JSONNode)] = []
        var next = index + 1
        while next < entry.next {
            members.append((JSONNode(document: document, index: next), JSONNode(document: document, index: next + 1)))
            next = document.entries[next + 1].next
        }
        return members
    }

    /// Returns the first member of an object with a name, compared byte by byte with the escaped text of the name.
    package func member(_ name: String) -> JSONNode? {
        guard kind == .object else { return nil }
        var name = name
        let found = name.withUTF8 { document.value(of: $0, inObjectAt: index) }
        return found.map { JSONNode(document: document, index: $0) }
    }

    /// `true` if the document has an escape, in this value or elsewhere.
    var documentHasEscapes: Bool { document.hasEscapes }

    /// Returns the first member of an object whose name without its escapes is this one.
    func member(unescaped name: String) -> JSONNode? {
        members.first { $0.name.unescaped()?.bytes.elementsEqual(name.utf8) == true }?.value
    }

    /// The position of the value in its document.
    var position: Int { index }

    /// Returns the value at a position in the document, if it is inside this one.
    func descendant(at position: Int) -> JSONNode? {
        guard position > index, position < entry.next else { return nil }
        return JSONNode(document: document, index: position)
    }

    /// Returns the value of a string without its escapes, and true if every escape is a character.
    private func unescaped() -> (bytes: ArraySlice<UInt8>, isWhole: Bool)? {
        guard kind == .string else { return nil }
        guard text.contains(UInt8(ascii: "\\")) else { return (text, true) }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var isWhole = true
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                let scalar = Self.scalar(&rest)
                if scalar == nil { isWhole = false }
                result.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
            default: result.append(escape)
            }
        }
        return (result[...], isWhole)
    }

    /// Returns the character of `\uXXXX`, or of two of them; `nil` for half of a pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let unit = codeUnit(rest) else { return nil }
        rest = rest.dropFirst(4)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), rest.starts(with: "\\u".utf8),
            let trail = codeUnit(rest.dropFirst(2)), UTF16.isTrailSurrogate(trail)
        else { return nil }
        rest = rest.dropFirst(6)
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt16? {
        digits.count < 4 ? nil : UInt16(String(decoding: digits.prefix(4), as: UTF8.self), radix: 16)
    }
}
