internal import ForeignText
import Glibc

/// An IPv4 or IPv6 address of a name.
public struct HostAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address families.
    public enum Family: String, Sendable, Hashable, CaseIterable {
        /// IPv6, looked up by an AAAA query.
        case ipv6
        /// IPv4, looked up by an A query.
        case ipv4
    }

    /// The address in network byte order, 4 or 16 bytes.
    public let bytes: [UInt8]
    /// The index of the interface of a link-local IPv6 address; 0 for none.
    public let scope: UInt32

    /// Creates an address; nil unless there are 4 or 16 bytes.
    public init?(bytes: [UInt8], scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.scope = scope
    }

    /// The address family.
    public var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

    /// The address in text form, without the scope.
    public var description: String { IPAddressText.text(of: bytes) }

    /// Parses an address, or an address and a port: `192.0.2.7`, `192.0.2.7:443`, `[2001:db8::7]:443`; nil for anything
    /// else.
    package init?(endpoint text: String) {
        let host =
            text.hasPrefix("[")
            ? text.dropFirst().prefix { $0 != "]" }
            : IPAddressText.bytes(of: text) == nil ? text.prefix { $0 != ":" } : text[...]
        guard let bytes = IPAddressText.bytes(of: String(host)) else { return nil }
        self.init(bytes: bytes)
    }

    /// `true` for a loopback address and for the unspecified one, to which Linux connects as to the loopback.
    package var isThisMachine: Bool {
        guard bytes.count == 16 else { return bytes[0] == 127 || bytes.allSatisfy { $0 == 0 } }
        if isIPv4Mapped { return bytes[12] == 127 || bytes.suffix(4).allSatisfy { $0 == 0 } }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
    }

    /// `true` for the IPv6 form of an IPv4 address; see ``IPAddressText/unmapped(_:)``.
    package var isIPv4Mapped: Bool { IPAddressText.unmapped(bytes).count < bytes.count }

    /// Returns the address and a port, IPv6 in brackets.
    package func description(port: UInt16) -> String {
        family == .ipv4 ? "\(self):\(port)" : "[\(self)]:\(port)"
    }
}

/// The expected identity of a server, for which its certificate must be valid.
public enum ServerIdentity: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name in ASCII form (A-labels).
    ///
    /// A trailing dot excludes the search domains (resolv.conf(5)); certificates do not have it, and an evaluation
    /// ignores it.
    case name(String)
    /// An IP address in network byte order: 4 or 16 bytes.
    case address([UInt8])

    /// Creates the identity of a host from text, such as the host of a URL: an address, IPv6 also in brackets, or else a
    /// name.
    ///
    /// Certificates have addresses apart from names, so an address as a ``name(_:)`` matches none of them. The name is
    /// not validated: one that is not in ASCII form matches none either.
    public init(host: String) {
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let text = isBracketed ? String(Substring(host.utf8.dropFirst().dropLast())) : host
        if let bytes = IPAddressText.bytes(of: text), bytes.count == 16 || !isBracketed {
            self = .address(IPAddressText.unmapped(bytes))
        } else {
            self = .name(host)
        }
    }

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

    /// The identity without the trailing dot of a name, as in certificates and in the server name of TLS (RFC 6066,
    /// section 3).
    public var withoutTrailingDot: ServerIdentity {
        guard case .name(let name) = self, name.utf8.last == UInt8(ascii: ".") else { return self }
        return .name(String(decoding: name.utf8.dropLast(), as: UTF8.self))
    }

    /// The name or address for operators.
    public var description: String {
        switch self {
        case .name(let name): name
        case .address(let bytes): IPAddressText.text(of: bytes)
        }
    }
}

/// IP addresses as text, by inet_ntop(3) and inet_pton(3).
package enum IPAddressText {
    /// Returns the text of 4 or 16 bytes in network byte order; other lengths are shown as hexadecimal digits.
    package static func text(of bytes: [UInt8]) -> String {
        let family: CInt
        switch bytes.count {
        case 4: family = AF_INET
        case 16: family = AF_INET6
        default: return bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Parses an address in text form; nil for anything else, including one with a zone (`%eth0`).
    package static func bytes(of text: String) -> [UInt8]? {
        // A zero byte would end the string for inet_pton(3), which would ignore everything after it.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        if inet_pton(AF_INET6, text, &bytes) == 1 { return bytes }
        return nil
    }

    /// Returns the IPv4 address in an IPv4-mapped one (`::ffff:192.0.2.1`), to which Linux connects by IPv4 (RFC 4291,
    /// section 2.5.5.2), and any other bytes unchanged.
    package static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count == 16, bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff else {
            return bytes
        }
        return Array(bytes.suffix(4))
    }
}
