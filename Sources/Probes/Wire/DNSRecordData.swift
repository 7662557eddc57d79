internal import CheckResults

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
