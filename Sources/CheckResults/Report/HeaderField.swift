internal import ForeignText

/// One field of an HTTP header.
public struct HeaderField: Sendable, Hashable {
    /// The field's name, which is case-insensitive.
    public let name: String
    /// The field's value without surrounding space.
    public let value: String

    /// Creates a field without checking it; the serializer of requests does.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Returns whether the field has a name, compared by bytes and ignoring the case of ASCII letters.
    public func isNamed(_ wanted: String) -> Bool {
        name.utf8.count == wanted.utf8.count
            && zip(name.utf8, wanted.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// `true` if the value is a credential, which no log, event or terminal may show.
    public var isSecret: Bool {
        SecretName.isSecret(name)
    }
}
