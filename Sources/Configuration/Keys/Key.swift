/// The kinds of probe, hook and sink to which a key applies; for any other kind the key is an error.
struct KeyScope: OptionSet, Sendable {
    let rawValue: Int

    /// A probe with an `https://` or `http://` target.
    static let web = KeyScope(rawValue: 1)
    /// A probe that detects captive portals.
    static let portal = KeyScope(rawValue: 2)
    /// Probes with the other kinds of target.
    static let tcp = KeyScope(rawValue: 4)
    static let icmp = KeyScope(rawValue: 8)
    static let dns = KeyScope(rawValue: 16)
    /// A hook with a `command`.
    static let program = KeyScope(rawValue: 32)
    /// A hook with a `url`.
    static let webhook = KeyScope(rawValue: 64)
    /// A sink with a NATS broker.
    static let nats = KeyScope(rawValue: 128)
    /// A sink with an MQTT broker.
    static let mqtt = KeyScope(rawValue: 256)

    /// A probe with an `https://` or `http://` target and a transfer in place of its single request.
    static let transfer = KeyScope(rawValue: 512)

    /// All probes and hooks that send a request.
    static let requests: KeyScope = [.web, .portal, .transfer, .webhook]
    static let all: KeyScope = [.requests, .tcp, .icmp, .dns, .program, .nats, .mqtt]
}

/// The effect of a changed value on a reload.
enum ReloadEffect: Sendable {
    /// The change applies immediately.
    case applies
    /// The probe restarts as a different check.
    case restartsCheck
    /// The change applies on the next start of the agent.
    case needsRestart
}

/// The properties of a key that do not depend on the type of its value.
struct KeyFacts: Sendable {
    let name: String
    /// The type in the reference.
    let kind: String
    /// The default in Markdown.
    let standard: String
    /// The meaning, in Markdown.
    let sentence: String
    /// A value in TOML, for keys whose default is not an example.
    let example: String?
    let isRequired: Bool
    let scope: KeyScope
    let reload: ReloadEffect
}

/// A key of the configuration, declared once.
///
/// The reader, hints, effective values, the hiding of secrets, the reference and the manual page are derived from it.
protocol KeyDeclaration: Sendable {
    var facts: KeyFacts { get }
    /// Returns the errors from reading a value.
    func errors(in node: Node) -> [ValueError]
}

/// The declaration of a key with a value of one type.
struct Key<Value: Sendable>: KeyDeclaration {
    let facts: KeyFacts
    let format: ValueFormat<Value>
    /// The value if the key is missing or its value is not accepted.
    let standard: Value
    /// The value in effect without the key, if the settings do not determine it.
    let inEffect: Value?
    /// The displayed form of a value that may contain secrets; `nil` for all other keys.
    let shown: (@Sendable (Value) -> String)?
    /// True if values are compared by a digest, even if all of them may be shown.
    let isDigested: Bool

    /// Creates a key with a default.
    ///
    /// - Parameters:
    ///   - name: The name in the file.
    ///   - format: The accepted values.
    ///   - standard: The default.
    ///   - inEffect: The value in effect without the key, if it differs from the default.
    ///   - says: The default in words, in Markdown, if the value does not show it.
    ///   - example: A value in TOML.
    ///   - scope: The probes, hooks and sinks to which the key applies.
    ///   - reload: The effect of a change on a reload.
    ///   - sentence: The meaning, in Markdown.
    init(
        _ name: String,
        _ format: ValueFormat<Value>,
        default standard: Value,
        inEffect: Value? = nil,
        says: String? = nil,
        example: String? = nil,
        for scope: KeyScope = .all,
        reload: ReloadEffect = .restartsCheck,
        _ sentence: String
    ) {
        let text = format.text(inEffect ?? standard)
        facts = KeyFacts(
            name: name,
            kind: format.kind,
            standard: says ?? (text.isEmpty ? "none" : "`\(text)`"),
            sentence: sentence,
            example: example,
            isRequired: false,
            scope: scope,
            reload: reload
        )
        self.format = format
        self.standard = standard
        self.inEffect = inEffect
        shown = nil
        isDigested = false
    }

