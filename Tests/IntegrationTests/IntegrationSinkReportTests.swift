import AgentEvents
import AgentTestKit
import Foundation
import Sinks
import Testing

/// A built agent with a sink, of which this test is the program that ships.
@Suite(.onOwnThread, .serialized, .timeLimit(.minutes(3)))
struct IntegrationSinkReportTests {
    /// Starts an agent with these tables.
    private static func agent(_ directory: StreamDirectory, _ text: String) async throws -> AgentProcess {
        let file = "\(directory.path)/agent.toml"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try await directory.agent("--config", file)
    }

    private static let fleet = "[sink.fleet]\nurl = 'nats://192.0.2.9'\ndevice = 'edge-7'\n"

    private static func report(_ name: String = "fleet", _ acknowledged: UInt64? = nil, stream: String = "other")
        -> String
    {
        let number = acknowledged.map { ",\"acknowledged_seq\":\($0)" } ?? ""
        return #"""
            {"method":"sink","parameters":{"status":{"name":"\#(name)","broker":"nats://192.0.2.9","state":"connected"\#(number)},\#
            "device":"edge-7","stream":"\#(stream)","bytes":100}}
            """#
    }

    private static func ask(_ directory: StreamDirectory, _ request: String) async throws -> String {
        let lines = try SocketLines(directory.control, request: request)
        return try #require(await lines.next())
    }

    private static func document(_ directory: StreamDirectory) throws -> SinkDocument? {
        let file = "\(directory.sockets)/\(SinkDocument.fileName)"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        return try JSONDecoder().decode(SinkDocument.self, from: Data(contentsOf: URL(filePath: file)))
    }

    private static func sink(_ directory: StreamDirectory) async throws -> [String: Any] {
        let sinks = try await directory.status()["sinks"] as? [[String: Any]]
        return try #require(sinks?.first)
    }

    @Test(.inNamespace)
    func `sinks are handed over, shown, and changed by a reload before its event`() async throws {
        let namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let directory = try StreamDirectory(in: namespace)
        let agent = try await Self.agent(directory, Self.fleet)
        #expect(try Self.document(directory)?.sinks.map(\.name) == ["fleet"])
        let stream = try #require(agent.events.first?.stream)
        #expect(try await Self.sink(directory)["state"] as? String == "absent")
        #expect(
            try await Self.ask(directory, Self.report("fleet", 2, stream: stream))
                == #"{"parameters":{"metered":false}}"#
        )
        let shown = try await Self.sink(directory)
        #expect(shown["broker"] as? String == "nats://192.0.2.9" && shown["acknowledged_seq"] as? Int == 2)
        #expect(try await Self.ask(directory, Self.report("other")).hasPrefix(#"{"error":"unknown_sink""#))
        // The event comes when the file is there already.
        let both = Self.fleet + Self.fleet.replacing("fleet", with: "home").replacing("192.0.2.9", with: "192.0.2.10")
        try both.write(toFile: "\(directory.path)/agent.toml", atomically: true, encoding: .utf8)
        agent.signal(SIGHUP)
        try await agent.next("config.reloaded", about: "agent")
        #expect(try Self.document(directory)?.sinks.map(\.name) == ["fleet", "home"])
        try "".write(toFile: "\(directory.path)/agent.toml", atomically: true, encoding: .utf8)
        agent.signal(SIGHUP)
        try await agent.next("config.reloaded", about: "agent")
        #expect(try Self.document(directory) == nil)
        #expect(try await directory.status()["sinks"] == nil)
        #expect(try await agent.stop().status == 0)
    }

    @Test(.inNamespace)
    func `a metered path is reported with the rest of its budget`() async throws {
        let namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let directory = try StreamDirectory(in: namespace)
        let metered = "[metered]\ninterfaces = ['eth*']\nbytes_per_day = 250\n"
        let agent = try await Self.agent(directory, metered + Self.fleet)
        for left in [150, 50, 0, 0] {
            let reply = try await Self.ask(directory, Self.report())
            #expect(reply == #"{"parameters":{"metered":true,"budget_bytes":\#(left)}}"#)
        }
        #expect(try await agent.stop().status == 0)
        // An orderly end keeps exactly what was used.
        let next = try await Self.agent(directory, metered + Self.fleet)
        #expect(try await Self.ask(directory, Self.report()).contains(#""budget_bytes":0"#))
        #expect(try await next.stop().status == 0)
    }

    @Test(.inNamespace)
    func `events that the journal removes unsent are lost exactly once, over kills of the agent`() async throws {
        let namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        let directory = try StreamDirectory(in: namespace)
        let limits = ["--journal-size", "48K"]
        var stream = ""
        var shipped: UInt64 = 0
        for round in 0..<4 {
            let file = "\(directory.path)/agent.toml"
            try Self.fleet.write(toFile: file, atomically: true, encoding: .utf8)
            let agent = try await AgentProcess.start(
                in: namespace,
                directory.arguments(["--config", file] + limits)
            )
            stream = agent.events.first?.stream ?? stream
            if round == 0 {
                shipped = 3
                _ = try await Self.ask(directory, Self.report("fleet", shipped, stream: stream))
            }
            for number in 3...9 { try await directory.turn(agent, to: number) }
            // The cursor is on the disk after the first one, which ends in order.
            if !round.isMultiple(of: 2) {
                agent.signal(SIGKILL)
                while try await agent.nextEvent() != nil {}
            } else {
                #expect(try await agent.stop().status == 0)
            }
        }
        // Whatever happened, the announced ranges follow one another, without a gap and without an overlap.
        let history = try await directory.command("history", "--json", "--all", "--directory", directory.journal)
        let losses = history.lines.compactMap { line -> SinkLoss? in
            guard case .sinkLost(let loss)? = AgentEvent(line: Array(line.utf8))?.content else { return nil }
            return loss
        }
        #expect(!losses.isEmpty)
        for loss in losses {
            #expect(loss.sink == "fleet" && loss.code == "events_expired")
            #expect(loss.firstSequence == shipped + 1, "\(losses)")
            shipped = loss.lastSequence
        }
    }

    @Test(.asRoot)
    func `only root and the agent's own user may report`() async throws {
        let namespace = try NetworkNamespace(root: .machine)
        let directory = try StreamDirectory(in: namespace)
        let agent = try await Self.agent(directory, Self.fleet)
        let words = ["--reuid", "12346", "--regid", "0", "--clear-groups", "nc", "-U", "-N", directory.control]
        let client = namespace.command("setpriv", words).dropFirst("exec ".count)
        let other = try CommandLines("echo '\(Self.report())' | \(client)")
        #expect(
            await other.next()?.hasPrefix(#"{"error":"permission_denied","parameters":{"message":"only root"#) == true
        )
        #expect(try await Self.sink(directory)["state"] as? String == "absent")
        #expect(try await Self.ask(directory, Self.report()).hasPrefix(#"{"parameters":"#))
        #expect(try await agent.stop().status == 0)
    }
}
