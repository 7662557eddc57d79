import CheckResults
import Glibc
import Testing

@testable import Probes

@Suite
struct ControlMessageTests {
    /// A message with its header and padding as the kernel lays them out on this machine.
    func message(level: CInt, type: CInt, _ data: [UInt8], length: Int? = nil) -> [UInt8] {
        var header = cmsghdr()
        header.cmsg_len = .init(length ?? MemoryLayout<cmsghdr>.size + data.count)
        header.cmsg_level = level
        header.cmsg_type = type
        let padding = (MemoryLayout<Int>.size - data.count % MemoryLayout<Int>.size) % MemoryLayout<Int>.size
        return withUnsafeBytes(of: header) { Array($0) } + data + [UInt8](repeating: 0, count: padding)
    }

    /// struct sock_extended_err: EHOSTUNREACH, from ICMP, of a type and code, with an MTU and no data; then its sender.
    func error(origin: UInt8, type: UInt8, code: UInt8, mtu: UInt32 = 0, offender: [UInt8]) -> [UInt8] {
        let number = withUnsafeBytes(of: UInt32(EHOSTUNREACH)) { Array($0) }
        let info = withUnsafeBytes(of: mtu) { Array($0) }
        return number + [origin, type, code, 0] + info + [0, 0, 0, 0] + offender
    }

