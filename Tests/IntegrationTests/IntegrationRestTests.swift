import AgentTestKit
import Foundation
import Testing

/// Agents that nothing happens to: each in a namespace of its own, and all of them in the same seconds.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationRestTests {
    /// A machine with a default route.
    private static func namespace() throws -> NetworkNamespace {
        let namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        return namespace
    }

    /// Returns the number of sleeps of each thread of a process, before and after five seconds without any event.
    private static func rest(of process: Int32) async throws -> (before: [String: String], after: [String: String]) {
        // Its earlier work ends meanwhile.
        try await Task.sleep(for: .seconds(3))
        let before = try ThreadSleeps.counts(of: process)
        try await Task.sleep(for: .seconds(5))
        return (before, try ThreadSleeps.counts(of: process))
    }

    @Test func `an agent that logs its changes has no extra thread, and does not wake up`() async throws {
        let namespace = try Self.namespace()
        let arguments = [
            "run", "--no-journal", "--no-sockets", "--settle-up", "0", "--settle-down", "0", "--format", "none",
            "--no-config",
        ]
        let log = try CommandLines("exec 2>&1 >/dev/null\n\(namespace.command(BuiltAgent.path, arguments))")
        try await log.next(containing: "reachability: ")
        try namespace.ip("route del default")
        try await log.next(containing: "reachability: ")
        log.signal(SIGUSR1)
        try await log.next(containing: "journal       none")
        let (before, after) = try await Self.rest(of: log.processIdentifier)
        #expect(after == before)
        #expect(!before.keys.contains { $0.hasSuffix(" log") })
    }

    @Test("an idle agent does not wake up, even with clients connected")
    func idle() async throws {
        let directory = try StreamDirectory(in: Self.namespace())
        let agent = try await directory.agent("--compress-journal")
        let reader = try SocketLines(directory.events)
        let subscriber = try SocketLines(directory.control, request: #"{"method":"subscribe","more":true}"#)
        // One that has not asked yet would be waited for, for a while.
        let asleep = try SocketLines(directory.control, request: #"{"method":"status"}"#)
        try await asleep.next(containing: "parameters")
        try await directory.turn(agent, to: 3)
        for client in [reader, subscriber] { try await client.next(containing: #""gateway":"192.0.2.3""#) }
        // The journal is forced onto the disk a second after the last event; then there is nothing more to do.
        let (before, after) = try await Self.rest(of: agent.processIdentifier)
        #expect(after.filter { before[$0.key] != $0.value } == [:], "before: \(before)")
        #expect(Set(before.keys) == Set(after.keys))
        withExtendedLifetime(asleep) {}
        #expect(try await agent.stop().status == 0)
    }

    @Test(.withHooks)
    func `an agent with hooks that nothing happens to does not wake up`() async throws {
        let lab = try HookLab(in: NetworkNamespace())
        try lab.makeLinks()
        try lab.put("etc/10-directory", "echo $REACH_TO_VIA")
        let agent = try await HookAgent.start(
            in: lab,
            """
            [hook.own]
            command = ["true"]
            at_start = true

            [hook.calm]
            command = ["true"]
            debounce = "200ms"

            [hook.fails]
            command = ["false"]

            [hook.remote]
            url = "http://127.0.0.1:8080/"
            retries = 0
            """
        )
        try await agent.completed("10-directory", for: agent.events.first(of: "reachability.changed"))
        try lab.use(.wifi)
        let change = try await agent.settles(on: "wifi")
        for hook in ["10-directory", "own", "calm", "fails", "remote"] { try await agent.completed(hook, for: change) }
        let (before, after) = try await Self.rest(of: agent.processIdentifier)
        #expect(after.filter { before[$0.key] != $0.value } == [:], "before: \(before)")
        #expect(Set(before.keys) == Set(after.keys))
        #expect(try await agent.stop() == 0)
    }
}
