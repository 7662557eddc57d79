import AgentEvents
import AgentTestKit
import Testing

/// The agent on paths that lose some or all packets, and on a second uplink.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationConnectivityPathTests {
    private static let onlyIPv4 = #"families = "ipv4""#

    private let network: ConnectivityNetwork

    init() async throws {
        network = try ConnectivityNetwork()
        try await network.webServer()
    }

    @Test
    func `one broken family is partial, and named`() async throws {
        let agent = try ConnectivityAgent(on: network, network.probe("web", "http://web.test/", #"families = "each""#))
        // The first family with a verdict makes the machine full.
        try await agent.next("reachability.changed", "wired full in both families") {
            $0.after == "wired full" && $0.to?.connectivityByFamily == .init(ipv4: .full, ipv6: .full)
        }
        try network.forward("meta nfproto ipv6 drop")
        let partial = try await agent.settles("wired partial connect_timeout")
        #expect(partial.to?.connectivityByFamily == .init(ipv4: .full, ipv6: .local))
        #expect(partial.to?.connectivityProbe == "web")
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired partial connect_timeout", "wired full"])
        #expect(agent.states(of: "web ipv6") == ["up", "down connect_timeout", "up"])
        #expect(agent.states(of: "web ipv4") == ["up"])
    }

    @Test
    func `with a black-holed default uplink the other one is known to work`() async throws {
        let agent = try ConnectivityAgent(
            on: network,
            network.probe("web", "http://web.test/", Self.onlyIPv4, #"interfaces = "each""#)
        )
        try await agent.settles("wired full", withUp: ["web ipv4", "web up0 ipv4"])
        try network.forward("iifname r0 drop")
        try await agent.settles("wired local connect_timeout")
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired local connect_timeout", "wired full"])
        #expect(agent.states(of: "web ipv4") == ["up", "down connect_timeout", "up"])
        #expect(agent.states(of: "web wwan0 ipv4") == ["up"])
        let used = agent.states(of: "web up0 ipv4")
        #expect(used.prefix(2) == ["up", "down connect_timeout"])
    }

    @Test
    func `a standby uplink that fails is reported, and changes nothing`() async throws {
        let agent = try ConnectivityAgent(
            on: network,
            network.probe("web", "http://web.test/", Self.onlyIPv4, #"interfaces = "each""#)
        )
        try await agent.settles("wired full")
        try network.forward("iifname r1 drop")
        try await agent.probe("web wwan0 ipv4", is: "down connect_timeout")
        try network.repair()
        try await agent.probe("web wwan0 ipv4", is: "up")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full"])
        #expect(agent.states(of: "web ipv4") == ["up"])
    }

    @Test
    func `lost replies are a loss like any other`() async throws {
        let agent = try ConnectivityAgent(on: network, network.probe("web", "http://web.test/", Self.onlyIPv4))
        try await agent.settles("wired full")
        try network.forward("iifname { r0, r1 } counter accept", "iifname s0 drop")
        try await agent.settles("wired local connect_timeout")
        #expect(try network.countedPackets() > 0)
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired local connect_timeout", "wired full"])
    }

    @Test
    func `the other uplink takes over in one transition, and gives back`() async throws {
        let agent = try ConnectivityAgent(
            on: network,
            settleDown: "3s",
            network.probe("web", "https://web.test/", #"families = "each""#)
        )
        try await agent.settles("wired full")
        try network.removeRoutes(of: .up0)
        let over = try await agent.settles("wwan full")
        #expect(over.before == "wired full")
        try network.setRoutes(of: .up0)
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wwan full", "wired full"])
        // The verdict about the new path is the same: no event reports it.
        #expect(agent.states(of: "web ipv4") == ["up"])
    }

    @Test
    func `with both uplinks gone there is no path, whatever the verdicts of the checks`() async throws {
        let agent = try ConnectivityAgent(
            on: network,
            settleDown: "3s",
            network.probe("web", "http://web.test/", Self.onlyIPv4)
        )
        try await agent.settles("wired full")
        try network.removeRoutes(of: .wwan0)
        try network.removeRoutes(of: .up0)
        let none = try await agent.next("reachability.changed", "none") { $0.to?.via.rawValue == "none" }
        #expect(none.to?.connectivity?.rawValue == "none")
        try network.setRoutes(of: .wwan0)
        try await agent.settles("wwan full")
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a path that swallows large packets works for small answers only`() async throws {
        let large = try await network.secondServer(certificate: .large)
        let agent = try ConnectivityAgent(
            on: network,
            network.probe("small", "http://web.test/generate_204", Self.onlyIPv4)
                + network.probe("large", "https://web.test:8443/", Self.onlyIPv4)
        )
        try await agent.settles("wired full", withUp: ["small ipv4", "large ipv4"])
        try await large.isAsked("https /")
        try network.forward("meta length > 1280 counter drop")
        try await agent.settles("wired partial https_unreachable")
        #expect(try network.countedPackets() > 0)
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states(of: "small ipv4") == ["up"])
        #expect(agent.states(of: "large ipv4") == ["up", "down timeout", "up"])
    }
}
