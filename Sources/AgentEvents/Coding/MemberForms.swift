/// A list that is always written; one that is missing, or of another form, reads as empty, and elements that cannot be
/// read are passed over.
@propertyWrapper
public struct List<Element: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// The value.
    public var wrappedValue: [Element]

    /// Wraps a value.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    /// Reads the value.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        wrappedValue = []
        while !container.isAtEnd {
            if let element = try container.decode(Lenient<Element>.self).value { wrappedValue.append(element) }
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// An element, or nothing where it is of another form: a decoder may stay at one that throws.
private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

/// A list that is written when it has elements, and reads as ``List`` does.
@propertyWrapper
public struct OptionalList<Element: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// The value.
    public var wrappedValue: [Element]

    /// Wraps a value.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    /// Reads the value.
    public init(from decoder: any Decoder) throws { wrappedValue = try List(from: decoder).wrappedValue }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// A mark that is written when it is set: its absence says no.
@propertyWrapper
public struct Flag: Codable, Sendable, Hashable {
    /// The value.
    public var wrappedValue: Bool

    /// Wraps a value.
    public init(wrappedValue: Bool) { self.wrappedValue = wrappedValue }

    /// Reads the value.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Bool.self)
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

// Synthesized conformances call these in place of the containers' own functions, as they are the more specific ones.
extension KeyedEncodingContainer {
    mutating func encode<Element>(_ list: OptionalList<Element>, forKey key: Key) throws {
        if !list.wrappedValue.isEmpty { try encode(list.wrappedValue, forKey: key) }
    }

    mutating func encode(_ flag: Flag, forKey key: Key) throws {
        if flag.wrappedValue { try encode(true, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    func decode<Element>(_ type: List<Element>.Type, forKey key: Key) throws -> List<Element> {
        try decodeIfPresent(type, forKey: key) ?? List(wrappedValue: [])
    }

    func decode<Element>(_ type: OptionalList<Element>.Type, forKey key: Key) throws -> OptionalList<Element> {
        try decodeIfPresent(type, forKey: key) ?? OptionalList(wrappedValue: [])
    }

    func decode(_ type: Flag.Type, forKey key: Key) throws -> Flag {
        try decodeIfPresent(type, forKey: key) ?? Flag(wrappedValue: false)
    }
}
