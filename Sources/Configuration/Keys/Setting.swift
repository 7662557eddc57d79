/// A key whose value is one property of the settings.
protocol SettingDeclaration: KeyDeclaration {
    /// Reads the key's value into the settings.
    func read(from table: inout TableReader, into settings: inout Settings)
    /// True if two settings differ in the property.
    func differs(_ one: Settings, _ other: Settings) -> Bool
}

/// The declaration of a key with the property that it sets; the initial value of the property is the default.
struct Setting<Value: Sendable & Equatable>: SettingDeclaration {
    let key: Key<Value>
    private let path: any WritableKeyPath<Settings, Value> & Sendable

    var facts: KeyFacts { key.facts }

    /// Creates a key of a property.
    ///
    /// - Parameter inEffect: The value in effect without the key, if it differs from that of the property.
    init(
        _ name: String,
        _ path: any WritableKeyPath<Settings, Value> & Sendable,
        _ format: ValueFormat<Value>,
        inEffect: Value? = nil,
        says: String? = nil,
        example: String? = nil,
        reload: ReloadEffect = .applies,
        _ sentence: String
    ) {
        let standard = Settings()[keyPath: path]
        key = Key(
            name,
            format,
            default: standard,
            inEffect: inEffect,
            says: says,
            example: example,
            reload: reload,
            sentence
        )
        self.path = path
    }

    /// Creates a key of a property that is `nil` without the key: the command line or the system then decides.
    init<Wrapped>(
        _ name: String,
        unset path: any WritableKeyPath<Settings, Wrapped?> & Sendable,
        _ format: ValueFormat<Wrapped>,
        inEffect: Wrapped? = nil,
        says: String? = nil,
        example: String? = nil,
        reload: ReloadEffect = .applies,
        _ sentence: String
    ) where Value == Wrapped? {
        self.init(
            name,
            path,
            format.optional,
            inEffect: inEffect.map { $0 },
            says: says,
            example: example,
            reload: reload,
            sentence
        )
    }

    func read(from table: inout TableReader, into settings: inout Settings) {
        settings[keyPath: path] = table.read(key)
    }

    func differs(_ one: Settings, _ other: Settings) -> Bool { one[keyPath: path] != other[keyPath: path] }

    func errors(in node: Node) -> [ValueError] { key.errors(in: node) }
}
