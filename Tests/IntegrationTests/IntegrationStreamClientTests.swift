import AgentTestKit
import Foundation
import Testing

/// Clients that know nothing but the protocol, against the built agent.
@Suite(.inNamespace, .serialized)
struct IntegrationStreamClientTests {
    let namespace: NetworkNamespace
    let folder: StreamFolder

    private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "examples")

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        folder = try StreamFolder(in: namespace)
    }

    @Test("socat and jq follow the events without a request")
    func socat() async throws {
        let agent = try await folder.agent()
        let filter = #"if .data.to then "\(.type) \(.data.to.path.gateway)" else .type end"#
        let client = try CommandLines("socat - UNIX-CONNECT:\(folder.events) </dev/null | jq --unbuffered -r '\(filter)'")
        #expect(await client.next() == "reachagent.agent.hello")
        #expect(await client.next() == "reachagent.network.snapshot")
        try await folder.turn(agent, to: 7)
        #expect(await client.next() == "reachagent.path.changed 192.0.2.7")
        #expect(await client.next() == "reachagent.reachability.changed 192.0.2.7")
        #expect(try await agent.stop().status == 0)
        #expect(await client.rest() == ["reachagent.agent.stopping"])
    }

    @Test("nc follows the events, and asks for the status")
    func netcat() async throws {
        let agent = try await folder.agent()
        let client = try CommandLines("nc -U -d \(folder.events)")
        #expect(await client.next()?.contains("reachagent.agent.hello") == true)
        #expect(await client.next()?.contains("reachagent.network.snapshot") == true)
        try await folder.turn(agent, to: 7)
        #expect(await client.next()?.contains(#""gateway":"192.0.2.7""#) == true)
        let question = #"{"method":"status"}"#
        let answer = try CommandLines("echo '\(question)' | nc -U -N \(folder.control) | jq -r .parameters.state.via")
        #expect(await answer.rest() == ["other"])
        #expect(try await agent.stop().status == 0)
        #expect((await client.rest()).last?.contains("reachagent.agent.stopping") == true)
    }

    @Test("the example in Python follows the types it asked for, and goes on where it was with the next agent")
    func python() async throws {
        let example = Self.examples.appending(path: "watch.py").path()
        try #require(FileManager.default.fileExists(atPath: example))
        let agent = try await folder.agent()
        try await folder.turn(agent, to: 5)
        let client = try CommandLines("exec python3 -u \(example) \(folder.control) reachability.changed")
        try await folder.turn(agent, to: 6)
        #expect(try await client.next(containing: "192.0.2.6").contains("reachability.changed"))
        #expect(try await agent.stop(SIGKILL).status == SIGKILL)
        let next = try await folder.agent()
        // The kernel's state is the same, but the new agent's first view is a transition, and it is not missed.
        #expect(try await client.next(containing: "192.0.2.6").contains("reachability.changed"))
        try await folder.turn(next, to: 8)
        #expect(try await client.next(containing: "192.0.2.8").contains("reachability.changed"))
        client.end()
        #expect(!(await client.rest()).contains { $0.contains("path.changed") })
        #expect(try await next.stop().status == 0)
    }
}
