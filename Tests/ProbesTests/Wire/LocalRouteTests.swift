import AgentTestKit
import CheckResults
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import Probes

/// Local routes, and what they say about a failure to connect.
@Suite
struct LocalRouteTests {
    private static func route(to address: [UInt8], over interface: String? = nil) throws -> LocalRoute {
        LocalRoute(to: WireEndpoint(try #require(HostAddress(bytes: address)), port: 9), over: interface, by: .tcp)
    }

    @Test(arguments: [
        (RouteAnswer.route(type: 1, table: 0), IFF_UP | IFF_BROADCAST, true),
        // PPP, WireGuard, tun, WWAN without Ethernet headers; a link with `arp off`; one with a single peer.
        (.route(type: 1, table: 0), IFF_UP | IFF_POINTOPOINT | IFF_NOARP, false),
        (.route(type: 1, table: 0), IFF_UP | IFF_BROADCAST | IFF_NOARP, false),
        (.route(type: 1, table: 0), IFF_UP | IFF_POINTOPOINT, false),
        (.route(type: 1, table: 254), IFF_UP | IFF_BROADCAST, false),
        (.route(type: 2, table: 0), IFF_UP | IFF_BROADCAST, false),
        (.refused(ENETUNREACH), IFF_UP | IFF_BROADCAST, false),
    ])
    func `only a link with ARP turns an address without a route into a neighbour`(
        answer: RouteAnswer,
        flags: Int,
        isAssumed: Bool
    ) {
        #expect(BoundFlow.isAssumed(answer, flags: CInt(flags)) == isAssumed)
        #expect(!BoundFlow.isAssumed(answer, flags: nil))
        #expect(!BoundFlow.isAssumed(nil, flags: CInt(flags)))
    }

    @Test(arguments: [
        (ENETUNREACH, true), (EHOSTUNREACH, true), (EACCES, true), (EINVAL, true), (EPERM, false), (EAGAIN, false),
        (ENOMEM, false), (ENOBUFS, false), (EADDRNOTAVAIL, false), (ENODEV, false),
    ])
    func `only some errors of connect are refusals of the routing tables`(error: CInt, isRefusal: Bool) {
        #expect(LocalRoute.isRefusal(error) == isRefusal)
    }

    @Test
    func `the kernel tells a route from none`() throws {
        #expect(try Self.route(to: [127, 0, 0, 1]).state == .accepted)
        #expect(try Self.route(to: [127, 0, 0, 1], over: "lo").state == .accepted)
        // Broadcasts need an option of the socket.
        #expect(try Self.route(to: [255, 255, 255, 255]).state == .refused)
    }

    @Test(arguments: [
        (EHOSTUNREACH, FindingCode.hostUnreachable), (ENETUNREACH, .noRoute), (EACCES, .noRoute), (EINVAL, .noRoute),
        (EADDRNOTAVAIL, .noAddress),
    ])
    func `a lookup that fails leaves the error its own code`(error: CInt, code: FindingCode) throws {
        let route = try Self.route(to: [127, 0, 0, 1], over: "no-such-if")
        #expect(route.state == .unknown)
        #expect(!route.isMissing)
        #expect(SystemFinding.make(error, operation: "connect", over: route).code == code)
    }

    @Test(arguments: [EHOSTUNREACH, ENETUNREACH])
    func `the lookup tells a router's error from that of a missing route`(error: CInt) throws {
        for (address, code) in [([127, 0, 0, 1], .hostUnreachable), ([255, 255, 255, 255], .noRoute)]
            as [([UInt8], FindingCode)]
        {
            let route = try Self.route(to: address)
            #expect(SystemFinding.make(error, operation: "connect", over: route).code == code)
        }
    }

    @Test(arguments: [
        // Errors of a rule for one port, or of a security module: no ICMP error of IPv4 causes them.
        ([127, 0, 0, 1], EACCES, FindingCode.noRoute), ([127, 0, 0, 1], EINVAL, .noRoute),
        (loopbackIPv6, EACCES, .hostUnreachable), (loopbackIPv6, EINVAL, .noRoute),
    ])
    func `a router is blamed only for errors that it can cause`(
        address: [UInt8],
        error: CInt,
        code: FindingCode
    ) throws {
        let route = try Self.route(to: address)
        #expect(route.state == .accepted)
        #expect(SystemFinding.make(error, operation: "connect", over: route).code == code)
    }

    @Test(arguments: [ENETUNREACH, EHOSTUNREACH, EACCES])
    func `connect itself fails only on this machine, whatever the lookup says`(error: CInt) throws {
        for address in [[127, 0, 0, 1], Self.loopbackIPv6] {
            let route = try Self.route(to: address)
            let finding = SystemFinding.make(error, operation: "connect", over: route, isLocal: true)
            #expect(finding.code == .noRoute)
        }
    }

    @Test
    func `an error of connect is distinguished from one of the pending connection`() async throws {
        let route = try Self.route(to: [127, 0, 0, 1])
        let unused = try FreePort()
        // The kernel connects to no broadcast address.
        for (host, code) in [("255.255.255.255", FindingCode.noRoute), ("127.0.0.1", .connectRefused)] {
            let address = try SocketAddress(ipAddress: host, port: Int(unused.number))
            let error = try await #require(throws: IOError.self) {
                _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
            }
            #expect(error.isOfConnectCall == (code == .noRoute))
            #expect(ConnectFailure.finding(error, connectingOver: route).code == code)
        }
        withExtendedLifetime(unused) {}
    }

    @Test
    func `a source address without a port is a shortage of ports`() throws {
        let finding = SystemFinding.make(EADDRNOTAVAIL, operation: "connect", over: try Self.route(to: [127, 0, 0, 1]))
        #expect(finding.code == .resourcesExhausted)
        #expect(finding.evidence.contains("net.ipv4.ip_local_port_range"))
    }

    private static let loopbackIPv6 = [UInt8](repeating: 0, count: 15) + [1]
}
