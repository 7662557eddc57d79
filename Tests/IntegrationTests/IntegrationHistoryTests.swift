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
}
