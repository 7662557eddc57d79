/// Parses TOML 1.0 into nodes with positions.
///
/// The text is untrusted: every byte is read once, nesting, keys and their lengths are bounded, and the first syntax
/// error stops the parser. The methods for strings, numbers and dates are in `TOMLParser+Scalars.swift`.
struct TOMLParser {
    /// The maximum depth of keys and brackets; the keys of the agent need five.
    static let maxLevels = 16
    /// The maximum number of keys and array elements of a file: 10,000 probes with twenty keys each.
    static let maxKeys = 200_000
    /// The maximum length of a key.
    static let maxKeyBytes = 1024

    /// The reason that a text is not accepted, and its position.
    struct Failure: Error {
        var message: String
        var line: Int
        var column: Int
    }

    let bytes: [UInt8]
    var position = 0
    var line = 1
    // The column of the byte at `mark`, in characters. The mark only moves forward, so that positions on a long line do
    // not cost more than others.
    private var column = 1
    private var mark = 0
    private var ordinal = 0
    private let file: String
    private let order: Int

    /// Parses a text and returns its root table.
    ///
    /// - Parameter order: The index of the file in the order of reading.
    static func parse(_ source: SourceText, order: Int = 0) throws(ConfigurationErrors) -> Node {
        var parser = TOMLParser(bytes: source.bytes, file: source.file, order: order)
        do throws(Failure) {
            return try parser.document()
        } catch {
            throw ConfigurationErrors([
                ConfigurationError(file: source.file, line: error.line, column: error.column, message: error.message)
            ])
        }
    }

    private init(bytes: [UInt8], file: String, order: Int) {
        self.bytes = bytes
        self.file = file
        self.order = order
    }

    // MARK: Tables

    private mutating func document() throws(Failure) -> Node {
        let root = TableDraft(kind: .header, origin: Origin(file: file, order: order, line: 1, column: 1))
        var (table, depth) = (root, 0)
        while true {
            try skipBlankLines()
            guard let byte = peek() else { return root.node }
            if byte == UInt8(ascii: "[") {
                (table, depth) = try header(root)
            } else {
                try member(of: table, depth: depth)
            }
            skipSpaces()
            if peek() == UInt8(ascii: "#") { try skipComment() }
            guard try endOfLine() else { throw expected("the end of the line or a comment") }
        }
    }

    /// Parses `[a.b]` or `[[a.b]]`; returns the table to which the following members belong, and its depth.
    private mutating func header(_ root: TableDraft) throws(Failure) -> (TableDraft, depth: Int) {
        let origin = nextOrigin()
        position += 1
        let isElement = peek() == UInt8(ascii: "[")
        if isElement { position += 1 }
        let path = try keys(depth: 0)
        try take("]")
        if isElement { try take("]") }
        var table = root
        for (key, _) in path.dropLast() { table = try descend(into: key, of: table, as: .implied, at: origin) }
        guard let (key, _) = path.last else { throw expected("a key") }
        if isElement { return (try appendElement(to: key, of: table, at: origin), path.count) }
        switch table.members[key] {
        case nil:
            let draft = TableDraft(kind: .header, origin: origin)
            table.members[key] = .table(draft)
            return (draft, path.count)
        case .table(let draft)? where draft.kind == .implied:
            draft.kind = .header
            return (draft, path.count)
        case .some(let other): throw duplicate(key, other, at: origin)
        }
    }

    private mutating func appendElement(
        to key: TOMLKey,
        of table: TableDraft,
        at origin: Origin
    ) throws(Failure) -> TableDraft {
        let element = TableDraft(kind: .header, origin: origin)
        switch table.members[key] {
        case nil: table.members[key] = .tables(TableList(first: element, origin: origin))
        case .tables(let list)?: list.elements.append(element)
        case .some(let other): throw duplicate(key, other, at: origin)
        }
        return element
    }

    /// Returns the table below a key that is not the last one of its path; creates it if it does not exist.
    private func descend(
        into key: TOMLKey,
        of table: TableDraft,
        as kind: TableDraft.Kind,
        at origin: Origin
    ) throws(Failure) -> TableDraft {
        switch table.members[key] {
        case nil:
            let draft = TableDraft(kind: kind, origin: origin)
            table.members[key] = .table(draft)
            return draft
        case .table(let draft)?:
            guard kind == .dotted else { return draft }
            // A dotted key must not extend a table that a header has defined.
            if draft.kind == .header { throw duplicate(key, .table(draft), at: origin) }
            draft.kind = .dotted
            return draft
        case .tables(let list)? where kind == .implied: return list.last
        case .some(let other): throw duplicate(key, other, at: origin)
        }
    }

    /// Parses a member: `a.b = VALUE`.
    private mutating func member(of table: TableDraft, depth: Int) throws(Failure) {
        let path = try keys(depth: depth)
        skipSpaces()
        try take("=")
        skipSpaces()
        var table = table
        for (key, origin) in path.dropLast() { table = try descend(into: key, of: table, as: .dotted, at: origin) }
        guard let (key, origin) = path.last else { throw expected("a key") }
        if let other = table.members[key] { throw duplicate(key, other, at: origin) }
        let value = try value(depth: depth + path.count)
        table.members[key] = .value(Node(value: value, origin: origin))
    }

    private func duplicate(_ key: TOMLKey, _ other: TableDraft.Member, at origin: Origin) -> Failure {
        let before = other.origin.line.map { " in line \($0)" } ?? ""
        return Failure(
            message: "invalid TOML: '\(key.text)' is already defined\(before)",
            line: origin.line ?? line,
            column: origin.column ?? 1
        )
    }

    // MARK: Keys and values

