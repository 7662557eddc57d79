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
