import AgentTestKit
import Foundation
import Testing

/// `reachagent wait-online` in a script.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationStreamWaitTests {
    let namespace: NetworkNamespace
    let folder: StreamFolder

    init() throws {
        namespace = try NetworkNamespace()
        folder = try StreamFolder(in: namespace)
    }

    @Test("wait-online that starts before the agent and before any link gives status 0 once there is a link")
    func waits() async throws {
        let script = "\(BuiltAgent.path) wait-online --socket \(folder.control) --timeout 25s; echo status $?"
        let waiting = try CommandLines(script)
        let agent = try await folder.agent()
        let told = try SocketLines(folder.control, request: #"{"method":"subscribe","more":true}"#)
        #expect(await told.next()?.contains("agent.hello") == true)
        // It is connected, and there is nothing to be online with.
        var looks = 0
        while try await !folder.isWaitedFor() {
            looks += 1
            try #require(looks < 100)
            try await Task.sleep(for: .milliseconds(20))
        }
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        try await agent.settles(on: "other")
        #expect(await waiting.rest().last == "status 0")
        let again = try await folder.command("wait-online", "--socket", folder.control, "--timeout", "25s")
        #expect(again.status == 0)
        #expect(try await agent.stop().status == 0)
    }

    @Test("a wait that times out gives status 1 and the reason, or 69 if no agent answered")
    func timesOut() async throws {
        let nobody = try await folder.command("wait-online", "--socket", folder.control, "--timeout", "500ms")
        #expect(nobody.status == 69)
        #expect(nobody.error.contains(folder.control))
        let agent = try await folder.agent()
        let command = try await folder.command("wait-online", "--socket", folder.control, "--timeout", "5s")
        #expect(command.status == 1)
        #expect(command.error.contains("no_route"))
        #expect(try await agent.stop().status == 0)
    }
}
