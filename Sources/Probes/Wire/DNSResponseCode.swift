/// The response code of a name server (RFC 1035, section 4.1.1, RFC 6895, section 2.3).
package struct DNSResponseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let noError = DNSResponseCode(rawValue: 0)
    package static let noSuchName = DNSResponseCode(rawValue: 3)

    private static let names: [UInt16: String] = [
        0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED", 6: "YXDOMAIN",
        7: "YXRRSET", 8: "NXRRSET", 9: "NOTAUTH", 10: "NOTZONE", 16: "BADVERS", 23: "BADCOOKIE",
    ]

    package var description: String { Self.names[rawValue] ?? "RCODE\(rawValue)" }
}
