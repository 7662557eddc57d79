import AgentTestKit
import Foundation
import Testing

/// `reachagent wait-online` in a script.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationStreamWaitTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory

    init() throws {
        namespace = try NetworkNamespace()
        directory = try StreamDirectory(in: namespace)
    }

    @Test("wait-online that starts before the agent and before any link gives status 0 once there is a link")
    func waits() async throws {
        let script = "\(BuiltAgent.path) wait-online --socket \(directory.control) --timeout 25s; echo status $?"
        let waiting = try CommandLines(script)
        let agent = try await directory.agent()
        let told = try SocketLines(directory.control, request: #"{"method":"subscribe","more":true}"#)
        #expect(await told.next()?.contains("agent.hello") == true)
        // It is connected, and there is nothing to be online with.
        var looks = 0
        while try await !directory.isWaitedFor() {
            looks += 1
            try #require(looks < 100)
            try await Task.sleep(for: .milliseconds(20))
        }
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        try await agent.settles(on: "other")
        #expect(await waiting.rest().last == "status 0")
        let again = try await directory.command("wait-online", "--socket", directory.control, "--timeout", "25s")
        #expect(again.status == 0)
        #expect(try await agent.stop().status == 0)
    }

    @Test("a wait that times out gives status 1 and the reason, or 69 if no agent answered")
    func timesOut() async throws {
        let nobody = try await directory.command("wait-online", "--socket", directory.control, "--timeout", "500ms")
        #expect(nobody.status == 69)
        #expect(nobody.error.contains(directory.control))
        let agent = try await directory.agent()
        let command = try await directory.command("wait-online", "--socket", directory.control, "--timeout", "5s")
        #expect(command.status == 1)
        #expect(command.error.contains("no_route"))
        #expect(try await agent.stop().status == 0)
    }
}
