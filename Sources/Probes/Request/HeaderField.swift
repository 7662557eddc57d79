/// One field of an HTTP header.
public struct HeaderField: Sendable, Hashable {
    /// The field's name; names are compared without case.
    public let name: String
    /// The field's value without surrounding space.
    public let value: String

    /// Creates a field as it is; request building checks what goes out.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the field has a name, compared by bytes and without the case of ASCII letters.
    public func isNamed(_ wanted: String) -> Bool {
        let folded = { (byte: UInt8) in (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return name.utf8.count == wanted.utf8.count
            && zip(name.utf8, wanted.utf8).allSatisfy { folded($0) == folded($1) }
    }

    /// Whether the value is a credential, which no log, event or terminal shows.
    public var isSecret: Bool {
        SecretName.isSecret(name)
    }
}