    static let router4: [UInt8] = {
        let family: [UInt8] = withUnsafeBytes(of: sa_family_t(AF_INET)) { Array($0) }
        return family + [0, 0, 192, 0, 2, 1] + [UInt8](repeating: 0, count: 8)
    }()
    static let router6: [UInt8] = {
        let family: [UInt8] = withUnsafeBytes(of: sa_family_t(AF_INET6)) { Array($0) }
        let address: [UInt8] = [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
        return family + [UInt8](repeating: 0, count: 6) + address + [UInt8](repeating: 0, count: 4)
    }()

    @Test
    func `messages are found one after the other`() {
        let bytes = message(level: 1, type: 2, [7, 0, 0, 0]) + message(level: 3, type: 4, [1, 2, 3])
        let messages = ControlMessage.all(in: bytes)
        #expect(messages.map(\.level) == [1, 3])
        #expect(messages.map(\.type) == [2, 4])
        #expect(messages.map(\.bytes) == [[7, 0, 0, 0], [1, 2, 3]])
        #expect(messages.map(\.integer) == [7, nil])
    }

    @Test(arguments: [0, 1, MemoryLayout<cmsghdr>.size - 1, MemoryLayout<cmsghdr>.size + 100, Int(Int32.max)])
    func `a length that cannot be ends the messages`(length: Int) {
        let good = message(level: 1, type: 2, [1])
        #expect(ControlMessage.all(in: good + message(level: 1, type: 2, [1], length: length)).count == 1)
    }

    @Test
    func `control data that ends anywhere does not trap`() {
        let data = error(origin: 2, type: 3, code: 1, offender: Self.router4)
        let bytes = message(level: CInt(IPPROTO_IP), type: IP_RECVERR, data)
        for length in bytes.indices {
            let messages = ControlMessage.all(in: Array(bytes.prefix(length)))
            #expect(messages.compactMap(QueuedError.init).count <= 1)
        }
        for length in data.indices {
            let short = ControlMessage(level: CInt(IPPROTO_IP), type: IP_RECVERR, bytes: Array(data.prefix(length)))
            #expect((QueuedError(short) != nil) == (length >= 16))
        }
    }

    @Test(
        arguments: [
            (3, 0, 0, "network unreachable"), (3, 1, 0, "host unreachable"), (3, 3, 0, "port unreachable"),
            (3, 4, 1400, "fragmentation needed (MTU 1400)"), (3, 13, 0, "communication administratively prohibited"),
            (3, 99, 0, "destination unreachable (code 99)"), (11, 0, 0, "time to live exceeded"), (4, 0, 0, nil),
            (5, 1, 0, nil),
        ] as [(UInt8, UInt8, UInt32, String?)]
    )
    func `an ICMP error has a reason and a sender`(type: UInt8, code: UInt8, mtu: UInt32, expected: String?) throws {
        let data = error(origin: 2, type: type, code: code, mtu: mtu, offender: Self.router4)
        let queued = try #require(QueuedError(.init(level: CInt(IPPROTO_IP), type: IP_RECVERR, bytes: data)))
        #expect(queued.error == EHOSTUNREACH)
        #expect(queued.offender == [192, 0, 2, 1])
        #expect(ICMPUnreachable.reason(queued) == expected)
    }

    @Test(
        arguments: [
            (1, 0, 0, "no route to destination"), (1, 1, 0, "administratively prohibited"),
            (1, 3, 0, "address unreachable"),
            (1, 4, 0, "port unreachable"), (2, 0, 1280, "packet too big (MTU 1280)"), (3, 0, 0, "hop limit exceeded"),
            (137, 0, 0, nil),
        ] as [(UInt8, UInt8, UInt32, String?)]
    )
    func `an ICMPv6 error has a reason and a sender`(type: UInt8, code: UInt8, mtu: UInt32, expected: String?) throws {
        let data = error(origin: 3, type: type, code: code, mtu: mtu, offender: Self.router6)
        let queued = try #require(QueuedError(.init(level: CInt(IPPROTO_IPV6), type: IPV6_RECVERR, bytes: data)))
        #expect(queued.offender.map(IPAddressText.text) == "2001:db8::1")
        #expect(ICMPUnreachable.reason(queued) == expected)
    }

    /// The error's sender is 192.0.2.1 or 2001:db8::1; `isOwn` says whether this machine has these addresses, and
    /// `hasRoute` whether it has a route to the target.
    @Test(
        arguments: [
            // A router, and a target that is this machine itself, answer for themselves.
            (2, 3, 1, false, false, "198.51.100.7", .icmpUnreachable, "192.0.2.1 answered: host unreachable"),
            (2, 3, 3, true, true, "192.0.2.1", .icmpUnreachable, "192.0.2.1 answered: port unreachable"),
            // So does any other target.
            (2, 3, 3, false, true, "192.0.2.1", .icmpUnreachable, "192.0.2.1 answered: port unreachable"),
            (
                3, 1, 1, false, true, "2001:db8::1", .icmpUnreachable,
                "2001:db8::1 answered: administratively prohibited"
            ),
            (
                3, 1, 1, false, true, "2001:db8:1::7", .icmpUnreachable,
                "2001:db8::1 answered: administratively prohibited"
            ),
            // Neighbour discovery of this machine.
            (
                2, 3, 1, true, true, "198.51.100.7", .hostUnreachable,
                "this machine (192.0.2.1) reported: host unreachable"
            ),
            (
                3, 1, 3, true, true, "2001:db8:1::7", .hostUnreachable,
                "this machine (2001:db8::1) reported: address unreachable"
            ),
            (2, 3, 1, true, false, "198.51.100.7", .noRoute, "this machine (192.0.2.1) reported: host unreachable"),
            // Its firewall.
            (
                2, 3, 13, true, false, "198.51.100.7", .localFirewall,
                "this machine (192.0.2.1) reported: communication administratively prohibited"
            ),
            (
                2, 3, 3, true, true, "198.51.100.7", .localFirewall,
                "this machine (192.0.2.1) reported: port unreachable"
            ),
            (
                3, 1, 4, true, true, "2001:db8:1::7", .localFirewall,
                "this machine (2001:db8::1) reported: port unreachable"
            ),
            // Neither.
            (
                2, 11, 0, true, true, "198.51.100.7", .icmpUnreachable,
                "this machine (192.0.2.1) reported: time to live exceeded"
            ),
            (2, 5, 1, true, true, "198.51.100.7", nil, ""),
        ] as [(UInt8, UInt8, UInt8, Bool, Bool, String, FindingCode?, String)]
    )
    func `an ICMP error of this machine is no answer of a router`(
        origin: UInt8,
        type: UInt8,
        code: UInt8,
        isOwn: Bool,
        hasRoute: Bool,
        target: String,
        expected: FindingCode?,
        evidence: String
    ) throws {
        let isIPv4 = origin == 2
        let data = error(origin: origin, type: type, code: code, offender: isIPv4 ? Self.router4 : Self.router6)
        let message = ControlMessage(
            level: CInt(isIPv4 ? IPPROTO_IP : IPPROTO_IPV6),
            type: isIPv4 ? IP_RECVERR : IPV6_RECVERR,
            bytes: data
        )
        let queued = try #require(QueuedError(message))
        let endpoint = try #require(WireEndpoint(target, port: 53))
        let finding = ICMPUnreachable.finding(queued, to: endpoint, code: .icmpUnreachable, hasRoute: hasRoute) { _ in
            isOwn
        }
        #expect(finding?.code == expected)
        #expect(finding?.evidence ?? "" == evidence)
        #expect(finding?.isFromTarget ?? false == (["192.0.2.1", "2001:db8::1"].contains(target) && expected != nil))
        #expect(finding.map { $0.subject == endpoint.description } ?? true)
    }
}
