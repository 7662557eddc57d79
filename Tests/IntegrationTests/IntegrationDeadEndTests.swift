import AgentEvents
import AgentTestKit
import Testing

/// Routes that the kernel selects although packets cannot take them, on a real kernel.
@Suite(.inNamespace)
struct IntegrationDeadEndTests {
    private static let kinds = ["--interface-kind", "eth*=wired", "--interface-kind", "wlan*=wifi"]
    let namespace: NetworkNamespace

    init() throws { namespace = try NetworkNamespace() }

    private func agent(_ more: String...) async throws -> AgentProcess {
        try await AgentProcess.start(
            in: namespace,
            ["run", "--no-journal", "--no-sockets", "--settle-up", "0", "--settle-down", "0"] + Self.kinds + more
        )
    }

    /// `reachagent route`, whatever its status.
    private func route(_ address: String) throws -> String {
        try namespace.run("\(BuiltAgent.path) route \(address) \(Self.kinds.joined(separator: " ")) || true")
    }

    @Test("a bridge whose cable is pulled is lost at once, even if a guest keeps it up")
    func bridgeWithGuest() async throws {
        try namespace.run("ip link add br0 type bridge; ip link set br0 up")
        try namespace.makeLink("eth0", peer: "far0")
        try namespace.makeLink("vnet0", peer: "guest0")
        try namespace.run(
            """
            ip link set eth0 master br0; ip link set vnet0 master br0; ip addr add 192.0.2.2/24 dev br0
            ip route add default via 192.0.2.1
            """
        )
        let agent = try await agent()
        // The kernel gives the bridge its carrier later and by itself, perhaps after the first view.
        if agent.events.last?.to?.via.rawValue != "wired" { try await agent.settles(on: "wired") }
        try namespace.ip("link set far0 down")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.reason == "link_down")
        #expect(lost.to?.path.interface == "br0")
        try namespace.ip("link set far0 up")
        try await agent.settles(on: "wired")
    }

    @Test func `a bridge whose card loses its carrier beside a VXLAN has no known medium until it returns`()
        async throws
    {
        try namespace.makeLink("wlan0", peer: "far1", address: "198.51.100.2/24")
        try namespace.makeLink("eth0", peer: "far0")
        try namespace.run(
            """
            ip link add br0 type bridge; ip link set br0 up; ip link set eth0 master br0
            ip link add vx0 type vxlan id 9 remote 198.51.100.1 dstport 4789; ip link set vx0 master br0 up
            ip addr add 192.0.2.2/24 dev br0; ip route add default via 192.0.2.1
            """
        )
        let agent = try await agent()
        if agent.events.last?.to?.via.rawValue != "wired" { try await agent.settles(on: "wired") }
        try namespace.ip("link set far0 down")
        let lost = try await agent.settles(on: "other")
        #expect(lost.to?.path.interface == "br0")
        try namespace.ip("link set far0 up")
        try await agent.settles(on: "wired")
        #expect(try await agent.stop().status == 0)
        #expect(!agent.events.contains { $0.name == "reachability.changed" && $0.to?.via.rawValue == "wifi" })
    }

    @Test func `IPv4 through an IPv6 router is lost with the link-local address of its interface`() async throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24")
        try namespace.ip("-4 route add default via inet6 fe80::1 dev eth0")
        let agent = try await agent()
        if agent.events.last?.to?.via.rawValue != "wired" { try await agent.settles(on: "wired") }
        try namespace.run("sysctl -qw net.ipv6.conf.eth0.disable_ipv6=1")
        let lost = try await agent.settles(on: "none")
        #expect(lost.to?.path.ipv4?.reason == "no_address")
        #expect(lost.to?.path.ipv4?.gateway == "fe80::1")
        try namespace.run("sysctl -qw net.ipv6.conf.eth0.disable_ipv6=0")
        try await agent.settles(on: "wired")
    }

    @Test(arguments: [("0.0.0.0", "127.0.0.1"), ("::", "::1")])
    func `the unspecified address leads to this machine`(address: String, source: String) throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        try namespace.run(
            "ip -6 addr add 2001:db8::2/64 dev eth0 nodad; ip -6 route add default via 2001:db8::1 dev eth0"
        )
        let text = try route(address)
        #expect(!text.contains("no usable path"))
        #expect(text.contains("lo (loopback)"))
        #expect(text.contains(source))
    }

    @Test("a bridge without ports leads nowhere")
    func emptyBridge() throws {
        try namespace.run(
            "ip link add br0 type bridge; ip link set br0 up; ip addr add 192.0.2.2/24 dev br0; ip route add default via 192.0.2.1"
        )
        #expect(try route("198.41.0.4").contains("no usable path: link_down"))
    }

    @Test("a default route through the loopback leads nowhere")
    func loopback() throws {
        try namespace.run("ip link set lo up; ip addr add 192.0.2.2/32 dev lo; ip route add default dev lo")
        #expect(try route("198.41.0.4").contains("no usable path: leads_nowhere"))
        #expect(try route("192.0.2.2").contains("leaves through"))
    }

    @Test("a default route of type local leads nowhere, and the machine's own address is reachable", arguments: [4, 6])
    func localDefault(family: Int) throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24")
        try namespace.run("ip link set lo up; ip -6 addr add 2001:db8::2/64 dev eth0 nodad")
        try namespace.ip("-\(family) route add local default dev eth0")
        let internet = family == 4 ? "198.41.0.4" : "2001:503:ba3e::2:30"
        #expect(try route(internet).contains("no usable path: leads_nowhere"))
        #expect(try route(family == 4 ? "192.0.2.2" : "2001:db8::2").contains("leaves through"))
    }

    @Test("an address borrowed from another device is not a valid source, unless from the loopback")
    func borrowedAddress() throws {
        try namespace.makeLink("eth0", peer: "far0")
        try namespace.makeLink("docker0", peer: "guest0", address: "172.17.0.1/16")
        try namespace.ip("route add default dev eth0")
        #expect(try route("198.41.0.4").contains("no usable path: no_address"))
        try namespace.run("ip link set lo up; ip addr add 192.0.2.7/32 dev lo; ip addr flush dev docker0")
        #expect(try route("198.41.0.4").contains("leaves through wired eth0"))
    }

    @Test("of two next hops, the dead one is listed in the state and the path uses the other")
    func deadLeg() async throws {
        try namespace.makeLink("wlan0", peer: "far0", address: "192.0.2.2/24")
        try namespace.makeLink("eth0", peer: "far1", address: "198.51.100.2/24")
        try namespace.ip("route add default nexthop via 192.0.2.1 dev wlan0 nexthop via 198.51.100.1 dev eth0")
        let agent = try await agent()
        for (peer, dead, other) in [("far0", "wlan0", "eth0"), ("far1", "eth0", "wlan0")] {
            try namespace.ip("link set \(peer) down")
            let changed = try await agent.next("path.changed") { $0.to?.path.deadLegs.isEmpty == false }
            #expect(changed.to?.path.deadLegs.map(\.interface) == [dead])
            #expect(changed.to?.path.deadLegs.first?.reason == "link_down")
            #expect(changed.to?.path.interface == other)
            try namespace.ip("link set \(peer) up")
            try await agent.next("path.changed") { $0.to?.path.deadLegs.isEmpty == true }
        }
        #expect(try await agent.stop().status == 0)
        #expect(!agent.events.contains { $0.to?.via.rawValue == "none" })
    }
}
