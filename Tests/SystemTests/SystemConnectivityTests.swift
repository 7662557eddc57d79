import Foundation
import Testing

/// The built agent's connectivity on a real kernel: a captive portal behind real Wi-Fi, and a machine that was suspended.
@Suite(.serialized, .enabled(if: SystemLab.obstacle == nil, "\(SystemLab.obstacle ?? "")"))
struct SystemConnectivityTests {
    /// An event, as far as these tests look at it.
    private struct Event: Decodable {
        struct State: Decodable {
            let via: String?
            let connectivity: String?
            let portal_url: String?
        }

        struct Data: Decodable {
            let to: State?
            let suspended_ms: Int?
        }

        let type: String
        let subject: String
        let data: Data

        var name: String { String(type.dropFirst("reachagent.".count)) }
        var state: String { [data.to?.via, data.to?.connectivity].compactMap(\.self).joined(separator: " ") }
    }

    private func events(_ result: SystemLab.Result) throws -> [Event] {
        try result.lines("events.jsonl").map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
    }

    @Test
    func `a captive portal behind Wi-Fi, the login, and the failover to cellular are told in that order`() async throws
    {
        let result = try await SystemLab.result(of: "portal")
        // The network is what the scenario says: nobody but the agent can be wrong about it.
        let checks = result.steps.filter { $0.step == "checked" }
        #expect(checks.map(\.name) == ["cellular", "portal"])
        #expect(checks.map(\.http) == ["ok", "failed http_status"])
        #expect(checks.map(\.https) == ["ok", "failed tls_untrusted_root"])

        let changes = try events(result).filter { $0.name == "reachability.changed" && $0.subject == "default" }
        let states = changes.map(\.state).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(states.drop { $0 != "wifi portal" } == ["wifi portal", "wifi full", "wwan full"])
        let captive = changes.first { $0.state == "wifi portal" }
        #expect(captive?.data.to?.portal_url == "http://192.168.50.1/login")
        #expect(changes.last?.data.to?.portal_url == nil)
        #expect(result.step("failed_over")?.kernel_choice == "ppp0")
        #expect(result.step("agent_exited")?.status == 0)
    }

    @Test
    func `after a suspension that is the first thing told, and checks are made at once`() async throws {
        let result = try await SystemLab.result(of: "suspend")
        let before = try #require(result.step("suspend")?.events)
        let after = try events(result).dropFirst(before)
        #expect(after.first?.name == "suspend.resumed")
        #expect((after.first?.data.suspended_ms ?? 0) >= 3000)
        #expect(!after.contains { $0.name == "reachability.changed" })
        #expect(result.step("checked") != nil)
        #expect(result.step("agent_exited")?.status == 0)
    }
}
