/// A value of a configuration file, and its position.
struct Node: Sendable {
    /// The types of TOML.
    indirect enum Value: Sendable {
        case string(String)
        case integer(Int)
        case number(Double)
        case boolean(Bool)
        /// A date, a time or both; no key accepts one.
        case date
        case array([Node])
        case table([TOMLKey: Node])
    }

    var value: Value
    var origin: Origin

    /// The type in messages.
    var kind: String {
        switch value {
        case .string: "a string"
        case .integer: "an integer"
        case .number: "a float"
        case .boolean: "a boolean"
        case .date: "a date or time"
        case .array: "an array"
        case .table: "a table"
        }
    }

    /// The text of a string; `nil` for any other value.
    var string: String? {
        guard case .string(let text) = value else { return nil }
        return text
    }

    /// The members of a table; `nil` for any other value.
    var members: [TOMLKey: Node]? {
        guard case .table(let members) = value else { return nil }
        return members
    }

    /// Returns this value merged with that of a later file: tables are merged key by key, any other value is replaced.
    func merging(_ later: Node) -> Node {
        guard case .table(var members) = value, case .table(let others) = later.value else { return later }
        for (key, node) in others {
            members[key] = members[key]?.merging(node) ?? node
        }
        return Node(value: .table(members), origin: origin)
    }
}

/// A key of a table, compared and hashed by its bytes.
///
/// A `String` treats two encodings of one character as equal, and hashing it sorts runs of combining marks: two keys of
/// a file would become one, and a key could cost more than its length.
struct TOMLKey: Sendable, Hashable, ExpressibleByStringLiteral {
    let text: String

    init(_ text: String) { self.text = text }

    init(stringLiteral text: String) { self.text = text }

    static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }

    /// Returns whether a byte is allowed in an unquoted key.
    static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A key with the tables that contain it, in TOML: `probe.web.interval`, `interfaces.kinds."usb*"`.
struct TOMLPath: Sendable, CustomStringConvertible {
    /// The keys, starting at the root.
    var keys: [String]

    init(_ keys: [String]) { self.keys = keys }

    static func + (path: TOMLPath, key: String) -> TOMLPath { TOMLPath(path.keys + [key]) }

    /// The keys in dotted form; keys that TOML does not accept bare are quoted.
    var description: String {
        keys.map { key in
            !key.isEmpty && key.utf8.allSatisfy(TOMLKey.isBare) ? key : TOMLText.quoted(key)
        }.joined(separator: ".")
    }
}

/// The position of a value in the configuration.
struct Origin: Sendable {
    /// The name of the file in messages.
    var file: String
    /// The index of the file in the order of reading; later files take precedence.
    var order = 0
    /// The line, from 1; `nil` if the value is not from a text.
    var line: Int?
    /// The column in characters, from 1.
    var column: Int?
    /// The index of the value among all keys and elements of its file, in the order of the text.
    var ordinal = 0

    /// The directory of the file, against which relative paths are resolved.
    var directory: String {
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(Substring(file.utf8[...slash]))
    }

    /// The file and the line: `reachagent.toml:7`.
    var place: String { line.map { "\(file):\($0)" } ?? file }

    /// Orders by file, then by position; a value without a line precedes the others.
    static func precedes(_ left: Origin, _ right: Origin) -> Bool {
        (left.order, left.line ?? 0, left.ordinal) < (right.order, right.line ?? 0, right.ordinal)
    }
}

/// A table under construction.
final class TableDraft {
    /// The kind of definition, which determines the permitted additions.
    enum Kind {
        /// Defined by the header of a table below it: its own header may follow.
        case implied
        /// Defined by its own header, or in braces: complete at their end.
        case header
        /// Defined by a dotted key: only further dotted keys, and headers of tables below it, may follow.
        case dotted
    }

    /// A member: a complete value, or an extensible table.
    enum Member {
        case value(Node)
        case table(TableDraft)
        case tables(TableList)

        /// The position of the member's first definition.
        var origin: Origin {
            switch self {
            case .value(let node): node.origin
            case .table(let draft): draft.origin
            case .tables(let list): list.origin
            }
        }
    }

    var kind: Kind
    let origin: Origin
    var members: [TOMLKey: Member] = [:]

    init(kind: Kind, origin: Origin) {
        self.kind = kind
        self.origin = origin
    }

    /// The table as a value; its depth is that of the text, which is bounded.
    var node: Node {
        let members = members.mapValues { member in
            switch member {
            case .value(let node): node
            case .table(let draft): draft.node
            case .tables(let list): Node(value: .array(list.elements.map(\.node)), origin: list.origin)
            }
        }
        return Node(value: .table(members), origin: origin)
    }
}

/// The tables that `[[…]]` has appended to one key; never empty.
final class TableList {
    let origin: Origin
    var elements: [TableDraft]
    /// The element to which headers below the key belong.
    var last: TableDraft { elements[elements.count - 1] }

    init(first: TableDraft, origin: Origin) {
        self.origin = origin
        elements = [first]
    }
}
