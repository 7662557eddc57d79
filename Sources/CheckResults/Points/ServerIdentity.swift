internal import ForeignText

/// The expected identity of a server, for which its certificate must be valid.
public enum ServerIdentity: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name in ASCII form (A-labels), without a trailing dot.
    case name(String)
    /// An IP address in network byte order: 4 or 16 bytes.
    case address([UInt8])

    /// Compares bytes: the name of a redirect is hostile input.
    public static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.name(let one), .name(let other)): one.utf8.elementsEqual(other.utf8)
        case (.address(let one), .address(let other)): one == other
        default: false
        }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .name(let name): hasher.combine(ForeignText(name))
        case .address(let bytes): hasher.combine(bytes)
        }
    }

    /// The name or address for operators.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(let bytes): IPAddressText.text(of: bytes)
        }
    }
}
