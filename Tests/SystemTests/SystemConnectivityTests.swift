import AgentEvents
import AgentTestKit
import Testing

/// The built agent's connectivity on a real kernel: a captive portal behind real Wi-Fi, and a machine that was suspended.
@Suite(.serialized, .enabled(if: SystemLab.obstacle == nil, "\(SystemLab.obstacle ?? "")"))
struct SystemConnectivityTests {
    @Test
    func `a captive portal behind Wi-Fi, the login, and the failover to cellular are reported in order`() async throws {
        let result = try await SystemLab.result(of: "portal")
        // The network is what the scenario says: nobody but the agent can be wrong about it.
        let checks = result.steps.filter { $0.step == "checked" }
        #expect(checks.map(\.name) == ["cellular", "portal"])
        #expect(checks.map(\.http) == ["ok", "failed http_status"])
        #expect(checks.map(\.https) == ["ok", "failed tls_untrusted_root"])

        let changes = try result.events().filter { $0.name == "reachability.changed" && $0.subject == "default" }
        let states = changes.map { "\($0.to?.via.rawValue ?? "") \($0.to?.connectivity?.rawValue ?? "")" }.reduce(
            into: [String]()
        ) { if $0.last != $1 { $0.append($1) } }
        #expect(states.drop { $0 != "wifi portal" } == ["wifi portal", "wifi full", "wwan full"])
        let captive = changes.first { $0.to?.connectivity == .portal }
        #expect(captive?.to?.portalURL == "http://192.168.50.1/login")
        #expect(changes.last?.to?.portalURL == nil)
        #expect(result.step("failed_over")?.kernel_choice == "ppp0")
        #expect(result.step("agent_exited")?.status == 0)
    }

    @Test
    func `a suspend is the first event after the resume, and checks are made at once`() async throws {
        let result = try await SystemLab.result(of: "suspend")
        let before = try #require(result.step("suspend")?.events)
        let after = try result.events().dropFirst(before)
        #expect(after.first?.name == "suspend.resumed")
        #expect((after.first?.suspend?.suspendedMilliseconds ?? 0) >= 3000)
        #expect(!after.contains { $0.name == "reachability.changed" })
        #expect(result.step("checked") != nil)
        #expect(result.step("agent_exited")?.status == 0)
    }
}
