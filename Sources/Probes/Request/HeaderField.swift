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
}
