/// Reads values from JSON as an agent of another version may write it.
///
/// Unknown members are ignored; a member of an unexpected type reads as absent if it is optional. The text is checked
/// strictly, by the scanner that the journal uses.
package enum EventDecoder {
    /// Decodes a value.
    ///
    /// - Parameter text: One JSON value on one line, with or without its newline; the caller bounds its length.
    /// - Throws: `DecodingError` if the text is not well-formed, or a required member is missing.
    package static func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        let line = text.last == UInt8(ascii: "\n") ? Array(text.dropLast()) : text
        guard let document = JSONDocument(line) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not a JSON text on one line"))
        }
        return try decode(type, from: document.root)
    }

    /// Returns the member that cannot be decoded, and the reason: `agent.version: missing`.
    ///
    /// Both can contain text of the value, of any length.
    package static func flaw(_ error: any Error) -> String {
        let (context, path): (DecodingError.Context, [any CodingKey])
        switch error {
        case DecodingError.keyNotFound(let key, let found): (context, path) = (found, found.codingPath + [key])
        case DecodingError.typeMismatch(_, let found), DecodingError.valueNotFound(_, let found),
            DecodingError.dataCorrupted(let found):
            (context, path) = (found, found.codingPath)
        default: return "\(error)"
        }
        let member = path.map(\.stringValue).joined(separator: ".")
        return member.isEmpty ? context.debugDescription : "\(member): \(context.debugDescription)"
    }

    /// Decodes a value of a line whose length nothing has bounded yet; `nil` if it cannot be decoded.
    static func value<Value: Decodable>(_ type: Value.Type, of line: [UInt8]) -> Value? {
        guard line.count <= ScannedLine.maximumBytes else { return nil }
        return try? decode(type, from: line)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from node: JSONNode) throws -> Value {
        try Value(from: NodeDecoder(node: node, parents: []))
    }
}

