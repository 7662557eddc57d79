/// Reads one table by the declarations of its keys.
struct TableReader {
    /// The table's own key.
    let path: TOMLPath
    /// The table's position; messages about missing keys name it.
    let origin: Origin
    let notes: Notes
    /// The keys that the table can have.
    let keys: KeyList

    private let members: [TOMLKey: Node]
    /// Keys with an error that gives the reason that they are not accepted here.
    private var refused: Set<TOMLKey> = []
    /// The values that differ from their defaults; equal values have one text, and secrets a digest.
    private(set) var changes: [String: String] = [:]

    init(_ members: [TOMLKey: Node], keys: KeyList, path: TOMLPath, origin: Origin, notes: Notes) {
        self.path = path
        self.origin = origin
        self.notes = notes
        self.keys = keys
        self.members = members
    }

    /// True when the key is given, right or wrong.
    func has(_ key: String) -> Bool { members[TOMLKey(key)] != nil }

    /// The position of a key; the table's when it is not given.
    func origin(of key: String) -> Origin { members[TOMLKey(key)]?.origin ?? origin }

    /// Notes an error at a key.
    func report(_ key: String, _ message: String) { notes.error(message, key: path + key, at: origin(of: key)) }

    /// Notes a warning at a key.
    func warn(_ key: String, _ message: String) { notes.warning(message, key: path + key, at: origin(of: key)) }

    // MARK: Values

    /// The value of a key; its default when it is not given or not accepted.
    mutating func read<Value>(_ key: Key<Value>) -> Value { read(key, default: key.standard) }

    /// The value of a key.
    ///
    /// - Parameters:
    ///   - standard: The default, where it depends on other keys.
    ///   - format: The accepted values, where they depend on other tables.
    mutating func read<Value>(_ key: Key<Value>, default standard: Value, as format: ValueFormat<Value>? = nil) -> Value
    {
        let (name, format) = (key.facts.name, format ?? key.format)
        guard let node = members[TOMLKey(name)] else {
            if key.facts.isRequired {
                report(name, "is missing; expected a value such as \(key.facts.example ?? "")")
            }
            let text = format.text(key.inEffect ?? standard)
            if !text.isEmpty { notes.effect(path + name, text, from: nil) }
            return standard
        }
        var errors: [ValueError] = []
        let value = format.read(node, &errors)
        for error in errors { notes.error(error.message, key: path + name, at: error.origin ?? node.origin) }
        guard let value else { return standard }
        let text = format.text(value)
        let shown = key.shown.map { $0(value) } ?? text
        if key.isDigested || shown != text {
            changes[name] = RegularFile.digest(Array(text.utf8))
        } else if text != format.text(standard) {
            changes[name] = text
        }
        notes.effect(path + name, shown, from: node.origin)
        return value
    }

    // MARK: Tables

    /// A reader of a table below; nil when it is not given or no table.
    func table(_ key: Subtable) -> TableReader? {
        let name = key.facts.name
        guard let node = members[TOMLKey(name)] else { return nil }
        guard case .table(let members) = node.value else {
            report(name, KeyAdvice.wrongTable(key, of: node, in: self))
            return nil
        }
        return TableReader(members, keys: key.keys, path: path + name, origin: node.origin, notes: notes)
    }

    /// A reader of a section, which is empty when it is not given or no table.
    func section(_ key: Subtable) -> TableReader {
        let path = path + key.facts.name
        return table(key) ?? TableReader([:], keys: key.keys, path: path, origin: origin, notes: notes)
    }

    /// The tables below, whatever their names are, in the order of the text.
    ///
    /// - Parameter marks: Keys of which each table must have one. Where one is a level too deep, a name contains a dot.
    func subtables(marks: [String]) -> [(name: String, reader: TableReader)] {
        members.sorted { Origin.precedes($0.value.origin, $1.value.origin) }.compactMap { name, node in
            guard case .table(let members) = node.value else {
                report(name.text, KeyAdvice.wrongEntry(name.text, of: node, in: self, mark: marks.first))
                return nil
            }
            let path = path + name.text
            let reader = TableReader(members, keys: keys, path: path, origin: node.origin, notes: notes)
            guard let rest = reader.restOfName(marks: marks) else { return (name.text, reader) }
            let table = self.path + "\(name.text).\(rest)"
            notes.error("a name with a dot in it needs quotes: [\(table)]", key: path, at: node.origin)
            return nil
        }
    }

    /// The key that is the rest of the table's name; none that the table can have is one.
    private func restOfName(marks: [String]) -> String? {
        guard !marks.contains(where: has) else { return nil }
        return names().first { !keys.contains(TOMLKey($0)) && holds($0, anyOf: marks) }
    }

    /// True when the value of a key is a table with one of these keys.
    func holds(_ key: String, anyOf marks: [String]) -> Bool {
        guard case .table(let below)? = members[TOMLKey(key)]?.value else { return false }
        return marks.contains { below[TOMLKey($0)] != nil }
    }

    /// The keys of the table that is the value of a key; none where there is no table.
    func names(in key: Subtable) -> [String] {
        guard case .table(let below)? = members[TOMLKey(key.facts.name)]?.value else { return [] }
        return below.keys.map(\.text)
    }

    /// The keys that are given, in the order of the text.
    func names(latestFilesFirst: Bool = false) -> [String] {
        members.sorted { left, right in
            let (first, second) = (left.value.origin, right.value.origin)
            if latestFilesFirst, first.order != second.order { return first.order > second.order }
            return Origin.precedes(first, second)
        }.map(\.key.text)
    }

    // MARK: Keys without a value

    /// Notes an error at a key that has no meaning here, when it is given.
    mutating func refuse(_ key: String, _ message: String) {
        guard has(key), refused.insert(TOMLKey(key)).inserted else { return }
        report(key, message)
    }

    /// Notes an error at each key that does not apply to a kind of probe or hook.
    mutating func refuse(keysWithout scope: KeyScope, _ message: String) {
        for key in keys.names(where: { !$0.scope.contains(scope) }) { refuse(key, message) }
    }

    /// Notes each key that the table cannot have.
    func finish() {
        let strangers = members.filter { !keys.contains($0.key) && !refused.contains($0.key) }
        for (key, node) in strangers.sorted(by: { Origin.precedes($0.value.origin, $1.value.origin) }) {
            // A file of a megabyte has room for a hundred thousand, and comparing each with every key would take long.
            let correction = notes.keepsErrors ? KeyAdvice.correction(of: key.text, in: self) : ""
            notes.error("unknown key\(correction)", key: path + key.text, at: node.origin)
        }
    }

    // MARK: Identity

    /// Adds the content of a file that a value names to ``changes``.
    mutating func amend(_ key: String, _ text: String) { changes[key, default: ""] += " \(text)" }

    /// Adds the values of a table below to ``changes``.
    mutating func amend(_ key: Subtable, with below: TableReader) {
        if !below.changes.isEmpty { changes[key.facts.name] = "{\(below.identity())}" }
    }

    /// All values that differ from their defaults, sorted by key, as one text.
    func identity(without keys: Set<String> = []) -> String {
        changes.filter { !keys.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    }
}
