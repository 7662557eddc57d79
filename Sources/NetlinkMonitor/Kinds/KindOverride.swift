internal import Glibc

/// The operator's override of the kind of interfaces that match a name pattern: `usb*=wwan`.
public struct KindOverride: Sendable, Hashable, CustomStringConvertible {
    /// A shell pattern for the interface's name or an alternative one (fnmatch(3)): `*`, `?` and `[…]`.
    public let pattern: String
    /// The kind of matching interfaces.
    public let kind: InterfaceKind

    /// Creates an override.
    public init(pattern: String, kind: InterfaceKind) {
        self.pattern = pattern
        self.kind = kind
    }

    /// Parses an override in the form `PATTERN=KIND`.
    ///
    /// - Throws: ``ParseError``, which names the error and the accepted values.
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

    func matches(_ link: Link) -> Bool { link.hasName(where: NamePattern(pattern).matches) }

    /// The reason a string is not a valid override.
    public enum ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The `=` is missing.
        case missingSeparator(String)
        /// The pattern before the `=` is empty.
        case emptyPattern(String)
        /// The pattern has more than 64 bytes.
        case patternTooLong(String)
        /// The kind is not one of ``InterfaceKind``.
        case unknownKind(String)

        /// The error message for the operator.
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

/// A shell pattern for interface names (fnmatch(3)): `*`, `?` and `[…]`.
package struct NamePattern: Sendable, Hashable {
    private let pattern: String

    package init(_ pattern: String) { self.pattern = pattern }

    /// Returns whether the whole name matches.
    package func matches(_ name: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
}
