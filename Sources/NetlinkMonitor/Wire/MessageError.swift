/// The reason bytes are not a valid netlink message.
///
/// Such bytes are never used in part: the message counts as lost, and its subject is read again.
public enum MessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rest of the datagram is shorter than a message header.
    case shortHeader(bytes: Int)
    /// The length in a message header is smaller than the header or larger than the datagram.
    case badLength(type: UInt16, length: UInt32, available: Int)
    /// The fixed part of a message is truncated.
    case shortBody(type: UInt16, bytes: Int)
    /// An attribute's length is smaller than its header or larger than the rest.
    case badAttributeLength(type: UInt16, offset: Int)
    /// An attribute's value has a size or content that its type does not allow.
    case badAttributeValue(type: UInt16, attribute: Int)

    /// A sentence with the place.
    public var description: String {
        switch self {
        case .shortHeader(let bytes): "\(bytes) bytes are too few for a netlink message header"
        case .badLength(let type, let length, let available):
            "message of type \(type) claims \(length) bytes where \(available) are left"
        case .shortBody(let type, let bytes): "message of type \(type) has only \(bytes) bytes of body"
        case .badAttributeLength(let type, let offset):
            "message of type \(type) has a broken attribute at byte \(offset) of its attributes"
        case .badAttributeValue(let type, let attribute):
            "message of type \(type) has a bad value in attribute \(attribute)"
        }
    }
}
