import AgentEvents
import AgentTestKit
import Foundation
import Testing

/// The past of several runs, as `reachagent history` tells it.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationHistoryTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
    }

    private struct Line: Decodable, Equatable {
        let seq: UInt64
        let type: String
        let time: String
    }

    private func history(since: String) async throws -> [Line] {
        let command = try await directory.command(
            "history",
            "--json",
            "--since",
            since,
            "--directory",
            directory.journal
        )
        #expect(command.status == 0)
        return try command.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test("history since a start holds all events from that start on, in order of number and time")
    func sinceRestart() async throws {
        var starts: [UInt64] = []
        for gateway in [3, 4, 5] {
            let agent = try await directory.agent()
            starts.append(try #require(agent.events.first?.seq))
            try await directory.turn(agent, to: gateway)
            #expect(try await agent.stop().status == 0)
        }
        let all = try await history(since: "0")
        #expect(all.map(\.seq) == Array(1...max(1, all.last?.seq ?? 0)))
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.time <= $1.time })
        for seq in starts {
            let start = try #require(all.first { $0.seq == seq })
            #expect(start.type == "reachagent.agent.started")
            #expect(try await history(since: start.time) == all.filter { $0.seq >= seq })
        }
    }

    @Test("a follower continues when the directory is removed or moved, and begins anew with another journal")
    func followsReplacement() async throws {
        let first = try await directory.agent()
        let follower = try CommandLines(
            namespace.command(BuiltAgent.path, ["history", "--follow", "--json", "--directory", directory.journal])
        )
        try await follower.next(containing: #""type":"reachagent.agent.started""#)
        for (gateway, command) in [(3, "rm -r"), (4, "mv --target-directory \(directory.sockets)")] {
            try namespace.run("\(command) \(directory.journal)")
            // The agent looks for its files at most once a second, with an event.
            var round = 0
            while !FileManager.default.fileExists(atPath: "\(directory.journal)/stream") {
                round += 1
                try await directory.turn(first, to: 10 + round % 200)
            }
            try await directory.turn(first, to: gateway)
            try await follower.next(containing: #""gateway":"192.0.2.\#(gateway)""#)
        }
        #expect(try await first.stop().status == 0)
        try await follower.next(containing: #""type":"reachagent.agent.stopping""#)

        try namespace.run("rm -r \(directory.journal)")
        let second = try await directory.agent()
        let line = try await follower.next(containing: #""type":"reachagent.agent.started""#)
        #expect(try SeenEvent(line).seq == 1)
        #expect(try await second.stop().status == 0)
        try await follower.next(containing: #""type":"reachagent.agent.stopping""#)
        follower.end()
    }

    @Test("a follower continues when a directory above is replaced", arguments: ["inner", "inner/most"])
    func followsReplacementAbove(_ levels: String) async throws {
        let above = "\(directory.journal)-above"
        func copy(to name: String) throws {
            let parent = "\(above)/\(levels.replacing("inner", with: name))"
            try namespace.run("mkdir -p \(parent) && cp -r \(directory.journal) \(parent)/journal")
        }
        #expect(try await directory.agent().stop().status == 0)
        try copy(to: "inner")
        let path = "\(above)/\(levels)/journal"
        let follower = try CommandLines(
            namespace.command(BuiltAgent.path, ["history", "--follow", "--json", "--directory", path])
        )
        try await follower.next(containing: #""type":"reachagent.agent.stopping""#)
        try namespace.run("rm -r \(directory.journal)")
        #expect(try await directory.agent().stop().status == 0)
        try copy(to: "next")
        try namespace.run("mv \(above)/inner \(above)/old && mv \(above)/next \(above)/inner")
        try await follower.next(containing: #""type":"reachagent.agent.started""#)
        try await follower.next(containing: #""type":"reachagent.agent.stopping""#)
        follower.end()
    }
}
