public import NetlinkMonitor

/// An address and a TCP port of this machine at which HTTP is served.
public struct HTTPListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address.
    public var address: IPAddress
    /// The port.
    public var port: UInt16

    /// The address and the port: `127.0.0.1:9718`, `[::1]:9718`.
    public var description: String { address.family == .ipv6 ? "[\(address)]:\(port)" : "\(address):\(port)" }

    /// Returns whether the kernel refuses to listen on both (`EADDRINUSE`).
    ///
    /// `[::]` stands for the IPv6 addresses alone (`IPV6_V6ONLY`).
    func overlaps(_ other: HTTPListenAddress) -> Bool {
        guard port == other.port, address.family == other.address.family else { return false }
        return address == other.address || address.isUnspecified || other.address.isUnspecified
    }
}

extension ValueFormat where Value == HTTPListenAddress {
    /// A listen address: `ADDRESS:PORT`, with an IPv6 address in brackets.
    static var listenAddress: ValueFormat {
        .parsed(
            "address and port",
            wanted: "an address and a port in quotes such as \"127.0.0.1:9718\"",
            text: { TOMLText.quoted($0.description) }
        ) { string in
            guard let colon = string.utf8.lastIndex(of: UInt8(ascii: ":")),
                let port = UInt16(string[string.utf8.index(after: colon)...]), port > 0,
                let address = Self.address(string[..<colon])
            else {
                throw ValueError(
                    message:
                        "'\(string)' is not an address and a port; accepted are forms like 127.0.0.1:9718 and [::1]:9718"
                )
            }
            // bind(2) of a TCP socket to such an address fails on every machine (EINVAL).
            guard address.family == .ipv4 || !address.isLinkLocal else {
                throw ValueError(
                    message: """
                        '\(string)' is link-local, and 'listen' takes no interface; use '[::]:\(port)', which serves \
                        link-local addresses too
                        """
                )
            }
            guard address.family == .ipv4 || !address.isMulticast else {
                throw ValueError(message: "'\(string)' is a multicast address, on which no TCP port can listen")
            }
            // The kernel accepts no IPv4-mapped address with IPV6_V6ONLY.
            return HTTPListenAddress(address: address.unmapped, port: port)
        }
    }

    /// The format for up to 8 listen addresses, of which no two overlap.
    static var listenAddresses: ValueFormat<[HTTPListenAddress]> {
        let several = listenAddress.oneOrMore(0...8)
        return ValueFormat<[HTTPListenAddress]>(
            kind: several.kind,
            read: { node, errors in
                guard let addresses = several.read(node, &errors) else { return nil }
                guard case .array(let nodes) = node.value else { return addresses }
                var isWrong = false
                for (index, address) in addresses.enumerated() {
                    guard let other = addresses[..<index].firstIndex(where: address.overlaps) else { continue }
                    let place = nodes[other].origin.line.map { " in line \($0)" } ?? ""
                    let message =
                        address == addresses[other]
                        ? "\(address) is already listed\(place)"
                        : "\(address) overlaps \(addresses[other])\(place); keep one of the two"
                    errors.append(ValueError(message: message, origin: nodes[index].origin))
                    isWrong = true
                }
                return isWrong ? nil : addresses
            },
            text: several.text
        )
    }

    /// Parses the part before the port; the zone of a link-local address is dropped, which is refused with and without one.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") {
            let inner = text.utf8.dropFirst().dropLast()
            let zone = inner.firstIndex(of: UInt8(ascii: "%"))
            return IPAddress(String(Substring(inner[..<(zone ?? inner.endIndex)]))).flatMap {
                $0.family == .ipv6 && (zone == nil || $0.isLinkLocal) ? $0 : nil
            }
        }
        return IPAddress(String(text)).flatMap { $0.family == .ipv4 ? $0 : nil }
    }
}

extension ValueFormat where Value == String {
    /// A host name, in lower case.
    static var hostName: ValueFormat {
        .parsed(wanted: "the name of a host in quotes", text: TOMLText.quoted) { string in
            let isName = string.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
            guard (1...253).contains(string.utf8.count), isName else {
                throw ValueError(message: "'\(string)' is not the name of a host, without a port")
            }
            return string.lowercased()
        }
    }
}
