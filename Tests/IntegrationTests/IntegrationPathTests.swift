import AgentEvents
import AgentTestKit
import Testing

/// The default path on a real kernel, in namespaces that each test makes for itself.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationPathTests {
    let namespace: NetworkNamespace

    init() throws { namespace = try NetworkNamespace() }

    @Test("a machine without any link is not reachable, which is reported at once")
    func emptyMachine() async throws {
        let agent = try await AgentProcess.run(in: namespace)
        let stopped = try await agent.stop()
        #expect(stopped.status == 0)
        #expect(stopped.events.last?.name == "agent.stopping")
        #expect(stopped.events.last?.stopReason == "SIGTERM")
    }

    @Test("a link, an address and a default route make a path; without a carrier it is lost")
    func upAndCarrierLoss() async throws {
        let agent = try await AgentProcess.run(in: namespace, "--interface-kind", "eth*=wired", "--settle-down", "0")
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let up = try await agent.settles(on: "wired")
        #expect(up.from?.via.rawValue == "none")
        #expect(up.to?.path.interface == "eth0")
        #expect(up.to?.path.gateway == "192.0.2.1")
        #expect(up.to?.path.source == "192.0.2.2")
        #expect(up.to?.path.metric == 100)
        try namespace.ip("link set far0 down")
        let down = try await agent.settles(on: "none")
        #expect(down.to?.reason == "link_down")
        #expect(down.cause?.interface == "eth0")
        // The kernel keeps the route, and would still answer with the dead interface.
        #expect(try namespace.ip("route get 198.41.0.4").contains("eth0"))
        try namespace.ip("link set far0 up")
        try await agent.settles(on: "wired")
    }

    @Test("a station that is associated but has no keys yet is not reachable; with its keys it is")
    func dormant() async throws {
        try namespace.run(
            "ip link add wlan0 type veth peer name ap0; ip link set wlan0 mode dormant; ip link set wlan0 up"
        )
        let agent = try await AgentProcess.run(in: namespace, "--interface-kind", "wlan*=wifi", "--settle-up", "0")
        try namespace.run("ip link set ap0 up; ip addr add 192.0.2.2/24 dev wlan0; ip route add default via 192.0.2.1")
        try await agent.next("path.changed") { $0.to?.reason == "link_dormant" }
        try namespace.ip("link set wlan0 state up")
        let up = try await agent.settles(on: "wifi")
        #expect(up.to?.afStatus == 2)
    }

    @Test("when the last address is removed, the kernel drops the route silently, and the path is lost")
    func silentRouteRemoval() async throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let agent = try await AgentProcess.run(in: namespace, "--settle-down", "0")
        try namespace.ip("addr del 192.0.2.2/24 dev eth0")
        let down = try await agent.settles(on: "none")
        #expect(down.to?.reason == "no_route")
        #expect(down.cause?.code == "address_removed")
        try namespace.run("ip addr add 192.0.2.2/24 dev eth0; ip route add default via 192.0.2.1")
        try await agent.settles(on: "other")
        try namespace.ip("link set eth0 down")
        let again = try await agent.settles(on: "none")
        #expect(again.cause?.code == "link_down")
    }

    @Test("an IPv6 path counts only after duplicate address detection")
    func tentativeAddress() async throws {
        // A lone end without a peer that is up would never leave the tentative state; the detection takes its second.
        try namespace.run("ip link add eth0 type veth peer name far0; ip link set far0 up; ip link set eth0 up")
        let agent = try await AgentProcess.run(in: namespace, "--settle-up", "0")
        try namespace.run("ip -6 route add default via fe80::1 dev eth0; ip addr add 2001:db8::2/64 dev eth0")
        try await agent.next("path.changed") { $0.to?.path.ipv6?.reason == "address_tentative" }
        let up = try await agent.settles(on: "other")
        #expect(up.to?.path.ipv6?.source == "2001:db8::2")
        #expect(up.to?.path.ipv4?.reason == "no_route")
    }

    @Test("the loss of one of two families is published, and the other stays reachable")
    func dualStack() async throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        try namespace.run(
            "ip addr add 2001:db8::2/64 dev eth0 nodad; ip -6 route add default via 2001:db8::1 dev eth0"
        )
        let agent = try await AgentProcess.run(in: namespace, "--settle-down", "0")
        try namespace.ip("-6 route del default")
        let lost = try await agent.next("reachability.changed")
        #expect(lost.to?.via.rawValue == "other")
        #expect(lost.to?.path.ipv6?.via.rawValue == "none")
        #expect(lost.to?.path.ipv4?.via.rawValue == "other")
        #expect(lost.cause?.code == "route_removed")
    }

    @Test("the route with the lower metric wins; when it is lost, the other takes over until it returns")
    func failover() async throws {
        let kinds = ["--interface-kind", "wlan*=wifi", "--interface-kind", "wwan*=wwan"]
        try namespace.makeLink("wlan0", peer: "ap0", address: "192.0.2.2/24", gateway: "192.0.2.1", metric: 600)
        try namespace.makeLink("wwan0", peer: "net0", address: "198.51.100.2/24", gateway: "198.51.100.1", metric: 700)
        let agent = try await AgentProcess.run(
            in: namespace,
            kinds[0],
            kinds[1],
            kinds[2],
            kinds[3],
            "--settle-up",
            "0"
        )
        try namespace.ip("addr flush dev wlan0")
        let over = try await agent.settles(on: "wwan")
        #expect(over.from?.via.rawValue == "wifi")
        #expect(over.to?.afStatus == 1)
        #expect(over.to?.path.metric == 700)
        try namespace.run(
            "ip addr add 192.0.2.2/24 dev wlan0; ip route add default via 192.0.2.1 dev wlan0 metric 600"
        )
        let back = try await agent.settles(on: "wifi")
        #expect(back.from?.via.rawValue == "wwan")
    }

    @Test("a loss shorter than the settle time is published as edges, not as a loss")
    func settling() async throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let agent = try await AgentProcess.run(in: namespace, "--settle-down", "30s")
        try namespace.ip("link set far0 down")
        try await agent.next("path.changed") { $0.to?.via.rawValue == "none" }
        try namespace.ip("link set far0 up")
        try await agent.next("path.changed") { $0.to?.via.rawValue == "other" }
        #expect(try await agent.stop().status == 0)
        // The first view alone; what came between the edges counts too.
        #expect(agent.events.filter { $0.name == "reachability.changed" }.map(\.to?.via.rawValue) == ["other"])
    }
}
