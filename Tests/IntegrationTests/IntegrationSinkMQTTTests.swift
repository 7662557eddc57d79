import AgentTestKit
import Foundation
import Testing

/// The built `reachagent-sink` between a built agent and a real mosquitto.
@Suite(.inNamespace, .withMosquitto, .onOwnThread, .serialized, .timeLimit(.minutes(5)))
struct IntegrationSinkMQTTTests {
    @Test(arguments: ["3.1.1", "5"])
    func `events, the retained state and the last will arrive`(version: String) async throws {
        let lab = try SinkLab()
        let broker = try await MosquittoBroker()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        try lab.configure(SinkLab.sink("home", url, "mqtt_version = \"\(version)\""))
        let agent = try await lab.agent()
        let seen = try await broker.subscribe(to: ["reachagent/#"])
        let sink = try lab.sink()
        try await sink.next(containing: "sink home: connected")
        let change = try await lab.directory.turn(agent, to: 3)
        // Events, the state and the presence take ways of their own from the agent, and come in any order.
        let awaited = [
            ("", change.text), ("reachagent/edge-7/status", "online"), ("reachagent/edge-7/state", #""via":"other""#),
        ]
        func arrived(_ message: (topic: String, text: String)) -> Bool {
            lines.contains { $0.hasPrefix(message.topic) && $0.contains(message.text) }
        }
        var lines: [String] = []
        while !awaited.allSatisfy(arrived), let line = await seen.next() { lines.append(line) }
        for message in awaited { #expect(arrived(message), "\(message)") }
        for event in try await lab.journal() {
            #expect(lines.contains { $0.contains(event) }, "\(event)")
        }
        sink.signal(SIGKILL)
        let end = try await seen.next(containing: "reachagent/edge-7/status")
        #expect(end.contains("offline"))
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a reload without Home Assistant removes what it had found`() async throws {
        let lab = try SinkLab()
        let broker = try await MosquittoBroker()
        let url = "mqtt://127.0.0.1:\(broker.port)"
        try lab.configure(SinkLab.sink("home", url, "home_assistant = \"homeassistant\""))
        let agent = try await lab.agent()
        let seen = try await broker.subscribe(to: ["homeassistant/+/reachagent_edge-7/via/config"])
        let sink = try lab.sink()
        #expect(try await seen.next(containing: "/config").contains("Medium"))
        try lab.configure(SinkLab.sink("home", url))
        agent.signal(SIGHUP)
        #expect(await seen.next() == "homeassistant/sensor/reachagent_edge-7/via/config 0 [] [] ")
        sink.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a broker that retains no messages gets every event, and the status says so`() async throws {
        let lab = try SinkLab()
        var options = MosquittoBroker.Options()
        options.configuration = ["retain_available false"]
        let broker = try await MosquittoBroker(options)
        try lab.configure(SinkLab.sink("home", "mqtt://127.0.0.1:\(broker.port)"))
        let agent = try await lab.agent()
        let seen = try await broker.subscribe(to: ["reachagent/#"])
        let sink = try lab.sink()
        try await sink.next(containing: "sink home: connected")
        let change = try await lab.directory.turn(agent, to: 3)
        let lines = try await seen.lines(to: change.text)
        for event in try await lab.journal() {
            #expect(lines.contains { $0.contains(event) }, "\(event)")
        }
        #expect(!lines.contains { $0.contains("reachagent/edge-7/state ") || $0.contains("reachagent/edge-7/status ") })
        try await lab.awaitStatus(of: "home", "code", "broker_no_retain")
        try await lab.awaitStatus(of: "home", "state", "connected")
        sink.end()
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a position that could not be saved is saved at the end`() async throws {
        let lab = try SinkLab()
        let broker = try await MosquittoBroker()
        try lab.configure(SinkLab.sink("home", "mqtt://127.0.0.1:\(broker.port)"))
        let agent = try await lab.agent()
        // As on a full disk: no file can take the directory's place.
        let cursor = "\(lab.state)/home.cursor"
        try FileManager.default.createDirectory(atPath: cursor, withIntermediateDirectories: true)
        let sink = try lab.sink()
        // The first event is saved at once, and the rest after the least time between two attempts.
        for _ in 1...2 { try await sink.next(containing: "cannot save the position") }
        try FileManager.default.removeItem(atPath: cursor)
        sink.signal(SIGTERM)
        #expect(await sink.status() == 0)
        let text = try String(contentsOfFile: cursor, encoding: .utf8)
        let newest = try await lab.journal().count
        #expect(text.contains(#""seq":\#(newest),"#), "\(text)")
        #expect(try await agent.stop().status == 0)
    }

    @Test func `a sink ships without its positions on a read-only disk`() async throws {
        let lab = try SinkLab()
        try lab.configure(SinkLab.sink("home", "mqtt://127.0.0.1:9"))
        let agent = try await lab.agent()
        try lab.namespace.run("mkdir '\(lab.state)'; mount -t tmpfs -o ro tmpfs '\(lab.state)'")
        let words = ["--runtime-directory", lab.directory.sockets, "--state-directory", lab.state]
        let sink = try CommandLines("\(lab.namespace.command(SinkLab.path, words)) 2>&1")
        try await sink.next(containing: "[broker_unreachable]")
        sink.end()
        #expect(try await agent.stop().status == 0)
    }
}