    /// Parses a dotted key, such as `a . "b".'c'`, with the position of each part.
    private mutating func keys(depth: Int) throws(Failure) -> [(TOMLKey, Origin)] {
        var keys: [(TOMLKey, Origin)] = []
        while true {
            skipSpaces()
            let origin = nextOrigin()
            let text = try key()
            guard text.utf8.count <= Self.maxKeyBytes else {
                throw failure(
                    "a key has \(text.utf8.count) bytes; at most \(Self.maxKeyBytes) are accepted",
                    at: origin
                )
            }
            guard ordinal <= Self.maxKeys else {
                throw failure("there are more than \(Self.maxKeys) keys and elements", at: origin)
            }
            keys.append((TOMLKey(text), origin))
            guard depth + keys.count <= Self.maxLevels else { throw tooDeep(at: origin) }
            skipSpaces()
            guard peek() == UInt8(ascii: ".") else { return keys }
            position += 1
        }
    }

    private mutating func key() throws(Failure) -> String {
        switch peek() {
        case UInt8(ascii: "\""): return try basicString()
        case UInt8(ascii: "'"): return try literalString()
        default:
            let start = position
            while let byte = peek(), TOMLKey.isBare(byte) { position += 1 }
            guard position > start else { throw expected("a key") }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
    }

    private mutating func value(depth: Int) throws(Failure) -> Node.Value {
        switch peek() {
        case UInt8(ascii: "\""): .string(try starts(with: "\"\"\"") ? longString(UInt8(ascii: "\"")) : basicString())
        case UInt8(ascii: "'"): .string(try starts(with: "'''") ? longString(UInt8(ascii: "'")) : literalString())
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "{"): try inlineTable(depth: depth + 1)
        default: try scalar()
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> Node.Value {
        guard depth <= Self.maxLevels else { throw tooDeep(at: nextOrigin()) }
        position += 1
        var elements: [Node] = []
        while true {
            try skipBlankLines()
            if peek() == UInt8(ascii: "]") { break }
            let origin = nextOrigin()
            guard ordinal <= Self.maxKeys else {
                throw failure("there are more than \(Self.maxKeys) keys and elements", at: origin)
            }
            elements.append(Node(value: try value(depth: depth), origin: origin))
            try skipBlankLines()
            guard peek() == UInt8(ascii: ",") else { break }
            position += 1
        }
        try take("]")
        return .array(elements)
    }

    private mutating func inlineTable(depth: Int) throws(Failure) -> Node.Value {
        let origin = nextOrigin()
        guard depth <= Self.maxLevels else { throw tooDeep(at: origin) }
        let table = TableDraft(kind: .header, origin: origin)
        position += 1
        skipSpaces()
        while peek() != UInt8(ascii: "}") || !table.members.isEmpty {
            try member(of: table, depth: depth)
            skipSpaces()
            guard peek() == UInt8(ascii: ",") else { break }
            position += 1
            skipSpaces()
        }
        try take("}")
        return table.node.value
    }

    // MARK: Bytes

    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    func starts(with text: StaticString) -> Bool {
        let end = position + text.utf8CodeUnitCount
        return end <= bytes.count && text.withUTF8Buffer { bytes[position..<end].elementsEqual($0) }
    }

    private mutating func take(_ character: Unicode.Scalar) throws(Failure) {
        guard let byte = peek(), UInt32(byte) == character.value else { throw expected("'\(character)'") }
        position += 1
    }

    private mutating func skipSpaces() {
        while let byte = peek(), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { position += 1 }
    }

    private mutating func skipBlankLines() throws(Failure) {
        while true {
            skipSpaces()
            if peek() == UInt8(ascii: "#") { try skipComment() }
            guard peek() != nil, try endOfLine() else { return }
        }
    }

    private mutating func skipComment() throws(Failure) {
        while let byte = peek(), byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "\r"), starts(with: "\r\n") { return }
            guard !Self.isControl(byte) else { throw failure("invalid TOML: a comment contains a control character") }
            position += 1
        }
    }

    /// Consumes a line break, or nothing at the end of the text.
    mutating func endOfLine() throws(Failure) -> Bool {
        if peek() == UInt8(ascii: "\r") {
            guard starts(with: "\r\n") else { throw expected("a line feed after the carriage return") }
            position += 1
        }
        guard let byte = peek() else { return true }
        guard byte == UInt8(ascii: "\n") else { return false }
        position += 1
        (line, column, mark) = (line + 1, 1, position)
        return true
    }

    /// Returns whether a byte is a control character other than a tab, which TOML does not allow in a line.
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F }

    // MARK: Positions and failures

    /// Returns the origin of the key or value at the current position.
    private mutating func nextOrigin() -> Origin {
        ordinal += 1
        while mark < position {
            if bytes[mark] & 0xC0 != 0x80 { column += 1 }
            mark += 1
        }
        return Origin(file: file, order: order, line: line, column: column, ordinal: ordinal)
    }

    /// Returns a failure at the current position.
    mutating func failure(_ message: String) -> Failure { failure(message, at: nextOrigin()) }

    private func failure(_ message: String, at origin: Origin) -> Failure {
        Failure(message: message, line: origin.line ?? line, column: origin.column ?? 1)
    }

    private func tooDeep(at origin: Origin) -> Failure {
        failure("keys are nested more than \(Self.maxLevels) levels deep", at: origin)
    }

    /// Returns a failure at the current position that names the expected and the actual text.
    mutating func expected(_ what: String) -> Failure {
        failure("invalid TOML: expected \(what), got \(found)")
    }

    private var found: String {
        guard let byte = peek() else { return "the end of the file" }
        if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return "the end of the line" }
        let rest = String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self)
        return rest.unicodeScalars.first.map { "'\($0)'" } ?? "nothing"
    }
}
