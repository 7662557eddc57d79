/// Who the server is asked to be: what its certificate must be for.
public enum ServerIdentity: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name in ASCII form (A-labels), without a trailing dot.
    case name(String)
    /// An IP address in network byte order: 4 or 16 bytes.
    case address([UInt8])

    /// The text that operators read.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(let bytes): IPAddressText.text(of: bytes)
        }
    }
}
