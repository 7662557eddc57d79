import Foundation
import ProbeTestKit
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

    /// A server's certificate, a portal's that nobody trusts, and a program that serves them, as the scenarios name them.
    private func payload(in folder: URL) throws -> [String] {
        let authority = try TestAuthority.standard()
        // With the same names, the chain would lead to the trusted root, and its signatures would be wrong.
        let foreign = try TestAuthority(
            root: .authority("Portal Root"),
            intermediate: .intermediate("Portal Authority")
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func file(_ name: String, _ text: String) throws -> String {
            let place = folder.appending(path: name).path()
            try text.write(toFile: place, atomically: true, encoding: .utf8)
            return place
        }
        func pair(_ name: String, _ issuer: IssuedCertificate, _ host: String) throws -> [String] {
            let leaf = try issuer.issue(
                CertificateTemplate.server(names: [host]).with {
                    $0.notBefore = Date(timeIntervalSinceNow: -30 * 86_400)
                    $0.notAfter = Date(timeIntervalSinceNow: 300 * 86_400)
                }
            )
            return [try file("\(name).pem", leaf.pem + issuer.pem), try file("\(name).key", leaf.key.pkcs8PEM)]
        }
        return [try file("root.pem", authority.root.pem), "/usr/bin/socat"]
            + (try pair("server", authority.intermediate, "web.test"))
            + (try pair("portal", foreign.intermediate, "login.portal.test"))
    }

    private func run(_ scenario: String) throws -> SystemLab.Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "payload-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try SystemLab.run(scenario, files: try payload(in: folder), seconds: 300)
    }

    @Test
    func `a captive portal behind Wi-Fi, the login, and the failover to cellular are told in that order`() throws {
        let result = try run("portal")
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
    func `after a suspension that is the first thing told, and checks are made at once`() throws {
        let result = try run("suspend")
        let before = try #require(result.step("suspend")?.events)
        let after = try events(result).dropFirst(before)
        #expect(after.first?.name == "suspend.resumed")
        #expect((after.first?.data.suspended_ms ?? 0) >= 3000)
        #expect(!after.contains { $0.name == "reachability.changed" })
        #expect(result.step("checked") != nil)
        #expect(result.step("agent_exited")?.status == 0)
    }
}
