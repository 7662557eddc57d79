internal import CheckResults
internal import ForeignText
internal import SwiftASN1

/// One name of a subject alternative name or a name constraint (RFC 5280, section 4.2.1.6).
enum GeneralNameForm: Sendable {
    case dns(ForeignText)
    case address([UInt8])
    case email(ForeignText)
    case uri(ForeignText)
    case directory(DistinguishedName)
    /// An unsupported type: its tag, and its encoding.
    case other(UInt, [UInt8])

    /// Decodes a GeneralName; nil when it is invalid, and a directory name also once the budget is exceeded.
    init?(_ node: ASN1Node, within budget: WorkBudget) {
        guard let tag = node.contextTag else { return nil }
        switch tag {
        case 1, 2, 6:
            guard let bytes = node.primitiveBytes else { return nil }
            // The characters are checked on use: a name that is not ASCII matches nothing.
            let text = ForeignText(bytes)
            self = tag == 1 ? .email(text) : tag == 2 ? .dns(text) : .uri(text)
        case 4:
            guard let inner = node.children, inner.count == 1,
                let name = DistinguishedName(inner[0], within: budget)
            else { return nil }
            self = .directory(name)
        case 7:
            guard let bytes = node.primitiveBytes else { return nil }
            self = .address(bytes)
        case 0, 3, 5, 8: self = .other(tag, [UInt8](node.encodedBytes))
        default: return nil
        }
    }

    /// The tag of the type: names are compared only with constraints of the same type.
    var tag: UInt {
        switch self {
        case .email: 1
        case .dns: 2
        case .directory: 4
        case .uri: 6
        case .address: 7
        case .other(let tag, _): tag
        }
    }

    /// The number of bytes that a comparison reads.
    var size: Int {
        switch self {
        case .dns(let text), .email(let text), .uri(let text): text.bytes.count
        case .directory(let name): name.encoded.count
        case .address(let bytes), .other(_, let bytes): bytes.count
        }
    }
}

extension GeneralNameForm: CustomStringConvertible {
    /// The start of the name, prefixed by its type unless it is a host name or address.
    var description: String {
        switch self {
        case .dns(let name): name.shown()
        case .address(let bytes):
            bytes.count == 4 || bytes.count == 16 ? IPAddressText.text(of: bytes) : bytes.shownHexadecimal()
        case .email(let address): "email:" + address.shown()
        case .uri(let text): "URI:" + text.shown()
        case .directory(let name): "directory:" + name.shown(limit: ForeignText.shownLimit)
        case .other(0, let bytes): "otherName:" + bytes.shownHexadecimal()
        case .other(8, let bytes): "registeredID:" + bytes.shownHexadecimal()
        case .other(let tag, let bytes): "name[\(tag)]:" + bytes.shownHexadecimal()
        }
    }
}
