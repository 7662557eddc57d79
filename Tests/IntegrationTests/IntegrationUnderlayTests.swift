import AgentEvents
import AgentTestKit
import Testing

/// The underlay of a tunnel, on a real kernel.
@Suite(.inNamespace)
struct IntegrationUnderlayTests {
    private static let kinds = ["--interface-kind", "eth*=wired", "--interface-kind", "wlan*=wifi"]
    let namespace: NetworkNamespace

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("wlan0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
    }

    private func agent(_ more: String...) async throws -> AgentProcess {
        try await AgentProcess.start(
            in: namespace,
            ["run", "--no-journal", "--no-sockets", "--settle-up", "0", "--settle-down", "0"] + Self.kinds + more
        )
    }

    /// The state in which packets leave through a tunnel.
    ///
    /// The kernel's answer names it before its last messages, which say that it is up, were read.
    private func leaves(_ agent: AgentProcess, through tunnel: String, over via: String) async throws -> SeenEvent {
        try await agent.next("reachability.changed") {
            $0.to?.path.interface == tunnel && $0.to?.via.rawValue == via
        }
    }

    @Test("a tunnel in a tunnel has the underlay of the outer tunnel, and is lost with it")
    func nested() async throws {
        let agent = try await agent()
        try namespace.run(
            """
            ip link add vx1 type vxlan id 1 local 192.0.2.2 remote 192.0.2.1 dstport 4789
            ip addr add 10.50.0.2/24 dev vx1; ip link set vx1 up
            ip link add vx2 type vxlan id 2 local 10.50.0.2 remote 10.50.0.1 dstport 4790
            ip addr add 10.60.0.2/24 dev vx2; ip link set vx2 up
            ip route add default via 10.60.0.1 dev vx2
            """
        )
        let through = try await leaves(agent, through: "vx2", over: "wifi")
        #expect(through.to?.path.underlay?.interface == "wlan0")
        #expect(through.to?.path.underlay?.isGuess == false)
        try namespace.ip("link set far0 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.reason == "underlay_down")
    }

    @Test("with the underlay of a tunnel, used or standby, only another uplink is an alternative", arguments: [3, 700])
    func alternative(metric: Int) async throws {
        try namespace.run(
            """
            ip link add vx0 type vxlan id 7 remote 203.0.113.8 dstport 4789; ip route add 203.0.113.8 via 192.0.2.1
            ip addr add 10.99.0.2/24 dev vx0; ip link set vx0 up; ip route add default via 10.99.0.1 dev vx0 metric \(metric)
            """
        )
        // Its index is higher than the tunnel's, so nothing but the evidence decides for it.
        try namespace.makeLink("eth0", peer: "far1", address: "198.51.100.2/24", gateway: "198.51.100.1", metric: 800)
        let agent = try await agent()
        try namespace.ip("link set far0 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.alternative?.preferred == "wlan0")
        #expect(lost.to?.alternative?.interface == "eth0")
    }

    @Test("a tunnel bound to a device is carried by it, even if another device has the better route")
    func boundToDevice() async throws {
        try namespace.makeLink("eth0", peer: "far1", address: "198.51.100.2/24", gateway: "198.51.100.1", metric: 700)
        let agent = try await agent()
        try namespace.run(
            """
            ip link add vx0 type vxlan id 7 remote 203.0.113.8 dstport 4789 dev eth0
            ip addr add 10.99.0.2/24 dev vx0; ip link set vx0 up; ip route add default via 10.99.0.1 dev vx0 metric 3
            """
        )
        let through = try await leaves(agent, through: "vx0", over: "wired")
        #expect(through.to?.path.underlay?.interface == "eth0")
        try namespace.ip("link set far1 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.reason == "underlay_down")
    }

    @Test("a tunnel is lost with its local address, even if the interface has another one, and returns with it")
    func nearEnd() async throws {
        try namespace.ip("addr add 192.0.2.3/24 dev wlan0")
        let agent = try await agent()
        try namespace.run(
            """
            ip link add vx0 type vxlan id 7 local 192.0.2.3 remote 192.0.2.1 dstport 4789
            ip addr add 10.99.0.2/24 dev vx0; ip link set vx0 up; ip route add default via 10.99.0.1 dev vx0
            """
        )
        _ = try await leaves(agent, through: "vx0", over: "wifi")
        try namespace.ip("addr del 192.0.2.3/24 dev wlan0")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.reason == "underlay_down")
        try namespace.ip("addr add 192.0.2.3/24 dev wlan0")
        let back = try await agent.settles(on: "wifi")
        #expect(back.to?.path.underlay?.interface == "wlan0")
    }

    @Test("a tunnel over an IPv6 network with only source-specific default routes has an underlay")
    func sourceSpecific() async throws {
        try namespace.run(
            """
            ip -6 addr add 2001:db8:1::2/64 dev wlan0 nodad
            ip -6 route add default from 2001:db8:1::/64 via fe80::1 dev wlan0
            ip -4 route del default
            """
        )
        let agent = try await agent()
        try namespace.run(
            """
            ip link add vx0 type vxlan id 7 remote 2001:db8:f::9 dstport 4789
            ip addr add 10.99.0.2/24 dev vx0; ip link set vx0 up; ip route add default via 10.99.0.1 dev vx0
            """
        )
        let through = try await agent.next("reachability.changed") {
            $0.to?.path.ipv4?.interface == "vx0" && $0.to?.path.ipv4?.via.rawValue == "wifi"
        }
        #expect(through.to?.path.ipv4?.underlay?.interface == "wlan0")
    }

    @Test func `a rule for the port of a tunnel decides over its underlay`() async throws {
        try namespace.makeLink("eth0", peer: "far1", address: "198.51.100.2/24")
        try namespace.run(
            """
            ip rule add ipproto udp dport 4789 lookup 77; ip route add default via 198.51.100.1 dev eth0 table 77
            ip route add 203.0.113.8 via 192.0.2.1
            """
        )
        let agent = try await agent()
        for (number, port, via) in [(1, 4789, "wired"), (2, 4790, "wifi")] {
            try namespace.run(
                """
                ip link add vx\(number) type vxlan id \(number) remote 203.0.113.8 dstport \(port)
                ip addr add 10.99.\(number).2/24 dev vx\(number); ip link set vx\(number) up
                ip route replace default via 10.99.\(number).1 dev vx\(number)
                """
            )
            let through = try await leaves(agent, through: "vx\(number)", over: via)
            #expect(through.to?.path.underlay?.interface == (via == "wired" ? "eth0" : "wlan0"))
        }
    }

    @Test("a tunnel over a multipath route is carried by the next hop that its own packets take")
    func severalLegs() async throws {
        try namespace.makeLink("eth0", peer: "far1", address: "198.51.100.2/24")
        // Permanent neighbours: without an answer the kernel changes its choice of a leg.
        try namespace.run(
            """
            for leg in 1:wlan0 2:eth0; do
              device=${leg#*:} net=2001:db8:${leg%:*}
              ip addr add $net::2/64 dev $device nodad
              ip neigh add $net::1 lladdr 02:00:00:00:00:01 dev $device nud permanent
            done
            ip -6 route add default nexthop via 2001:db8:1::1 dev wlan0 nexthop via 2001:db8:2::1 dev eth0
            ip -4 route del default
            """
        )
        let agent = try await agent()
        // The hash of an address without a protocol names another leg for about half of them, this boot or the next.
        for number in 1...12 {
            let remote = "2001:db8:f:\(number)::9"
            let words = try namespace.ip("-6 route get \(remote) ipproto udp").split(separator: " ")
            let leg = try #require(words.firstIndex(of: "dev").map { String(words[$0 + 1]) })
            try namespace.run(
                """
                ip link del vx0 2>/dev/null || true
                ip link add vx0 type vxlan id 7 remote \(remote) dstport 4789
                ip addr add 10.99.\(number).2/24 dev vx0; ip link set vx0 up
                ip -4 route add default via 10.99.\(number).1 dev vx0
                """
            )
            let through = try await agent.next("reachability.changed") {
                $0.to?.path.ipv4?.source == "10.99.\(number).2" && $0.to?.path.ipv4?.via.rawValue != "none"
            }
            #expect(through.to?.path.ipv4?.underlay?.interface == leg)
        }
    }

    @Test("a userspace tunnel's underlay is a guess over one uplink, unknown over two, and down if none can send")
    func opaque() async throws {
        try namespace.makeLink("wg0", peer: "far9", address: "203.0.113.2/24")
        try namespace.makeLink("eth0", peer: "far1", address: "198.51.100.2/24")
        let agent = try await agent("--interface-kind", "wg*=tunnel")
        try namespace.ip("route add default dev wg0 metric 1")
        let guessed = try await agent.next("reachability.changed") { $0.to?.path.interface == "wg0" }
        #expect(guessed.to?.via.rawValue == "wifi")
        #expect(guessed.to?.path.underlay?.isGuess == true)
        try namespace.ip("route add default via 198.51.100.1 dev eth0 metric 700")
        let two = try await agent.settles(on: "other")
        #expect(two.to?.path.underlay == nil)
        try namespace.ip("link set far0 down")
        let other = try await agent.settles(on: "wired")
        #expect(other.to?.path.underlay?.interface == "eth0")
        try namespace.ip("link set far1 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.reason == "underlay_down")
        #expect(lost.to?.path.underlay?.evidence == "no_carrier")
    }
}
