/// Writes values as the schema's JSON.
///
/// Members appear in the order in which a type encodes them, which for synthesized conformances is that of the
/// declaration; absent members are omitted, and the names of a dictionary are sorted. So the bytes of an event are the
/// same in every release, which Foundation's encoder does not guarantee.
package enum EventEncoder {
    /// Returns the JSON text of a value, on one line.
    ///
    /// - Throws: The error of the value's own `encode(to:)`; in this module, only an event of unknown content throws
    ///   one.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let output = Output(JSONWriter())
        try output.append(value)
        return output.json.bytes
    }
}

extension JSONWriter {
    /// Returns the text of a value of this module, on one line.
    package static func text(of value: some Encodable) -> [UInt8] {
        var json = JSONWriter()
        json.encode(value)
        return json.bytes
    }

    /// Writes a value of this module, or a foreign one whose `encode(to:)` never throws.
    package mutating func encode(_ value: some Encodable) {
        // The text moves to the encoder and back: a second owner would cause a copy.
        let output = Output(JSONWriter(capacity: 0))
        swap(&self, &output.json)
        do { try output.append(value) } catch { output.json.null() }
        swap(&self, &output.json)
    }

    /// Writes a member with an encoded value.
    package mutating func member(_ name: StaticString, encoding value: some Encodable) {
        self.name(name)
        encode(value)
    }
}

/// The text so far, and its open containers.
private final class Output {
    var json: JSONWriter
    private var brackets: [UInt8] = []

    init(_ json: JSONWriter) { self.json = json }

    /// Closes the containers that were opened inside the first `level` ones.
    func close(downTo level: Int) {
        while brackets.count > level { json.close(brackets.removeLast()) }
    }

    /// Opens a container at a level unless it is open: a type that encodes another one's members requests it twice.
    func open(_ bracket: UInt8, closing end: UInt8, at level: Int) {
        close(downTo: level + 1)
        guard brackets.count <= level else { return }
        json.open(bracket)
        brackets.append(end)
    }

    func append(_ value: some Encodable) throws {
        let level = brackets.count
        try value.encode(to: Position(output: self, level: level))
        close(downTo: level)
    }
}

/// The position of a value in the text.
///
/// Two words, which an existential holds without an allocation. The coding path is not kept: it would cost one
/// allocation for each member, and only foreign types throw.
private struct Position: Encoder, SingleValueEncodingContainer {
    let output: Output
    let level: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        output.open(UInt8(ascii: "{"), closing: UInt8(ascii: "}"), at: level)
        return KeyedEncodingContainer(Members<Key>(output: output, level: level + 1))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        output.open(UInt8(ascii: "["), closing: UInt8(ascii: "]"), at: level)
        return Elements(output: output, level: level + 1)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { output.json.null() }
    func encode(_ value: Bool) { output.json.boolean(value) }
    func encode(_ value: String) { output.json.string(value) }
    func encode(_ value: Double) throws { try encode(number: value) }
    func encode(_ value: Float) throws { try encode(number: Double(value)) }
    func encode(_ value: Int) { output.json.number(value) }
    func encode(_ value: Int8) { output.json.number(value) }
    func encode(_ value: Int16) { output.json.number(value) }
    func encode(_ value: Int32) { output.json.number(value) }
    func encode(_ value: Int64) { output.json.number(value) }
    func encode(_ value: UInt) { output.json.number(value) }
    func encode(_ value: UInt8) { output.json.number(value) }
    func encode(_ value: UInt16) { output.json.number(value) }
    func encode(_ value: UInt32) { output.json.number(value) }
    func encode(_ value: UInt64) { output.json.number(value) }
    func encode(_ value: some Encodable) throws { try value.encode(to: self) }

    private func encode(number: Double) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(number, .init(codingPath: codingPath, debugDescription: "no JSON number"))
        }
        output.json.value(Array(number.description.utf8))
    }
}

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: Output
    let level: Int
    var codingPath: [any CodingKey] { [] }

    private func value(_ key: Key) -> Position {
        output.close(downTo: level)
        output.json.name(of: key.stringValue)
        return Position(output: output, level: level)
    }

    func encodeNil(forKey key: Key) { value(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Double, forKey key: Key) throws { try self.value(key).encode(value) }
    func encode(_ value: Float, forKey key: Key) throws { try self.value(key).encode(value) }
    func encode(_ value: Int, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Int8, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Int16, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Int32, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: UInt, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: UInt8, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: UInt16, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: UInt32, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: UInt64, forKey key: Key) { self.value(key).encode(value) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        _ = self.value(key)
        try output.append(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<
        Nested
    > {
        value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { value(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { Position(output: output, level: level - 1) }
    func superEncoder(forKey key: Key) -> any Encoder { value(key) }
}

/// The elements of an array.
private struct Elements: UnkeyedEncodingContainer {
    let output: Output
    let level: Int
    var codingPath: [any CodingKey] { [] }
    private(set) var count = 0

    init(output: Output, level: Int) {
        self.output = output
        self.level = level
    }

    private mutating func next() -> Position {
        output.close(downTo: level)
        count += 1
        return Position(output: output, level: level)
    }

    mutating func encodeNil() { next().encodeNil() }
    mutating func encode(_ value: Bool) { next().encode(value) }
    mutating func encode(_ value: String) { next().encode(value) }
    mutating func encode(_ value: Double) throws { try next().encode(value) }
    mutating func encode(_ value: Float) throws { try next().encode(value) }
    mutating func encode(_ value: Int) { next().encode(value) }
    mutating func encode(_ value: Int8) { next().encode(value) }
    mutating func encode(_ value: Int16) { next().encode(value) }
    mutating func encode(_ value: Int32) { next().encode(value) }
    mutating func encode(_ value: Int64) { next().encode(value) }
    mutating func encode(_ value: UInt) { next().encode(value) }
    mutating func encode(_ value: UInt8) { next().encode(value) }
    mutating func encode(_ value: UInt16) { next().encode(value) }
    mutating func encode(_ value: UInt32) { next().encode(value) }
    mutating func encode(_ value: UInt64) { next().encode(value) }

    mutating func encode(_ value: some Encodable) throws {
        _ = next()
        try output.append(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { next() }
}
