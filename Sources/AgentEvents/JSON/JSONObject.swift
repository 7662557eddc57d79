/// An untrusted JSON object, read strictly: no duplicate names at any depth, and each value of the expected type.
///
/// ``JSONDocument`` checks the syntax, this type the content. Names are compared and hashed as bytes, because `String`
/// compares by canonical equivalence, which a hostile text can make quadratic: everything here is linear in the length
/// of the text.
package struct JSONObject: Sendable {
    /// The reason that an object cannot be read.
    package enum Flaw: Error, Hashable {
        /// The text is not one JSON object, or has a name or a string with half of a surrogate pair.
        case syntax
        /// A duplicate member: its name, after those of the enclosing members.
        case duplicate(path: [[UInt8]])
        /// A required member is missing.
        case missing(member: String)
        /// A member is not of the expected type, such as `a string`.
        case mismatch(member: String, expected: String)
    }

    private let members: [(name: [UInt8], value: JSONNode)]
    private let readsNullAsAbsent: Bool

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: The text, whose length the caller has bounded.
    ///   - maximumValues: The maximum number of values and names in it.
    ///   - readsNullAsAbsent: True if `null` means an absent value, false if it is a value of another type.
    package init(_ text: [UInt8], maximumValues: Int, readsNullAsAbsent: Bool = false) throws(Flaw) {
        guard let document = JSONDocument(text, maximumValues: maximumValues), document.root.kind == .object else {
            throw .syntax
        }
        var path: [[UInt8]] = []
        try Self.checkNames(in: document.root, &path)
        try self.init(checked: document.root, readsNullAsAbsent: readsNullAsAbsent)
    }

    private init(checked node: JSONNode, readsNullAsAbsent: Bool) throws(Flaw) {
        var members: [(name: [UInt8], value: JSONNode)] = []
        for (name, value) in node.members {
            guard let name = name.characters else { throw .syntax }
            members.append((name, value))
        }
        self.members = members
        self.readsNullAsAbsent = readsNullAsAbsent
    }

    /// Recursion is bounded by the nesting depth of the document.
    private static func checkNames(in node: JSONNode, _ path: inout [[UInt8]]) throws(Flaw) {
        for element in node.elements { try checkNames(in: element, &path) }
        var names: Set<[UInt8]> = []
        for (name, value) in node.members {
            guard let name = name.characters else { throw .syntax }
            path.append(name)
            guard names.insert(name).inserted else { throw .duplicate(path: path) }
            try checkNames(in: value, &path)
            path.removeLast()
        }
    }

    /// Returns the name of the first member other than these.
    package func firstName(besides known: [String]) -> [UInt8]? {
        members.first { member in !known.contains { member.name.elementsEqual($0.utf8) } }?.name
    }

    /// Returns the UTF-8 of a string; `nil` if it is absent.
    package func string(_ name: String) throws(Flaw) -> [UInt8]? {
        try value(name, "a string") { $0.characters }
    }

    /// Returns the UTF-8 of a required string.
    package func requiredString(_ name: String) throws(Flaw) -> [UInt8] {
        guard let string = try string(name) else { throw .missing(member: name) }
        return string
    }

    /// Returns a boolean; `nil` if it is absent.
    package func boolean(_ name: String) throws(Flaw) -> Bool? { try value(name, "true or false") { $0.boolean } }

    /// Returns a whole number; `nil` if it is absent.
    package func integer<Value: FixedWidthInteger>(_ name: String, as: Value.Type = Value.self) throws(Flaw) -> Value? {
        try value(name, "a whole number of \(Value.bitWidth) bits") { $0.integer() }
    }

    /// Returns the UTF-8 of each string of an array; `nil` if it is absent.
    package func strings(_ name: String) throws(Flaw) -> [[UInt8]]? {
        try value(name, "an array of strings") { node in
            guard node.kind == .array else { return nil }
            var strings: [[UInt8]] = []
            for element in node.elements {
                guard let string = element.characters else { return nil }
                strings.append(string)
            }
            return strings
        }
    }

    /// Returns an object; `nil` if it is absent.
    package func object(_ name: String) throws(Flaw) -> JSONObject? {
        guard let node = try value(name, "an object", { $0.kind == .object ? $0 : nil }) else { return nil }
        return try JSONObject(checked: node, readsNullAsAbsent: readsNullAsAbsent)
    }

    private func value<Value>(
        _ name: String,
        _ expected: String,
        _ read: (JSONNode) -> Value?
    ) throws(Flaw) -> Value? {
        guard let node = members.first(where: { $0.name.elementsEqual(name.utf8) })?.value else { return nil }
        if readsNullAsAbsent, node.kind == .null { return nil }
        guard let value = read(node) else { throw .mismatch(member: name, expected: expected) }
        return value
    }
}
