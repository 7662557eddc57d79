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

    /// Whether the value is a credential, which no log, event or terminal shows.
    public var isSecret: Bool {
        ["authorization", "proxy-authorization", "cookie", "set-cookie"].contains(name.lowercased())
    }
}
