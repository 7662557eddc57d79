import AgentTestKit
import Testing

/// The network of the connectivity tests does what those tests say about it: shown by single checks from the command line.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationConnectivityNetworkTests {
    private let network: ConnectivityNetwork

    init() throws { network = try ConnectivityNetwork() }

    @Test
    func `both uplinks lead to the server by both families, with and without TLS`() async throws {
        let server = try await network.webServer()
        for uplink in ["up0", "wwan0"] {
            for family in ["--ipv4", "--ipv6"] {
                #expect(
                    try await network.check("http://web.test/generate_204", family, "--interface", uplink) == "ok 0",
                    "\(uplink) \(family)"
                )
                try await server.isAsked("http /generate_204")
                #expect(try await network.check("https://web.test/", family, "--interface", uplink) == "ok 0")
                try await server.isAsked("https /")
            }
        }
    }

    @Test
    func `a stopped server refuses connections, and answers again after a start`() async throws {
        let server = try await network.webServer()
        try await server.be("stop")
        #expect(try await network.check("http://web.test/") == "failed connect_refused 1")
        try await server.be("start")
        #expect(try await network.check("http://web.test/") == "ok 0")
        try await server.be("sabotage")
        #expect(try await network.check("https://web.test/") == "failed http_status 1")
    }

    @Test
    func `the certificates match their names`() async throws {
        let server = try await network.webServer()
        let outcomes = [
            ("server", "ok 0"), ("large", "ok 0"), ("ending", "ok 0"), ("portal", "failed tls_untrusted_root 1"),
            ("forged", "failed tls_untrusted_root 1"),
        ]
        for (name, outcome) in outcomes {
            try await server.be("certificate \(name)")
            let found = try await network.check("https://web.test/")
            #expect(found == outcome, "\(name)")
        }
    }

    @Test
    func `a dropped family is silent, and the other one works`() async throws {
        try await network.webServer()
        try network.forward("meta nfproto ipv6 counter drop")
        #expect(try await network.check("http://web.test/", "--ipv6", timeout: "1s") == "failed connect_timeout 1")
        #expect(try network.countedPackets() > 0)
        #expect(try await network.check("http://web.test/", "--ipv4") == "ok 0")
        try network.repair()
        #expect(try await network.check("http://web.test/", "--ipv6") == "ok 0")
    }

    @Test
    func `dropped replies let the request through`() async throws {
        try await network.webServer()
        try network.forward(
            "iifname { r0, r1 } counter accept",
            "iifname s0 drop"
        )
        #expect(try await network.check("http://web.test/", "--ipv4", timeout: "1s") == "failed connect_timeout 1")
        #expect(try network.countedPackets() > 0)
        try network.repair()
        #expect(try await network.check("http://web.test/", "--ipv4") == "ok 0")
    }

    @Test
    func `a black hole behind one uplink does not affect the other`() async throws {
        try await network.webServer()
        try network.forward("iifname r0 drop")
        #expect(try await network.check("http://web.test/", "--ipv4", timeout: "1s") == "failed connect_timeout 1")
        #expect(try await network.check("http://web.test/", "--ipv4", "--interface", "wwan0") == "ok 0")
    }

    @Test
    func `large packets disappear, small ones do not`() async throws {
        let server = try await network.webServer()
        try await server.be("certificate large")
        try network.forward("meta length > 1280 counter drop")
        #expect(try await network.check("http://web.test/generate_204") == "ok 0")
        #expect(try network.countedPackets() == 0)
        #expect(try await network.check("https://web.test/", timeout: "1s") == "failed timeout 1")
        #expect(try network.countedPackets() > 0)
        try network.repair()
        #expect(try await network.check("https://web.test/") == "ok 0")
    }

    @Test(arguments: ["--ipv4", "--ipv6"])
    func `the portal answers for the server, with its own certificate`(family: String) async throws {
        let server = try await network.webServer()
        let portal = try await network.portal()
        #expect(try await network.check("http://web.test/generate_204", family, "--expect-status", "204") == "ok 0")
        try network.divert((from: 80, to: 8080), (from: 443, to: 8443))
        #expect(
            try await network.check("http://web.test/generate_204", family, "--expect-status", "204")
                == "failed http_status 1"
        )
        try await portal.isAsked("http /generate_204")
        let found = try await network.check("https://web.test/", family)
        #expect(found == "failed tls_untrusted_root 1")
        try network.repair()
        #expect(try await network.check("https://web.test/", family) == "ok 0")
        try await server.isAsked("https /")
    }

    @Test
    func `a router that resets one port leaves the other one working`() async throws {
        try await network.webServer()
        try network.forward("tcp dport 443 reject with tcp reset")
        #expect(try await network.check("https://web.test/", "--ipv4") == "failed connect_refused 1")
        #expect(try await network.check("http://web.test/", "--ipv4") == "ok 0")
    }

    @Test
    func `the name server answers, and is silent behind a rule`() async throws {
        let network = try ConnectivityNetwork(usesHosts: false)
        try await network.webServer()
        let names = try network.nameServer()
        #expect(try await network.check("http://web.test/", "--ipv4") == "ok 0")
        try network.forward("udp dport 53 drop")
        #expect(try await network.check("http://web.test/", "--ipv4", timeout: "1s") == "unknown dns_timeout 75")
        #expect(names.stop().contains("A web.test"))
        try network.repair()
        #expect(try await network.check("http://web.test/", "--ipv4") == "unknown dns_failure 75")
    }
}
