import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The end of the built agent while others listen, and its start after a crash.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationStreamShutdownTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private let request = #"{"method":"subscribe","more":true}"#

    @Test("on shutdown every subscriber is notified, any other client sees the end, and a stalled one delays none")
    func goodbye() async throws {
        let agent = try await directory.agent()
        let readers = try (0..<5).map { _ in try SocketLines(directory.events) }
        let subscribers = try (0..<5).map { _ in try SocketLines(directory.control, request: request) }
        let idle = try SocketLines(directory.control)
        // The one client is stopped by a signal, the other never reads.
        let stopped = try CommandLines("exec socat -u UNIX-CONNECT:\(directory.events) -")
        #expect(await stopped.next()?.contains("agent.hello") == true)
        stopped.signal(SIGSTOP)
        let silent = try SocketLines(directory.control, request: request, reads: false)
        try await directory.turn(agent, to: 3)
        for client in readers + subscribers { try await client.next(containing: #""gateway":"192.0.2.3""#) }

        let start = ContinuousClock.now
        let end = try await agent.stop()
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(end.status == 0)
        #expect(end.events.last?.name == "agent.stopping")
        let last = end.events.last?.seq ?? 0
        for reader in readers {
            let line = await reader.rest().last
            #expect(line?.contains(#""type":"reachagent.agent.stopping""#) == true)
            #expect(line?.contains(#""seq":\#(last),"#) == true)
        }
        for subscriber in subscribers {
            let lines = await subscriber.rest()
            #expect(lines.last == #"{"error":"agent_stopping","parameters":{"last_seq":\#(last)}}"#)
            #expect(lines.dropLast().last?.contains(#""type":"reachagent.agent.stopping""#) == true)
        }
        #expect(await idle.rest() == [])
        #expect(!exists(directory.events))
        #expect(!exists(directory.control))
        withExtendedLifetime(silent) { stopped.end() }
    }

    @Test("a second signal ends an agent that is already shutting down, in time and without a crash")
    func impatience() async throws {
        let agent = try await directory.agent()
        let silent = try SocketLines(directory.events, reads: false)
        agent.signal(SIGTERM)
        let end = try await agent.stop(SIGTERM)
        #expect([0, SIGTERM].contains(end.status))
        withExtendedLifetime(silent) {}
        let next = try await directory.agent()
        #expect(try await next.stop().status == 0)
        let history = try await directory.history()
        #expect(history == Array(1...UInt64(history.count)))
    }

    @Test("the sockets of a killed agent are replaced by those of the next one")
    func staleSockets() async throws {
        let first = try await directory.agent()
        #expect(try await first.stop(SIGKILL).status == SIGKILL)
        #expect(exists(directory.events))
        #expect(try await directory.command("status", "--socket", directory.control).status == 69)
        let second = try await directory.agent()
        let answer = try await directory.status()["agent"] as? [String: Any]
        #expect(answer?["pid"] as? Int32 == second.processIdentifier)
        #expect(await (try SocketLines(directory.events)).next()?.contains("agent.hello") == true)
        #expect(try await second.stop().status == 0)
        #expect(!exists(directory.events))
    }
}
