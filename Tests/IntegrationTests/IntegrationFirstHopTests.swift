import AgentTestKit
import Testing

/// The check of the gateways, in a namespace whose kernel lets nobody send echoes: the neighbour entry alone tells.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationFirstHopTests {
    private let network: ConnectivityNetwork

    init() throws { network = try ConnectivityNetwork() }

    private static let configuration = """
        [connectivity]
        first_hop = true

        [probe.web]
        target = "http://web.test/generate_204"
        families = "ipv4"
        interval = "1s"
        timeout = "1s"
        """

    @Test
    func `a gateway is up while nothing answers beyond it, and down when it is silent itself`() async throws {
        try await network.webServer()
        let agent = try ConnectivityAgent(on: network, Self.configuration)
        try await agent.probe("first-hop up0 ipv4", is: "up")
        try network.forward("iifname { r0, r1 } drop")
        try await agent.settles("wired local connect_timeout")
        #expect(!agent.events.contains { $0.point == "first-hop up0 ipv4" && $0.after?.hasPrefix("down") == true })
        // It answers neighbour discovery no more, and what the machine knows of it is forgotten.
        try network.machine.namespace.run(
            "ip netns exec router sysctl -qw net.ipv4.conf.r0.arp_ignore=8; ip neigh flush dev up0"
        )
        try await agent.probe("first-hop up0 ipv4", is: "down host_unreachable")
        try network.machine.namespace.run("ip netns exec router sysctl -qw net.ipv4.conf.r0.arp_ignore=0")
        try network.repair()
        try await agent.settles("wired full", withUp: ["first-hop up0 ipv4"])
        #expect(try await agent.stop() == 0)
    }
}
