import AgentEvents
import AgentTestKit
import Testing

/// Captive portals, and what looks like one: every connection ends in the router, which answers for the server.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationConnectivityPortalTests {
    private static let onlyIPv4 = #"families = "ipv4""#

    private let network: ConnectivityNetwork
    private let portal: WebServer

    init() async throws {
        network = try ConnectivityNetwork()
        try await network.webServer()
        portal = try await network.portal()
    }

    /// A portal check beside a check with TLS, as the example configuration has them.
    private func agent(_ more: String = "") throws -> ConnectivityAgent {
        try ConnectivityAgent(
            on: network,
            settleDown: "3s",
            network.probe("captive", "http://web.test/generate_204", Self.onlyIPv4, "portal = true")
                + network.probe("web", "https://web.test/", Self.onlyIPv4) + more
        )
    }

    @Test(arguments: [("portal \(ConnectivityNetwork.portalURL)", "portal_redirect"), ("page", "portal_login_page")])
    func `a captive portal is reported with its address until the login`(order: String, code: String) async throws {
        try await portal.be(order)
        let agent = try agent()
        try await agent.settles("wired full", withUp: ["captive ipv4", "web ipv4"])
        try network.divert((from: 80, to: 8080), (from: 443, to: 8443))
        let captive = try await agent.settles("wired portal \(code)")
        #expect(captive.to?.connectivityProbe == "captive")
        if code == "portal_redirect" {
            #expect(captive.to?.portalURL == ConnectivityNetwork.portalURL)
        }
        try network.repair()
        let cleared = try await agent.settles("wired full")
        #expect(cleared.to?.portalURL == nil)
        #expect(try await agent.stop() == 0)
        // Neither a certificate nor a lost server was reported on the way in or out.
        #expect(agent.states == ["wired full", "wired portal \(code)", "wired full"])
        #expect(agent.states(of: "captive ipv4") == ["up", "portal \(code)", "up"])
        #expect(agent.states(of: "web ipv4") == ["up", "unknown behind_portal", "up"])
    }

    @Test
    func `failures before the portal's verdict bring no probe down and run no hook`() async throws {
        // Without being asked, the portal check would be half a minute late.
        let captive = network.probe("captive", "http://web.test/generate_204", Self.onlyIPv4, "portal = true")
        let web = network.probe("web", "https://web.test/", Self.onlyIPv4)
        let agent = try ConnectivityAgent(
            on: network,
            captive.replacing("\ninterval = \"1s\"", with: "\ninterval = \"30s\"")
                + web.replacing("fall = 2", with: "fall = 1") + """
                    [hook.probe]
                    command = ["true"]
                    on = "probe.changed"
                    when = { probe = "web", changed = "verdict" }

                    [hook.portal]
                    command = ["true"]
                    when = { to_connectivity = "portal" }

                    """
        )
        try await agent.settles("wired full")
        try network.divert((from: 80, to: 8080), (from: 443, to: 8443))
        try await agent.settles("wired portal portal_redirect")
        try await agent.next("hook.completed", "of the state's hook") { $0.subject == "portal" }
        #expect(try await agent.stop() == 0)
        #expect(agent.states(of: "web ipv4") == ["up", "unknown behind_portal"])
        // Its first verdict, when the agent had started.
        #expect(agent.events.filter { $0.name == "hook.completed" && $0.subject == "probe" }.count == 1)
    }

    @Test
    func `a target that is down after the login is reported down in due time`() async throws {
        let agent = try agent()
        try await agent.settles("wired full")
        try network.divert((from: 80, to: 8080), (from: 443, to: 8443))
        try await agent.settles("wired portal portal_redirect")
        try network.forward("tcp dport 443 reject with tcp reset")
        try network.endDiversion()
        try await agent.settles("wired partial https_unreachable")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired portal portal_redirect", "wired partial https_unreachable"])
        #expect(agent.states(of: "web ipv4").dropFirst() == ["unknown behind_portal", "down connect_refused"])
    }

    @Test
    func `a portal that is present at the start is reported first`() async throws {
        try network.divert((from: 80, to: 8080), (from: 443, to: 8443))
        let agent = try agent()
        try await agent.settles("wired portal portal_redirect")
        #expect(!agent.events.contains { $0.to?.connectivity?.rawValue == "full" })
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `wrong certificates without a portal check in sight make a portal likely, not certain`() async throws {
        let agent = try ConnectivityAgent(on: network, network.probe("web", "https://web.test/", Self.onlyIPv4))
        try await agent.settles("wired full")
        try network.divert((from: 80, to: 8080), (from: 443, to: 8443))
        try await agent.settles("wired partial portal_suspected")
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states(of: "web ipv4") == ["up", "down tls_untrusted_root", "up"])
    }

    @Test
    func `a forged certificate while HTTP is open is not a portal`() async throws {
        try await portal.be("certificate \(ConnectivityCertificates.Name.forged)")
        let agent = try agent(network.probe("plain", "http://web.test/", Self.onlyIPv4))
        try await agent.settles("wired full", withUp: ["captive ipv4", "web ipv4"])
        try network.divert((from: 443, to: 8443))
        let forged = try await agent.settles("wired partial tls_intercepted")
        #expect(forged.to?.portalURL == nil)
        try network.repair()
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired partial tls_intercepted", "wired full"])
        #expect(agent.states(of: "web ipv4") == ["up", "down tls_untrusted_root", "up"])
        #expect(agent.states(of: "captive ipv4") == ["up"])
    }
}
