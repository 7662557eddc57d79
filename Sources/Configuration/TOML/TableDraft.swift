/// A table that is still being read.
final class TableDraft {
    /// The way in which it was defined, which decides what may be added to it later.
    enum Kind {
        /// By the header of a table below it: its own header may follow.
        case implied
        /// By its own header, or in braces: complete where that ends.
        case header
        /// By a dotted key: only further dotted keys, and headers of tables below it, may follow.
        case dotted
    }

    /// A member: a complete value, or a table that may grow.
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

    /// The table as a value; the depth is that of the text, which is bounded.
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
    /// The element that headers below the key belong to.
    var last: TableDraft { elements[elements.count - 1] }

    init(first: TableDraft, origin: Origin) {
        self.origin = origin
        elements = [first]
    }
}
