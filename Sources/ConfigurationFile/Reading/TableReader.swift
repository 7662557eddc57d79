/// Reads one table key by key, and knows afterwards which keys nobody asked for.
struct TableReader {
    /// The table's own key.
    let path: KeyPath
    /// Where the table stands; messages about what is missing name it.
    let origin: Origin
    /// Where everything is noted.
    let notes: Notes

    private let members: [String: Node]
    private var known: [String] = []
    /// The values that differ from their defaults, in one form for all ways to say the same.
    private(set) var changes: [String: String] = [:]

    init(_ members: [String: Node], path: KeyPath, origin: Origin, notes: Notes) {
        self.path = path
        self.origin = origin
        self.notes = notes
        self.members = members
    }

    /// Whether the key is given, right or wrong.
    func has(_ key: String) -> Bool { members[key] != nil }

    /// Where a key stands; the table's place when it is not given.
    func origin(of key: String) -> Origin { members[key]?.origin ?? origin }

    /// Notes an error at a key.
    func report(_ key: String, _ message: String) { notes.error(message, key: path + key, at: origin(of: key)) }

    /// Notes a warning at a key.
    func warn(_ key: String, _ message: String) { notes.warning(message, key: path + key, at: origin(of: key)) }

    /// The value of a key; nil when it is not given or wrong.
    ///
    /// - Parameter unsaid: What somebody else takes for the value of a key that is not given.
    mutating func read<Value>(_ key: String, _ form: Form<Value>, unsaid: Value? = nil) -> Value? {
        guard let (value, node) = take(key, form) else {
            if let unsaid, members[key] == nil { notes.effect(path + key, form.text(unsaid), from: nil) }
            return nil
        }
        let text = form.text(value)
        changes[key] = text
        notes.effect(path + key, text, from: node.origin)
        return value
    }

    /// The value of a key; the default when it is not given or wrong.
    mutating func read<Value>(_ key: String, _ form: Form<Value>, default standard: Value) -> Value {
        guard let (value, node) = take(key, form) else {
            if members[key] == nil { notes.effect(path + key, form.text(standard), from: nil) }
            return standard
        }
        let text = form.text(value)
        if text != form.text(standard) { changes[key] = text }
        notes.effect(path + key, text, from: node.origin)
        return value
    }

    /// The value of a key that is needed.
    mutating func require<Value>(_ key: String, _ form: Form<Value>, such example: String) -> Value? {
        if members[key] == nil { report(key, "is missing; needed is a value such as \(example)") }
        return read(key, form)
    }

    /// The value of a key that may hold secrets, which go into ``changes`` as a digest, and are not shown.
    ///
    /// - Parameters:
    ///   - isDigested: Whether the value goes there as a digest whatever it is.
    ///   - shown: The value as it is shown, in TOML.
    mutating func readGuarded<Value>(
        _ key: String,
        _ form: Form<Value>,
        isDigested: Bool = false,
        shown: (Value) -> String
    ) -> Value? {
        guard let (value, node) = take(key, form) else { return nil }
        let (text, open) = (form.text(value), shown(value))
        changes[key] = isDigested || text != open ? RegularFile.digest(Array(text.utf8)) : text
        notes.effect(path + key, open, from: node.origin)
        return value
    }

    /// A reader of a table below; nil when it is not given or no table.
    mutating func table(_ key: String) -> TableReader? {
        learn(key)
        guard let node = members[key] else { return nil }
        guard case .table(let members) = node.value else {
            report(key, ValueError.wrongKind(of: node, wanted: "a table").message)
            return nil
        }
        return TableReader(members, path: path + key, origin: node.origin, notes: notes)
    }

    /// A reader of a table below, as if it were empty when it is not given or no table.
    mutating func section(_ key: String) -> TableReader {
        table(key) ?? TableReader([:], path: path + key, origin: origin, notes: notes)
    }

    /// The tables below, whatever their keys are, in the order of the text.
    ///
    /// - Parameters:
    ///   - marks: Keys of which each table must have one. Where one is a level too deep, a name has a dot in it.
    ///   - others: The keys of tables that may have anything in them.
    func subtables(marks: [String], others: Set<String> = []) -> [(name: String, reader: TableReader)] {
        members.sorted { Origin.precedes($0.value.origin, $1.value.origin) }.compactMap { name, node in
            guard case .table(let members) = node.value else {
                report(name, ValueError.wrongKind(of: node, wanted: "a table").message)
                return nil
            }
            let reader = TableReader(members, path: path + name, origin: node.origin, notes: notes)
            guard let rest = reader.restOfName(marks: marks, others: others) else { return (name, reader) }
            let table = path + "\(name).\(rest)"
            notes.error("a name with a dot in it needs quotes: [\(table)]", key: reader.path, at: node.origin)
            return nil
        }
    }

    private func restOfName(marks: [String], others: Set<String>) -> String? {
        guard !marks.contains(where: has) else { return nil }
        return keys().first { !others.contains($0) && holds($0, anyOf: marks) }
    }

    /// Whether the value of a key is a table with one of these keys.
    func holds(_ key: String, anyOf marks: [String]) -> Bool {
        guard case .table(let below)? = members[key]?.value else { return false }
        return marks.contains { below[$0] != nil }
    }

    /// The keys of the table that is the value of a key; none where there is no table.
    func keys(in key: String) -> [String] {
        guard case .table(let below)? = members[key]?.value else { return [] }
        return Array(below.keys)
    }

    /// The keys that are given, in the order of the text.
    func keys(latestFilesFirst: Bool = false) -> [String] {
        members.sorted { left, right in
            let (first, second) = (left.value.origin, right.value.origin)
            if latestFilesFirst, first.order != second.order { return first.order > second.order }
            return Origin.precedes(first, second)
        }.map(\.key)
    }

    /// Notes that a key has no meaning here, when it is given; it is not unknown then.
    mutating func refuse(_ key: String, _ message: String) {
        known.append(key)
        if members[key] != nil { report(key, message) }
    }

    /// Adds to ``changes`` what a value stands for: the content of a file.
    mutating func amend(_ key: String, _ text: String) { changes[key, default: ""] += " \(text)" }

    /// Adds to ``changes`` what a table below says.
    mutating func amend(_ key: String, with below: TableReader) {
        if !below.changes.isEmpty { changes[key] = "{\(below.identity())}" }
    }

    /// Everything that differs from its default, sorted by key, as one text.
    func identity(without keys: Set<String> = []) -> String {
        changes.filter { !keys.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    }

    /// Notes every key that nobody asked for.
    func finish() {
        let strangers = members.filter { !known.contains($0.key) }
        for (key, node) in strangers.sorted(by: { Origin.precedes($0.value.origin, $1.value.origin) }) {
            var message = "unknown key"
            if let word = KeySuggestion.nearest(to: key, among: known) {
                message += "; did you mean '\(word)'?"
            }
            notes.error(message, key: path + key, at: node.origin)
        }
    }

    private mutating func learn(_ key: String) {
        known.append(key)
        notes.ask(path + key)
    }

    private mutating func take<Value>(_ key: String, _ form: Form<Value>) -> (Value, Node)? {
        learn(key)
        guard let node = members[key] else { return nil }
        var errors: [ValueError] = []
        let value = form.read(node, &errors)
        for error in errors { notes.error(error.message, key: path + key, at: error.origin ?? node.origin) }
        return value.map { ($0, node) }
    }
}
