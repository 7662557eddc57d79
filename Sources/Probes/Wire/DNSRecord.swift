internal import CheckResults

/// One resource record.
package struct DNSRecord: Sendable, Hashable, CustomStringConvertible {
    package var name: DNSName
    package var type: DNSRecordType
    package var recordClass: UInt16
    /// The time to live, in seconds.
    package var timeToLive: UInt32
    package var data: DNSRecordData

    /// The record in zone file format.
    package var description: String {
        let recordClass = recordClass == 1 ? "IN" : "CLASS\(recordClass)"
        return "\(name) \(timeToLive) \(recordClass) \(type) \(data)"
    }
}

/// The data of a resource record, by type.
package enum DNSRecordData: Sendable, Hashable, CustomStringConvertible {
    /// A, AAAA: 4 or 16 bytes.
    case address([UInt8])
    /// CNAME, NS, PTR.
    case name(DNSName)
    /// MX.
    case mailExchange(preference: UInt16, exchange: DNSName)
    /// TXT: strings of at most 255 bytes each.
    case text([[UInt8]])
    /// SOA; the numbers are serial, refresh, retry, expire and minimum.
    case authority(server: DNSName, mailbox: DNSName, numbers: [UInt32])
    /// SRV (RFC 2782).
    case service(priority: UInt16, weight: UInt16, port: UInt16, target: DNSName)
    /// CAA (RFC 8659).
    case authorization(flags: UInt8, tag: [UInt8], value: [UInt8])
    /// SVCB, HTTPS (RFC 9460); the parameters are not decoded.
    case binding(priority: UInt16, target: DNSName, parameters: [UInt8])
    /// Any other type.
    case other([UInt8])

    /// The data in zone file format; for types without one, in the format of RFC 3597.
    package var description: String {
        switch self {
        case .address(let bytes): IPAddressText.text(of: bytes)
        case .name(let name): name.description
        case .mailExchange(let preference, let exchange): "\(preference) \(exchange)"
        case .text(let strings): strings.map(Self.quoted).joined(separator: " ")
        case .authority(let server, let mailbox, let numbers):
            "\(server) \(mailbox) \(numbers.map(String.init).joined(separator: " "))"
        case .service(let priority, let weight, let port, let target): "\(priority) \(weight) \(port) \(target)"
        case .authorization(let flags, let tag, let value):
            "\(flags) \(DNSName.escape(tag, special: [])) \(Self.quoted(value))"
        case .binding(let priority, let target, let parameters):
            "\(priority) \(target)" + (parameters.isEmpty ? "" : " " + Self.unknown(parameters))
        case .other(let bytes): Self.unknown(bytes)
        }
    }

    private static func quoted(_ bytes: [UInt8]) -> String {
        // A space is safe between quotation marks.
        let parts = bytes.split(separator: 0x20, omittingEmptySubsequences: false)
        let special = [UInt8(ascii: "\""), UInt8(ascii: "\\")]
        return "\"" + parts.map { DNSName.escape(Array($0), special: special) }.joined(separator: " ") + "\""
    }

    private static func unknown(_ bytes: [UInt8]) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\\# \(bytes.count)" + (bytes.isEmpty ? "" : " " + digits)
    }
}

/// The type of a DNS record.
package struct DNSRecordType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let a = DNSRecordType(rawValue: 1)
    package static let ns = DNSRecordType(rawValue: 2)
    package static let cname = DNSRecordType(rawValue: 5)
    package static let soa = DNSRecordType(rawValue: 6)
    package static let ptr = DNSRecordType(rawValue: 12)
    package static let mx = DNSRecordType(rawValue: 15)
    package static let txt = DNSRecordType(rawValue: 16)
    package static let aaaa = DNSRecordType(rawValue: 28)
    package static let srv = DNSRecordType(rawValue: 33)
    /// The pseudo record of EDNS (RFC 6891).
    package static let opt = DNSRecordType(rawValue: 41)
    package static let svcb = DNSRecordType(rawValue: 64)
    package static let https = DNSRecordType(rawValue: 65)
    /// A question for records of any type (RFC 1035, section 3.2.3; RFC 8482), which no record has.
    package static let any = DNSRecordType(rawValue: 255)
    package static let caa = DNSRecordType(rawValue: 257)

    /// The types that have a name in queries.
    package static let named: [(name: String, type: DNSRecordType)] = [
        ("A", .a), ("AAAA", .aaaa), ("CAA", .caa), ("CNAME", .cname), ("HTTPS", .https), ("MX", .mx), ("NS", .ns),
        ("PTR", .ptr), ("SOA", .soa), ("SRV", .srv), ("SVCB", .svcb), ("TXT", .txt),
    ]

    /// Parses a type's name, ignoring case, or `TYPE65280` (RFC 3597, section 5); nil for anything else.
    package init?(name: String) {
        let upper = name.uppercased()
        if let known = Self.named.first(where: { $0.name == upper }) {
            self = known.type
        } else if upper.hasPrefix("TYPE"), upper.utf8.dropFirst(4).allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(upper.dropFirst(4))
        {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }

    package var description: String { Self.named.first { $0.type == self }?.name ?? "TYPE\(rawValue)" }
}
