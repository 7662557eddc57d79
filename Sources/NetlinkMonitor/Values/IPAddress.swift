internal import Glibc

/// An IPv4 or IPv6 address, without a zone.
///
/// Two addresses are equal when family and bits are; an IPv4-mapped IPv6 address is an IPv6 address.
public struct IPAddress: Sendable, Hashable, LosslessStringConvertible {
    /// The address family.
    public let family: AddressFamily
    /// The upper 64 bits of an IPv6 address in host order; 0 for IPv4.
    let high: UInt64
    /// The lower 64 bits of an IPv6 address in host order, or the 32 bits of an IPv4 address.
    let low: UInt64

    private init(family: AddressFamily, high: UInt64, low: UInt64) {
        self.family = family
        self.high = high
        self.low = low
    }

    /// Creates an address from its bytes in network order.
    ///
    /// - Returns: `nil` unless there are exactly 4 (IPv4) or 16 (IPv6) bytes.
    public init?(networkBytes bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4:
            self.init(family: .ipv4, high: 0, low: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        case 16:
            self.init(
                family: .ipv6,
                high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
            )
        default:
            return nil
        }
    }

    /// Parses the text form: dotted quad (RFC 6943 strict form) or RFC 4291.
    ///
    /// - Returns: `nil` for anything else: a zone, a prefix length, a host name, surrounding space.
    public init?(_ description: String) {
        // A zero byte would end the string for inet_pton(3), which would ignore everything after it.
        guard description.utf8.count <= 45, !description.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, description, &bytes) == 1 {
            self.init(networkBytes: bytes.prefix(4))
        } else if inet_pton(AF_INET6, description, &bytes) == 1 {
            self.init(networkBytes: bytes)
        } else {
            return nil
        }
    }

    /// The bytes in network order: 4 or 16.
    public var networkBytes: [UInt8] {
        switch family {
        case .ipv4: (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
        case .ipv6:
            (0..<16).map { UInt8(truncatingIfNeeded: $0 < 8 ? high >> (56 - 8 * $0) : low >> (120 - 8 * $0)) }
        }
    }

    /// The IPv4 address in an IPv4-mapped one (`::ffff:192.0.2.1`), to which Linux connects by IPv4 (RFC 4291, section
    /// 2.5.5.2); any other address itself.
    public var unmapped: IPAddress {
        guard family == .ipv6, high == 0, low >> 32 == 0xFFFF else { return self }
        return IPAddress(family: .ipv4, high: 0, low: low & 0xFFFF_FFFF)
    }

    /// The canonical text: dotted quad, or RFC 5952 as in glibc.
    public var description: String {
        if family == .ipv4 { return dottedQuad }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, networkBytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return text.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// The dotted quad, built without interpolation.
    ///
    /// Each event has a dozen addresses, and interpolating them takes longer than the rest of its line.
    private var dottedQuad: String {
        String(unsafeUninitializedCapacity: 15) { text in
            var count = 0
            func put(_ character: UInt8) {
                text[count] = character
                count += 1
            }
            for shift in [24, 16, 8, 0] {
                let number = UInt8(truncatingIfNeeded: low >> shift)
                if number >= 100 { put(UInt8(ascii: "0") + number / 100) }
                if number >= 10 { put(UInt8(ascii: "0") + number / 10 % 10) }
                put(UInt8(ascii: "0") + number % 10)
                if shift > 0 { put(UInt8(ascii: ".")) }
            }
            return count
        }
    }

    /// `true` if all bits are zero: `0.0.0.0` or `::`.
    public var isUnspecified: Bool { high == 0 && low == 0 }

    /// `true` for 127.0.0.0/8 (RFC 1122) or `::1` (RFC 4291).
    public var isLoopback: Bool {
        family == .ipv4 ? low >> 24 == 127 : high == 0 && low == 1
    }

    /// `true` for 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291).
    public var isLinkLocal: Bool {
        family == .ipv4 ? low >> 16 == 0xA9FE : high >> 54 == 0x3FA
    }

    /// `true` for 2000::/3, the range assigned to the Internet (RFC 4291); never in IPv4, where such addresses cannot
    /// be distinguished from private ones.
    public var isGlobalUnicast: Bool { family == .ipv6 && high >> 61 == 1 }

    /// `true` for 224.0.0.0/4 or ff00::/8.
    public var isMulticast: Bool {
        family == .ipv4 ? low >> 28 == 0xE : high >> 56 == 0xFF
    }

    /// `true` for 255.255.255.255 (RFC 919).
    package var isLimitedBroadcast: Bool { family == .ipv4 && low == 0xFFFF_FFFF }

    /// Returns the unspecified address of a family, which begins every default route.
    public static func unspecified(_ family: AddressFamily) -> IPAddress {
        IPAddress(family: family, high: 0, low: 0)
    }

    /// Returns the loopback's own address of a family: 127.0.0.1 or `::1`.
    static func loopback(_ family: AddressFamily) -> IPAddress {
        IPAddress(family: family, high: 0, low: family == .ipv4 ? 0x7F00_0001 : 1)
    }

    /// The 32-bit words in network order, each in host order: 1 or 4.
    var words: [UInt32] {
        switch family {
        case .ipv4: [UInt32(truncatingIfNeeded: low)]
        case .ipv6:
            [high >> 32, high, low >> 32, low].map { UInt32(truncatingIfNeeded: $0) }
        }
    }
}

/// A network prefix: an address and the number of its significant bits.
public struct IPPrefix: Sendable, Hashable, CustomStringConvertible {
    /// The address; bits after `length` are unmodified.
    public let address: IPAddress
    /// The number of significant leading bits: 0 to 32 or 128.
    public let length: Int

    /// Creates a prefix; `nil` if the length is not valid for the family.
    public init?(address: IPAddress, length: Int) {
        guard (0...address.family.bitWidth).contains(length) else { return nil }
        self.address = address
        self.length = length
    }

    private init(default family: AddressFamily) {
        address = .unspecified(family)
        length = 0
    }

    /// Returns the whole family: `0.0.0.0/0` or `::/0`.
    public static func everything(_ family: AddressFamily) -> IPPrefix { IPPrefix(default: family) }

    /// `true` if the prefix covers every address of its family.
    public var isDefault: Bool { length == 0 }

    /// Returns whether the prefix covers an address, which must be of the same family.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.family == address.family else { return false }
        guard address.family == .ipv6 else { return (address.low ^ other.low) >> UInt64(32 - length) == 0 }
        if length <= 64 { return (address.high ^ other.high) >> UInt64(64 - length) == 0 }
        return address.high == other.high && (address.low ^ other.low) >> UInt64(128 - length) == 0
    }

    /// CIDR notation (RFC 4632, RFC 4291).
    public var description: String { address.description + "/" + String(length) }
}

/// An Internet address family.
public enum AddressFamily: String, Sendable, Hashable, CaseIterable, Codable {
    /// IPv4 (`AF_INET`).
    case ipv4
    /// IPv6 (`AF_INET6`).
    case ipv6

    /// Hashes the family as a number: by default an enumeration with string raw values hashes the string, here for each
    /// address that is looked up in a dictionary.
    public func hash(into hasher: inout Hasher) { hasher.combine(bitWidth) }

    /// The number of bits in an address: 32 or 128.
    public var bitWidth: Int { self == .ipv4 ? 32 : 128 }

    /// The kernel's number for the family.
    var kernelValue: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }

    init?(kernelValue: UInt8) {
        switch Int32(kernelValue) {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }
}

extension IPAddress: Codable {
    /// Decodes the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let address = IPAddress(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an IP address")
        }
        self = address
    }

    /// Encodes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension IPPrefix: Codable {
    /// Decodes CIDR notation.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let parts = try container.decode(String.self).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]),
            let prefix = IPPrefix(address: address, length: length)
        else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an address and prefix length")
        }
        self = prefix
    }

    /// Encodes CIDR notation.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
