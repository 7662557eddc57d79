/// The operator's word on the kind of the interfaces that a name pattern fits: `usb*=wwan`.
public struct KindOverride: Sendable, Hashable, CustomStringConvertible {
    /// A shell pattern for the interface's name (fnmatch(3)): `*`, `?` and `[…]`.
    public let pattern: String
    /// The kind that such interfaces have.
    public let kind: InterfaceKind

    /// An override.
    public init(pattern: String, kind: InterfaceKind) {
        self.pattern = pattern
        self.kind = kind
    }

    /// An override from its textual form `PATTERN=KIND`.
    ///
    /// - Throws: ``ParseError`` that names what is wrong and what is accepted.
    public init(parsing text: String) throws(ParseError) {
        guard let separator = text.lastIndex(of: "=") else { throw .missingSeparator(text) }
        let pattern = String(text[..<separator])
        let name = String(text[text.index(after: separator)...])
        guard !pattern.isEmpty else { throw .emptyPattern(text) }
        guard pattern.utf8.count <= 64 else { throw .patternTooLong(text) }
        guard let kind = InterfaceKind(rawValue: name) else { throw .unknownKind(name) }
        self.init(pattern: pattern, kind: kind)
    }

    /// `PATTERN=KIND`.
    public var description: String { "\(pattern)=\(kind.rawValue)" }

    func matches(_ name: String) -> Bool { NamePattern(pattern).matches(name) }

    /// Why a text is no override.
    public enum ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        /// There is no `=`.
        case missingSeparator(String)
        /// Nothing stands before the `=`.
        case emptyPattern(String)
        /// The pattern has more than 64 bytes; interface names have at most 15.
        case patternTooLong(String)
        /// The kind is not one of ``InterfaceKind``.
        case unknownKind(String)

        /// A sentence for the operator.
        public var description: String {
            let kinds = InterfaceKind.allCases.map(\.rawValue).joined(separator: ", ")
            return switch self {
            case .missingSeparator(let text): "'\(text)' is not of the form PATTERN=KIND, such as 'usb*=wwan'"
            case .emptyPattern(let text): "'\(text)' has no name pattern before '='; write for example 'usb*=wwan'"
            case .patternTooLong(let text): "the name pattern of '\(text.prefix(32))…' is longer than 64 bytes"
            case .unknownKind(let kind): "unknown interface kind '\(kind)'; accepted are \(kinds)"
            }
        }
    }
}
