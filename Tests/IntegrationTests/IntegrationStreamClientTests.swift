import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// Clients that know nothing but the protocol, against the built agent.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationStreamClientTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory

    private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "examples")

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
    }

    @Test("socat and jq follow the events without a request")
    func socat() async throws {
        let agent = try await directory.agent()
        let filter = #"if .data.to then "\(.type) \(.data.to.path.gateway)" else .type end"#
        let client = try CommandLines(
            "socat -u UNIX-CONNECT:\(directory.events) - | jq --unbuffered -r '\(filter)'"
        )
        #expect(await client.next() == "reachagent.agent.hello")
        #expect(await client.next() == "reachagent.network.snapshot")
        try await directory.turn(agent, to: 7)
        #expect(await client.next() == "reachagent.path.changed 192.0.2.7")
        #expect(await client.next() == "reachagent.reachability.changed 192.0.2.7")
        #expect(try await agent.stop().status == 0)
        #expect(await client.rest() == ["reachagent.agent.stopping"])
    }

    @Test("nc follows the events and requests the status")
    func netcat() async throws {
        let agent = try await directory.agent()
        let client = try CommandLines("nc -U -d \(directory.events)")
        #expect(await client.next()?.contains("reachagent.agent.hello") == true)
        #expect(await client.next()?.contains("reachagent.network.snapshot") == true)
        try await directory.turn(agent, to: 7)
        #expect(await client.next()?.contains(#""gateway":"192.0.2.7""#) == true)
        let question = #"{"method":"status"}"#
        let answer = try CommandLines(
            "echo '\(question)' | nc -U -N \(directory.control) | jq -r .parameters.state.via"
        )
        #expect(await answer.rest() == ["other"])
        #expect(try await agent.stop().status == 0)
        #expect((await client.rest()).last?.contains("reachagent.agent.stopping") == true)
    }

    @Test("the Python example prints each event of the requested types once, even if the agent is killed")
    func python() async throws {
        let example = Self.examples.appending(path: "watch.py").path()
        try #require(FileManager.default.fileExists(atPath: example))
        let agent = try await directory.agent()
        let client = try CommandLines(
            "REACHAGENT_SOCKET=\(directory.control) exec python3 -u \(example) reachability.changed"
        )
        // It has no number, and came before everything that is expected below.
        let begin = try #require(await client.next())
        #expect(begin.hasPrefix("- "))
        #expect(begin.hasSuffix("reachagent.network.snapshot default other"))
        try namespace.ip("route del default")
        try await agent.settles(on: "none")
        try namespace.ip("route add default via 192.0.2.1 metric 100")
        try await agent.settles(on: "other")
        #expect(try await agent.stop(SIGKILL).status == SIGKILL)
        let next = try await directory.agent()
        try namespace.ip("route del default")
        let last = try await next.settles(on: "none")
        let wanted = (agent.events.dropFirst() + next.events)
            .filter { $0.name == "reachability.changed" && $0.seq ?? 0 > 0 }
            .map { "\($0.seq ?? 0) \($0.time) \($0.type) default \($0.to?.via.rawValue ?? "")" }
        // The first view of the first agent was over when the client came.
        let expected = Array(wanted.dropFirst())
        #expect(expected.count == 4)
        var printed: [String] = []
        while let line = await client.next() {
            printed.append(line)
            if line.hasPrefix("\(last.seq ?? 0) ") { break }
        }
        #expect(printed == expected)
        client.end()
        #expect(await client.rest() == [])
        #expect(try await next.stop().status == 0)
    }

    @Test("the Python example begins anew when the agent that it finds has another stream")
    func pythonAfterAnotherStream() async throws {
        let example = Self.examples.appending(path: "watch.py").path()
        let agent = try await directory.agent()
        let client = try CommandLines(
            "REACHAGENT_SOCKET=\(directory.control) exec python3 -u \(example) reachability.changed 2>&1"
        )
        #expect(await client.next()?.hasSuffix("reachagent.network.snapshot default other") == true)
        #expect(try await agent.stop().status == 0)
        try FileManager.default.removeItem(atPath: directory.journal)
        let next = try await directory.agent()
        var printed: [String] = []
        while let line = await client.next() {
            printed.append(line)
            if line.hasPrefix("- ") { break }
        }
        #expect(printed.contains { $0.hasPrefix("reachagent: stream_changed") })
        #expect(printed.contains { $0.hasPrefix("reachagent: events are missing") })
        #expect(printed.last?.hasSuffix("reachagent.network.snapshot default other") == true)
        try namespace.ip("route del default")
        let lost = try await next.settles(on: "none")
        #expect(await client.next()?.hasPrefix("\(lost.seq ?? 0) ") == true)
        client.end()
        #expect(try await next.stop().status == 0)
    }
}