    /// Creates a key without a default.
    init<Wrapped>(
        _ name: String,
        optional format: ValueFormat<Wrapped>,
        says: String? = nil,
        example: String? = nil,
        for scope: KeyScope = .all,
        reload: ReloadEffect = .restartsCheck,
        _ sentence: String
    ) where Value == Wrapped? {
        self.init(
            name,
            format.optional,
            default: nil,
            says: says,
            example: example,
            for: scope,
            reload: reload,
            sentence
        )
    }

    /// Creates a required key.
    init<Wrapped>(
        _ name: String,
        required format: ValueFormat<Wrapped>,
        example: String,
        for scope: KeyScope = .all,
        _ sentence: String
    ) where Value == Wrapped? {
        facts = KeyFacts(
            name: name,
            kind: format.kind,
            standard: "required",
            sentence: sentence,
            example: example,
            isRequired: true,
            scope: scope,
            reload: .restartsCheck
        )
        self.format = format.optional
        standard = nil
        inEffect = nil
        shown = nil
        isDigested = false
    }

    private init(_ key: Key, isDigested: Bool, shown: @escaping @Sendable (Value) -> String) {
        facts = key.facts
        format = key.format
        standard = key.standard
        inEffect = key.inEffect
        self.shown = shown
        self.isDigested = isDigested
    }

    /// Returns the key for values that may contain secrets, with their displayed form in TOML.
    func hiding<Wrapped>(
        isDigested: Bool = false,
        _ shown: @escaping @Sendable (Wrapped) -> String
    ) -> Key where Value == Wrapped? {
        Key(self, isDigested: isDigested) { $0.map(shown) ?? "" }
    }

    func errors(in node: Node) -> [ValueError] {
        var errors: [ValueError] = []
        _ = format.read(node, &errors)
        return errors
    }
}

/// The declaration of a key whose value is a table with keys of its own.
struct Subtable: KeyDeclaration {
    let facts: KeyFacts
    /// The keys of the table.
    let keys: KeyList

    init(
        _ name: String,
        _ keys: KeyList,
        example: String? = nil,
        for scope: KeyScope = .all,
        reload: ReloadEffect = .restartsCheck,
        _ sentence: String = ""
    ) {
        self.keys = keys
        facts = KeyFacts(
            name: name,
            kind: "table",
            standard: "none",
            sentence: sentence,
            example: example,
            isRequired: false,
            scope: scope,
            reload: reload
        )
    }

    func errors(in node: Node) -> [ValueError] {
        guard case .table(let members) = node.value else { return [.wrongKind(of: node, wanted: "a table")] }
        return members.flatMap { key, node in
            keys.declarations.first { $0.facts.name == key.text }?.errors(in: node)
                ?? [ValueError(message: "unknown key '\(key.text)'")]
        }
    }
}

/// The keys that one table of the configuration can contain, in the order of the reference.
struct KeyList: Sendable {
    let declarations: [any KeyDeclaration]
    /// The names, for hints.
    let names: [String]
    private let known: Set<TOMLKey>

    init(_ declarations: [any KeyDeclaration]) {
        self.declarations = declarations
        names = declarations.map(\.facts.name)
        known = Set(names.map { TOMLKey($0) })
    }

    /// Creates the list of the keys that a table declares as its stored properties, so that no second list is needed.
    init(of table: some KeyTable) {
        self.init(Mirror(reflecting: table).children.compactMap { $0.value as? any KeyDeclaration })
    }

    static func + (one: KeyList, other: KeyList) -> KeyList { KeyList(one.declarations + other.declarations) }

    func contains(_ key: TOMLKey) -> Bool { known.contains(key) }

    /// Returns the names of the keys that meet a condition.
    func names(where condition: (KeyFacts) -> Bool) -> [String] {
        declarations.map(\.facts).filter(condition).map(\.name)
    }
}

/// A type whose stored properties are the keys of a table.
protocol KeyTable: Sendable {
    /// The only instance.
    static var keys: Self { get }
    /// All keys of the table.
    static var all: KeyList { get }
}
