import AgentEvents
import AgentTestKit
import Testing

/// The agent with servers and name servers that fail and recover: states, codes and their order.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationConnectivityServerTests {
    private static let onlyIPv4 = #"families = "ipv4""#

    @Test
    func `a server that stops leaves the link local, with the check's code, until it is back`() async throws {
        let network = try ConnectivityNetwork()
        let server = try await network.webServer()
        let agent = try ConnectivityAgent(on: network, network.probe("web", "http://web.test/", Self.onlyIPv4))
        try await agent.settles("wired full")
        try await server.be("stop")
        let down = try await agent.settles("wired partial connect_refused")
        #expect(down.to?.connectivityProbe == "web")
        try await server.be("start")
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired partial connect_refused", "wired full"])
        #expect(agent.states(of: "web ipv4") == ["up", "down connect_refused", "up"])
        // A probe's verdict is published before the state that follows from it.
        let order = agent.events.compactMap { $0.after }
        let verdict = try #require(order.firstIndex(of: "down connect_refused"))
        let state = try #require(order.firstIndex(of: "wired partial connect_refused"))
        #expect(verdict < state)
    }

    @Test
    func `an answer with the wrong status is a failure of the server's, not of the network's`() async throws {
        let network = try ConnectivityNetwork()
        let server = try await network.webServer()
        let agent = try ConnectivityAgent(on: network, network.probe("web", "http://web.test/", Self.onlyIPv4))
        try await agent.settles("wired full")
        try await server.be("sabotage")
        try await agent.probe("web ipv4", is: "down http_status")
        try await server.be("open")
        try await agent.probe("web ipv4", is: "up")
        #expect(try await agent.stop() == 0)
        #expect(agent.states(of: "web ipv4") == ["up", "down http_status", "up"])
    }

    @Test
    func `HTTP without HTTPS is partial, and says so`() async throws {
        let network = try ConnectivityNetwork()
        try await network.webServer()
        let agent = try ConnectivityAgent(
            on: network,
            network.probe("plain", "http://web.test/", Self.onlyIPv4)
                + network.probe("secure", "https://web.test/", Self.onlyIPv4)
        )
        try await agent.settles("wired full", withUp: ["plain ipv4", "secure ipv4"])
        try network.forward("tcp dport 443 reject with tcp reset")
        try await agent.settles("wired partial https_unreachable")
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired partial https_unreachable", "wired full"])
        #expect(agent.states(of: "secure ipv4") == ["up", "down connect_refused", "up"])
        #expect(agent.states(of: "plain ipv4") == ["up"])
    }

    @Test
    func `a quorum of one is full with one probe of two, and missed by both`() async throws {
        let network = try ConnectivityNetwork()
        try await network.webServer()
        let agent = try ConnectivityAgent(
            on: network,
            settleDown: "3s",
            "[connectivity]\nquorum = 1\n\n" + network.probe("plain", "http://web.test/", Self.onlyIPv4)
                + network.probe("other", "tcp://web.test:443", Self.onlyIPv4)
        )
        try await agent.settles("wired full", withUp: ["plain ipv4"])
        try network.forward("tcp dport 443 reject with tcp reset")
        try await agent.probe("other ipv4", is: "down connect_refused")
        try network.forward("tcp dport 80 drop")
        try await agent.settles("wired partial quorum_missed")
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired partial quorum_missed", "wired full"])
        // One of the two was enough for that, whichever came back first.
        #expect(agent.states(of: "plain ipv4").prefix(2) == ["up", "down connect_timeout"])
    }

    @Test
    func `a silent name server is not the target's fault`() async throws {
        let network = try ConnectivityNetwork(usesHosts: false)
        try await network.webServer()
        let names = try network.nameServer()
        let agent = try ConnectivityAgent(on: network, network.probe("web", "http://web.test/", Self.onlyIPv4))
        try await agent.settles("wired full")
        try network.forward("udp dport 53 drop")
        try await agent.settles("wired local dns_timeout")
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired local dns_timeout", "wired full"])
        #expect(agent.states(of: "web ipv4") == ["up", "unknown dns_timeout", "up"])
        #expect(names.stop().contains("A web.test"))
    }

    @Test
    func `without a name server, checks without a name continue`() async throws {
        let network = try ConnectivityNetwork(usesHosts: false)
        try await network.webServer()
        let names = try network.nameServer()
        let agent = try ConnectivityAgent(
            on: network,
            network.probe("named", "http://web.test/", Self.onlyIPv4)
                + network.probe("literal", "http://\(ConnectivityNetwork.serverAddress)/")
        )
        try await agent.settles("wired full", withUp: ["named ipv4"])
        _ = names.stop()
        let partial = try await agent.settles("wired partial dns_failure")
        #expect(partial.to?.connectivityProbe == "named")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired partial dns_failure"])
        #expect(agent.states(of: "named ipv4") == ["up", "unknown dns_failure"])
        #expect(agent.states(of: "literal ipv4") == ["up"])
    }

    @Test
    func `a certificate with a fifth of its lifetime left is reported once, and works`() async throws {
        let network = try ConnectivityNetwork()
        let server = try await network.webServer()
        try await server.be("certificate \(ConnectivityCertificates.Name.ending)")
        // Two points of one probe see the same certificate.
        let agent = try ConnectivityAgent(
            on: network,
            network.probe("web", "https://web.test/", Self.onlyIPv4, #"interfaces = "each""#)
        )
        let told = try await agent.next("certificate.expiring", "web") { $0.subject == "web" }
        #expect(told.expiry.map { (20...25).contains($0.percentLeft) } == true)
        try await server.isAsked("https /", times: 6)
        #expect(try await agent.stop() == 0)
        #expect(agent.events.filter { $0.name == "certificate.expiring" }.count == 1)
        #expect(agent.states(of: "web ipv4") == ["up"])
    }
}
