/// A value of a configuration file, and where it stands.
struct Node: Sendable {
    /// What TOML can hold.
    indirect enum Value: Sendable {
        case string(String)
        case integer(Int)
        case number(Double)
        case boolean(Bool)
        /// A date, a time or both; no key takes one.
        case date
        case array([Node])
        case table([String: Node])
    }

    var value: Value
    var origin: Origin

    /// What a message calls the kind of value that was found.
    var kind: String {
        switch value {
        case .string: "a text"
        case .integer: "an integer"
        case .number: "a number with a fraction"
        case .boolean: "a boolean"
        case .date: "a date or time"
        case .array: "an array"
        case .table: "a table"
        }
    }

    /// This value with what a later file says: tables are joined key by key, everything else is replaced.
    func merging(_ later: Node) -> Node {
        guard case .table(var members) = value, case .table(let others) = later.value else { return later }
        for (key, node) in others {
            members[key] = members[key]?.merging(node) ?? node
        }
        return Node(value: .table(members), origin: origin)
    }
}
