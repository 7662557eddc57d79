/// Reads one table by the declarations of its keys.
struct TableReader {
    /// The table's own key.
    let path: TOMLPath
    /// The position of the table, used in messages about missing keys.
    let origin: Origin
    let notes: Notes
    /// The keys that the table can contain.
    let keys: KeyList

    private let members: [TOMLKey: Node]
    /// The keys that were rejected, each with an error that gives the reason.
    private var refused: Set<TOMLKey> = []
    /// The keys whose values were not accepted: their defaults say nothing about what is meant.
    private var invalid: Set<String> = []
    /// The values that differ from their defaults; equal values have equal text, and secrets are replaced by a digest.
    private(set) var changes: [String: String] = [:]

    init(_ members: [TOMLKey: Node], keys: KeyList, path: TOMLPath, origin: Origin, notes: Notes) {
        self.path = path
        self.origin = origin
        self.notes = notes
        self.keys = keys
        self.members = members
    }

    /// Returns whether the key is present, with a valid or an invalid value.
    func has(_ key: String) -> Bool { members[TOMLKey(key)] != nil }

    /// Returns whether a value of the key was read and not accepted.
    func isInvalid(_ key: String) -> Bool { invalid.contains(key) }

    /// Returns the position of a key, or that of the table if the key is missing.
    func origin(of key: String) -> Origin { members[TOMLKey(key)]?.origin ?? origin }

    /// Reports an error at a key.
    func report(_ key: String, _ message: String) { notes.error(message, key: path + key, at: origin(of: key)) }

    /// Reports a warning at a key.
    func warn(_ key: String, _ message: String) { notes.warning(message, key: path + key, at: origin(of: key)) }

    // MARK: Values

    /// Reads the value of a key; returns its default if the key is missing or its value is not accepted.
    mutating func read<Value>(_ key: Key<Value>) -> Value { read(key, default: key.standard) }

    /// Reads the value of a key.
    ///
    /// - Parameters:
    ///   - standard: The default, if it depends on other keys.
    ///   - format: The accepted values, if they depend on other tables.
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
        guard let value else {
            invalid.insert(name)
            return standard
        }
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

    /// Returns a reader of a table below; `nil` if the key is missing or its value is not a table.
    func table(_ key: Subtable) -> TableReader? {
        let name = key.facts.name
        guard let node = members[TOMLKey(name)] else { return nil }
        guard case .table(let members) = node.value else {
            report(name, KeyAdvice.wrongTable(key, of: node, in: self))
            return nil
        }
        return TableReader(members, keys: key.keys, path: path + name, origin: node.origin, notes: notes)
    }

    /// Returns a reader of a section, which is empty if the key is missing or its value is not a table.
    func section(_ key: Subtable) -> TableReader {
        let path = path + key.facts.name
        return table(key) ?? TableReader([:], keys: key.keys, path: path, origin: origin, notes: notes)
    }

    /// Returns the tables below, regardless of their names, in the order of the text.
    ///
    /// - Parameter marks: Keys of which each table must have one. If one is a level too deep, the name contains a dot.
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

    /// Returns the key that is the rest of a table name with a dot; never a key that the table can contain.
    private func restOfName(marks: [String]) -> String? {
        guard !marks.contains(where: has) else { return nil }
        return names().first { !keys.contains(TOMLKey($0)) && holds($0, anyOf: marks) }
    }

    /// Returns whether the value of a key is a table with one of these keys.
    func holds(_ key: String, anyOf marks: [String]) -> Bool {
        guard case .table(let below)? = members[TOMLKey(key)]?.value else { return false }
        return marks.contains { below[TOMLKey($0)] != nil }
    }

    /// Returns the keys of the table that is the value of a key; empty if there is no such table.
    func names(in key: Subtable) -> [String] {
        guard case .table(let below)? = members[TOMLKey(key.facts.name)]?.value else { return [] }
        return below.keys.map(\.text)
    }

    /// Returns the keys that are present, in the order of the text.
    func names(latestFilesFirst: Bool = false) -> [String] {
        members.sorted { left, right in
            let (first, second) = (left.value.origin, right.value.origin)
            if latestFilesFirst, first.order != second.order { return first.order > second.order }
            return Origin.precedes(first, second)
        }.map(\.key.text)
    }

    // MARK: Keys without a value

    /// Reports an error at a key that has no meaning here, if it is present.
    mutating func refuse(_ key: String, _ message: String) {
        guard has(key), refused.insert(TOMLKey(key)).inserted else { return }
        report(key, message)
    }

    /// Reports an error at each present key that does not apply to a kind of probe, hook or sink.
    mutating func refuse(keysWithout scope: KeyScope, _ message: String) {
        for key in keys.names(where: { !$0.scope.contains(scope) }) { refuse(key, message) }
    }

    /// Reports each key that the table cannot contain.
    func finish() {
        let strangers = members.filter { !keys.contains($0.key) && !refused.contains($0.key) }
        for (key, node) in strangers.sorted(by: { Origin.precedes($0.value.origin, $1.value.origin) }) {
            // A file of a megabyte can contain a hundred thousand keys, and comparing each with every known key would
            // take long.
            let correction = notes.keepsErrors ? KeyAdvice.correction(of: key.text, in: self) : ""
            notes.error("unknown key\(correction)", key: path + key.text, at: node.origin)
        }
    }

    // MARK: Identity

    /// Adds the content of a file named by a value to ``changes``.
    mutating func amend(_ key: String, _ text: String) { changes[key, default: ""] += " \(text)" }

    /// Records the value in effect of a key in ``changes`` if it differs from the default that depends on no other key.
    mutating func amend<Value>(_ key: Key<Value>, inEffect value: Value, default standard: Value) {
        let text = key.format.text(value)
        changes[key.facts.name] = text == key.format.text(standard) ? nil : text
    }

    /// Adds the values of a table below to ``changes``.
    mutating func amend(_ key: Subtable, with below: TableReader) {
        if !below.changes.isEmpty { changes[key.facts.name] = "{\(below.identity())}" }
    }

    /// Returns all values that differ from their defaults, sorted by key, as one string.
    func identity(without keys: Set<String> = []) -> String {
        changes.filter { !keys.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    }
}
