import AgentTestKit
import Foundation
import Testing

/// A built agent in a namespace, and a built `reachagent-sink` beside it that ships to brokers of the tests.
///
/// The sink lives in the tests' own network, where the brokers are; the agent's sockets are files.
final class SinkLab: Sendable {
    /// The program.
    static let path = BuiltAgent.productsDirectory.appending(path: "reachagent-sink").path()

    let namespace: NetworkNamespace
    let directory: StreamDirectory

    /// The directory of the cursors.
    var state: String { "\(directory.path)/sinks" }
    /// The agent's configuration.
    var configuration: String { "\(directory.path)/reachagent.toml" }

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
    }

    /// Writes the agent's configuration.
    func configure(_ text: String) throws {
        try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    /// `[sink.NAME]` of a broker.
    static func sink(_ name: String, _ url: String, device: String = "edge-7", _ more: String...) -> String {
        (["[sink.\(name)]", "url = \"\(url)\"", "device = \"\(device)\""] + more).joined(separator: "\n") + "\n"
    }

    /// Starts the agent, and waits for its first view.
    func agent(_ more: String...) async throws -> AgentProcess {
        try await AgentProcess.start(
            in: namespace,
            directory.arguments(["--config", configuration] + more)
        )
    }

    /// Starts the sinks' program; its lines are its log.
    func sink() throws -> CommandLines {
        let words = ["--runtime-directory", directory.sockets, "--state-directory", state, "--log-level", "info"]
        return try CommandLines("exec '\(Self.path)' \(words.map { "'\($0)'" }.joined(separator: " ")) 2>&1")
    }

    /// Starts the sinks' program before there is an agent, with a list that is none yet.
    func sinkThatWaits() throws -> CommandLines {
        try FileManager.default.createDirectory(atPath: directory.sockets, withIntermediateDirectories: true)
        try "{}".write(toFile: "\(directory.sockets)/sinks.json", atomically: true, encoding: .utf8)
        return try sink()
    }

    /// The events of the journal in order, as the agent wrote them.
    func journal() async throws -> [String] {
        let command = try await directory.command("history", "--json", "--all", "--directory", directory.journal)
        guard command.status == 0 else {
            throw CommandFailure(command: "history", status: command.status, output: command.error)
        }
        return command.lines
    }

    /// Waits until a broker has every event of the journal, and returns both.
    func shipped(_ reader: NATSTestClient) async throws -> (events: ShippedEvents, journal: [String]) {
        let journal = try await journal()
        try reader.awaits(try #require(journal.last), in: "EVENTS")
        return (try ShippedEvents(of: "EVENTS", reader), journal)
    }

    /// Returns `true` while the sinks' program is connected to the agent.
    func isFollowed() async throws -> Bool {
        let reply = try await directory.command("subscribers", "--json", "--socket", directory.control).output
        let object = try JSONSerialization.jsonObject(with: Data(reply.utf8)) as? [String: Any]
        let subscribers = object?["subscribers"] as? [[String: Any]] ?? []
        return subscribers.contains {
            $0["command"] as? String == "reachagent-sink" && $0["state"] as? String == "live"
        }
    }

    /// The state of a sink, as the agent shows it.
    func status(of name: String) async throws -> [String: Any] {
        let sinks = try await directory.status()["sinks"] as? [[String: Any]] ?? []
        return sinks.first { $0["name"] as? String == name } ?? [:]
    }

    /// Waits until the agent shows a value in the state of a sink: it learns it by a report, for which there is no event.
    func awaitStatus<Value: Equatable>(of name: String, _ member: String, _ wanted: Value) async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        var value: Value?
        while ContinuousClock.now < end {
            value = try await status(of: name)[member] as? Value
            if value == wanted { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure(command: "wait for \(member) \(wanted)", status: 1, output: value.map { "\($0)" } ?? "")
    }
}

/// The events of one device in a stream of a broker, judged against the journal.
struct ShippedEvents {
    /// The payloads in the order of the stream.
    let payloads: [String]
    /// The ids (`Nats-Msg-Id`), in the same order.
    let ids: [String]
    /// The subjects, in the same order.
    let subjects: [String]

    init(of stream: String, _ reader: NATSTestClient) throws {
        let messages = try reader.messages(of: stream).map(\.message)
        payloads = messages.map { String(decoding: $0.payload, as: UTF8.self) }
        ids = messages.map { $0.headers["Nats-Msg-Id"] ?? "" }
        subjects = messages.map(\.subject)
    }

    /// The flaws beside a journal: events that are missing, doubled, out of order, or not as they were written.
    func flaws(beside journal: [String]) -> [String] {
        guard payloads != journal else { return [] }
        let (wanted, got) = (Set(journal), Set(payloads))
        var flaws: [String] = []
        func note(_ what: String, _ lines: [String]) {
            if !lines.isEmpty { flaws.append("\(lines.count) \(what): \(lines.prefix(2))") }
        }
        note("missing", journal.filter { !got.contains($0) })
        note("of no journal", payloads.filter { !wanted.contains($0) })
        if got.count < payloads.count { flaws.append("\(payloads.count - got.count) doubled") }
        if flaws.isEmpty { flaws.append("out of order") }
        return flaws
    }
}

extension NATSServer {
    /// Starts a server with a stream for everything that agents publish.
    static func withStream() async throws -> (NATSServer, NATSTestClient) {
        let server = try await NATSServer()
        let reader = try NATSTestClient(port: server.port)
        try reader.makeStream("EVENTS")
        return (server, reader)
    }

    /// Waits for the journal's newest event, and expects that a stream has each event once and in order.
    func expectAll(of journal: [String], in stream: String = "EVENTS") throws {
        let reader = try NATSTestClient(port: port)
        try reader.awaits(try #require(journal.last), in: stream)
        let events = try ShippedEvents(of: stream, reader)
        #expect(events.flaws(beside: journal) == [])
        #expect(Set(events.ids).count == events.ids.count)
    }
}

extension NATSTestClient {
    /// Waits until a stream's newest message is an event.
    func awaits(_ event: String, in stream: String, subject: String = "reachagent.>") throws {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        var newest = ""
        while ContinuousClock.now < end {
            let answer = try request("$JS.API.STREAM.MSG.GET.\(stream)", #"{"last_by_subj":"\#(subject)"}"#)
            let message = answer.json["message"] as? [String: Any]
            let data = (message?["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
            newest = String(decoding: data, as: UTF8.self)
            if newest == event { return }
            // The server tells nobody when it has stored something: it is asked again.
            usleep(20_000)
        }
        throw CommandFailure(command: "wait for \(event)", status: 1, output: newest)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips where there is no nats-server.
    static var withNATS: Self { .enabled(if: NATSServer.isInstalled, "nats-server is not installed") }
    /// Skips where there is no mosquitto.
    static var withMosquitto: Self { .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed") }
}
