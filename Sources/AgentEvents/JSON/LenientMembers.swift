/// A list that is always written; a missing list, or a member of another type, reads as empty, and unreadable elements
/// are skipped.
///
/// That holds for this module's own types: a synthesized conformance of another module requires the list, and a member of
/// another type is an error there.
@propertyWrapper
public struct List<Element: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// The value.
    public var wrappedValue: [Element]

    /// Wraps a value.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    /// The maximum number of elements that are read, which exceeds the interfaces of the largest machine, and the
    /// agent's connections.
    static var maximumCount: Int { 16_384 }

    /// Reads the value.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        wrappedValue = []
        for _ in 0..<Self.maximumCount {
            if container.isAtEnd { break }
            if let element = try container.decode(Lenient<Element>.self).value { wrappedValue.append(element) }
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// An element, or nothing if it is of another type: a decoder may not advance past one that throws.
private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

/// A list that is written if it has elements, and reads as ``List`` does.
///
/// That holds for this module's own types: a synthesized conformance of another module also writes an empty list.
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

/// A flag that is written only if it is set: its absence means false.
///
/// That holds for this module's own types: a synthesized conformance of another module always writes the flag, and
/// requires it.
@propertyWrapper
public struct OptionalFlag: Codable, Sendable, Hashable {
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

// Synthesized conformances call these instead of the containers' own functions, because they are more specific.
extension KeyedEncodingContainer {
    mutating func encode<Element>(_ list: OptionalList<Element>, forKey key: Key) throws {
        if !list.wrappedValue.isEmpty { try encode(list.wrappedValue, forKey: key) }
    }

    mutating func encode(_ flag: OptionalFlag, forKey key: Key) throws {
        if flag.wrappedValue { try encode(true, forKey: key) }
    }

    mutating func encodeIfPresent(_ counts: [String: Int]?, forKey key: Key) throws {
        guard let counts else { return }
        var members = nestedContainer(keyedBy: NameKey.self, forKey: key)
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            try members.encode(count, forKey: NameKey(name))
        }
    }
}

/// The name of a member that is data, such as a code, a phase or an account.
struct NameKey: CodingKey {
    /// The maximum number of names that are read, and the maximum length of each in bytes: more than there are.
    static let maximumCount = 1024
    static let maximumBytes = 256

    let stringValue: String
    /// The position of the member's value in the document, if it was read from one: its name may have escapes there.
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    init(_ name: String, of value: JSONNode) { (stringValue, intValue) = (name, value.position) }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<NameKey> {
    /// Returns the names of the members, each once.
    ///
    /// The limits bound the cost of a hostile object: as the key of a dictionary a `String` is hashed in its canonical
    /// form, for which runs of combining marks are sorted.
    ///
    /// - Throws: `DecodingError` for more names, or longer ones, than there are.
    func names() throws -> [NameKey] {
        let names = allKeys
        guard names.count <= NameKey.maximumCount,
            names.allSatisfy({ $0.stringValue.utf8.count <= NameKey.maximumBytes })
        else {
            let limits = "expected at most \(NameKey.maximumCount) names of at most \(NameKey.maximumBytes) bytes"
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: limits))
        }
        var seen: Set<String> = []
        return names.filter { seen.insert($0.stringValue).inserted }
    }
}

/// Counts by name.
private struct NamedCounts: Decodable {
    var counts: [String: Int] = [:]

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: NameKey.self)
        for name in try members.names() { counts[name.stringValue] = try members.decode(Int.self, forKey: name) }
    }
}

extension KeyedDecodingContainer {
    func decode<Element>(_ type: List<Element>.Type, forKey key: Key) throws -> List<Element> {
        try decodeIfPresent(type, forKey: key) ?? List(wrappedValue: [])
    }

    func decode<Element>(_ type: OptionalList<Element>.Type, forKey key: Key) throws -> OptionalList<Element> {
        try decodeIfPresent(type, forKey: key) ?? OptionalList(wrappedValue: [])
    }

    func decode(_ type: OptionalFlag.Type, forKey key: Key) throws -> OptionalFlag {
        try decodeIfPresent(type, forKey: key) ?? OptionalFlag(wrappedValue: false)
    }

    func decodeIfPresent<Element: Codable & Sendable & Hashable>(
        _ type: [Element].Type,
        forKey key: Key
    ) throws -> [Element]? {
        try decodeIfPresent(List<Element>.self, forKey: key)?.wrappedValue
    }

    func decodeIfPresent(_ type: [String: Int].Type, forKey key: Key) throws -> [String: Int]? {
        try decodeIfPresent(NamedCounts.self, forKey: key)?.counts
    }

    // The schema has its own word for an unknown medium.
    func decode(_ type: Via.Type, forKey key: Key) throws -> Via {
        try decodeIfPresent(type, forKey: key) ?? .unknown
    }

    func decode(_ type: Connectivity.Type, forKey key: Key) throws -> Connectivity {
        try decodeIfPresent(type, forKey: key) ?? .unknown
    }
}