/// A value in the text.
private struct NodeDecoder: Decoder, SingleValueDecodingContainer {
    let node: JSONNode
    /// The keys of the enclosing values.
    let parents: [any CodingKey]
    /// The value's own key; `nil` for the outermost value and for an element.
    var key: (any CodingKey)?
    /// Created only for errors and containers, because each costs an allocation.
    var codingPath: [any CodingKey] { parents + [key].compactMap(\.self) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.kind == .object else { throw mismatch("an object") }
        return KeyedDecodingContainer(Members<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard node.kind == .array else { throw mismatch("an array") }
        return Elements(decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ expected: String) -> DecodingError {
        .typeMismatch(
            Any.self,
            .init(codingPath: codingPath, debugDescription: "expected \(expected), got \(node.kind)")
        )
    }

    func decodeNil() -> Bool { node.kind == .null }
    func decode(_: Bool.Type) throws -> Bool { try required(node.boolean, "true or false") }
    func decode(_: String.Type) throws -> String { try required(node.string, "a string") }
    func decode(_: Double.Type) throws -> Double { try required(node.double, "a number") }
    func decode(_: Float.Type) throws -> Float { try Float(decode(Double.self)) }
    func decode(_: Int.Type) throws -> Int { try integer() }
    func decode(_: Int8.Type) throws -> Int8 { try integer() }
    func decode(_: Int16.Type) throws -> Int16 { try integer() }
    func decode(_: Int32.Type) throws -> Int32 { try integer() }
    func decode(_: Int64.Type) throws -> Int64 { try integer() }
    func decode(_: UInt.Type) throws -> UInt { try integer() }
    func decode(_: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        try required(node.integer(), "a whole number")
    }

    private func required<Value>(_ value: Value?, _ expected: String) throws -> Value {
        guard let value else { throw mismatch(expected) }
        return value
    }
}

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NodeDecoder
    let codingPath: [any CodingKey]

    init(decoder: NodeDecoder) {
        self.decoder = decoder
        codingPath = decoder.codingPath
    }

    var allKeys: [Key] {
        decoder.node.members.compactMap { name, value in
            guard let name = name.string else { return nil }
            return NameKey(name, of: value) as? Key ?? Key(stringValue: name)
        }
    }

    func contains(_ key: Key) -> Bool { member(key) != nil }

    private func member(_ key: Key) -> JSONNode? {
        // In a dictionary, whose keys are not ours, the name `12` has the integer 12, which is no position.
        if let position = key.intValue, key is NameKey { return decoder.node.descendant(at: position) }
        // Only names that are data may need escapes; a type that declares its names accepts no other.
        guard decoder.node.documentHasEscapes, Key(stringValue: "\\") != nil else {
            return decoder.node.member(key.stringValue)
        }
        let name = key.stringValue.utf8
        let isPlain = !name.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        // Most names have no escape, and comparing them allocates nothing.
        return (isPlain ? decoder.node.member(key.stringValue) : nil) ?? decoder.node.member(unescaped: key.stringValue)
    }

    private func value(_ key: Key) throws -> NodeDecoder {
        guard let node = member(key) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
        }
        return NodeDecoder(node: node, parents: codingPath, key: key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).decode(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(key).decode(type) }

    // A member of another type counts as absent if it is optional.
    private func lenient<Value: Decodable>(_ key: Key) -> Value? {
        guard let node = member(key) else { return nil }
        return try? Value(from: NodeDecoder(node: node, parents: codingPath, key: key))
    }

    func decodeIfPresent(_: Bool.Type, forKey key: Key) -> Bool? { lenient(key) }
    func decodeIfPresent(_: String.Type, forKey key: Key) -> String? { lenient(key) }
    func decodeIfPresent(_: Double.Type, forKey key: Key) -> Double? { lenient(key) }
    func decodeIfPresent(_: Float.Type, forKey key: Key) -> Float? { lenient(key) }
    func decodeIfPresent(_: Int.Type, forKey key: Key) -> Int? { lenient(key) }
    func decodeIfPresent(_: Int8.Type, forKey key: Key) -> Int8? { lenient(key) }
    func decodeIfPresent(_: Int16.Type, forKey key: Key) -> Int16? { lenient(key) }
    func decodeIfPresent(_: Int32.Type, forKey key: Key) -> Int32? { lenient(key) }
    func decodeIfPresent(_: Int64.Type, forKey key: Key) -> Int64? { lenient(key) }
    func decodeIfPresent(_: UInt.Type, forKey key: Key) -> UInt? { lenient(key) }
    func decodeIfPresent(_: UInt8.Type, forKey key: Key) -> UInt8? { lenient(key) }
    func decodeIfPresent(_: UInt16.Type, forKey key: Key) -> UInt16? { lenient(key) }
    func decodeIfPresent(_: UInt32.Type, forKey key: Key) -> UInt32? { lenient(key) }
    func decodeIfPresent(_: UInt64.Type, forKey key: Key) -> UInt64? { lenient(key) }
    func decodeIfPresent<Value: Decodable>(_: Value.Type, forKey key: Key) -> Value? { lenient(key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }
}

/// The elements of an array.
private struct Elements: UnkeyedDecodingContainer {
    private let nodes: [JSONNode]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0
    var count: Int? { nodes.count }
    var isAtEnd: Bool { currentIndex == nodes.count }

    init(decoder: NodeDecoder) {
        nodes = decoder.node.elements
        codingPath = decoder.codingPath
    }

    private mutating func next<Value>(_ read: (NodeDecoder) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(Value.self, .init(codingPath: codingPath, debugDescription: "no element"))
        }
        let decoder = NodeDecoder(node: nodes[currentIndex], parents: codingPath)
        // An unreadable element is skipped as well: the caller continues with the next one.
        currentIndex += 1
        return try read(decoder)
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, nodes[currentIndex].kind == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.decode(type) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
