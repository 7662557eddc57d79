import AgentEvents
import AgentTestKit
import Testing

/// A new configuration while the agent runs.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationConnectivityReloadTests {
    private static let onlyIPv4 = #"families = "ipv4""#

    private let network: ConnectivityNetwork
    private let web: String
    private let other: String

    init() async throws {
        network = try ConnectivityNetwork()
        try await network.webServer()
        web = network.probe("web", "http://web.test/", Self.onlyIPv4)
        other = network.probe("other", "https://web.test/", Self.onlyIPv4)
    }

    @Test
    func `an unchanged probe keeps its verdict, and the changes are listed`() async throws {
        let agent = try ConnectivityAgent(on: network, web + other)
        try await agent.settles("wired full")
        let changed = network.probe("other", "https://web.test/generate_204", Self.onlyIPv4)
        let added = network.probe("more", "tcp://web.test:80", Self.onlyIPv4)
        try agent.reload(web + changed + added)
        let first = try await agent.next("config.reloaded", "with a new and a changed probe")
        #expect(first.reload?.added == ["probe.more"])
        #expect(first.reload?.changed == ["probe.other"])
        #expect(first.reload?.removed ?? [] == [])
        try await agent.probe("more ipv4", is: "up")
        try agent.reload(web)
        let second = try await agent.next("config.reloaded", "without two probes")
        #expect(second.reload?.removed.sorted() == ["probe.more", "probe.other"])
        #expect(try await agent.stop() == 0)
        #expect(agent.events.filter { $0.name == "probe.changed" && $0.subject == "web" }.count == 1)
        #expect(agent.states.filter { $0 != "wired unknown" } == ["wired full"])
    }

    @Test
    func `a file with an error changes nothing, and is named with its line`() async throws {
        let agent = try ConnectivityAgent(on: network, web + other)
        try await agent.settles("wired full")
        try agent.reload(web + other + "[probe.broken]\ntarget = \"http://web.test/\"\nintervall = \"1s\"\n")
        let message = try await agent.message(containing: "probe.broken.intervall")
        #expect(message.contains(".toml:"))
        try await agent.next("config.rejected", "with the error")
        #expect(try await agent.ask("status").output.contains("! configuration rejected:"))
        try network.forward("tcp dport 443 drop")
        try await agent.probe("other ipv4", is: "down connect_timeout")
        #expect(!agent.events.contains { $0.name == "config.reloaded" })
        try agent.reload(web + other)
        // The event comes before the status has forgotten the error, the message after it.
        try await agent.message(containing: "the configuration is valid again")
        if !agent.events.contains(where: { $0.name == "config.reloaded" }) {
            try await agent.next("config.reloaded", "after the mending")
        }
        #expect(try await !agent.ask("status").output.contains("configuration rejected"))
        #expect(try await agent.stop() == 0)
        #expect(agent.states(of: "web ipv4") == ["up"])
    }

    @Test
    func `a removed check no longer counts`() async throws {
        let agent = try ConnectivityAgent(on: network, web + other)
        try await agent.settles("wired full")
        try network.forward("tcp dport 443 drop")
        try await agent.settles("wired partial https_unreachable")
        try agent.reload(web)
        try await agent.settles("wired full")
        #expect(try await agent.stop() == 0)
        #expect(agent.states == ["wired full", "wired partial https_unreachable", "wired full"])
    }

    @Test
    func `over the socket a reload is answered with the changes, or with every error`() async throws {
        let agent = try ConnectivityAgent(on: network, web + other)
        try await agent.settles("wired full")
        try agent.write(web + "[probe.broken]\ntarget = \"http://web.test/\"\nrise = 0\nfall = \"x\"\n")
        let refused = try await agent.ask("reload")
        #expect(refused.status == 78)
        #expect(refused.error.contains("probe.broken.rise") && refused.error.contains("probe.broken.fall"))
        try agent.write(web)
        let accepted = try await agent.ask("reload", "--json")
        #expect(accepted.status == 0)
        #expect(accepted.output.contains(#""removed":["probe.other"]"#))
        try await agent.next("config.reloaded", "without one probe") { $0.reload?.removed == ["probe.other"] }
        #expect(try await agent.stop() == 0)
    }

    @Test
    func `a check on request is made at once`() async throws {
        let rare = web.replacing(#"interval = "1s""#, with: #"interval = "1h""#)
        let agent = try ConnectivityAgent(on: network, rare)
        try await agent.settles("wired full")
        try network.forward("tcp dport 80 reject with tcp reset")
        let check = try await agent.ask("check", "web")
        #expect(check.status == 1)
        #expect(check.output.hasPrefix("failed       web"), "\(check.output)")
        #expect(check.output.contains("connect_refused in phase connect"))
        #expect(try await agent.ask("check", "--no-wait").status == 0)
        try await agent.settles("wired partial connect_refused")
        let unknown = try await agent.ask("check", "wob")
        #expect(unknown.status == 64)
        #expect(unknown.error.contains("there are web"))
        #expect(try await agent.ask("status").output.contains("connect_refused"))
        #expect(try await agent.stop() == 0)
    }
}
