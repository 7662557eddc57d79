import AgentEvents
import AgentTestKit
import Foundation

/// A directory where agents that follow one another keep their journal and their sockets; it goes with this object.
final class StreamDirectory: Sendable {
    private let namespace: NetworkNamespace
    private let temporary: TemporaryDirectory

    var path: String { temporary.path }
    var journal: String { "\(path)/journal" }
    var sockets: String { "\(path)/run" }
    var events: String { "\(sockets)/events.sock" }
    var control: String { "\(sockets)/control.sock" }

    init(in namespace: NetworkNamespace) throws {
        self.namespace = namespace
        temporary = try TemporaryDirectory()
    }

    /// The arguments of an agent that publishes every change of the network at once.
    func arguments(_ more: [String] = []) -> [String] {
        [
            "run", "--settle-up", "0", "--settle-down", "0", "--journal-directory", journal, "--journal-segment-size",
            "16K", "--socket-directory", sockets,
        ] + more
    }

    /// Starts an agent and waits for its first view.
    func agent(_ more: String...) async throws -> AgentProcess {
        try await AgentProcess.start(in: namespace, arguments(more))
    }

    /// Makes the network change, and waits until the agent has published it.
    @discardableResult
    func turn(_ agent: AgentProcess, to number: Int) async throws -> SeenEvent {
        let gateway = "192.0.2.\(number)"
        try namespace.ip("route replace default via \(gateway) dev eth0 metric 100")
        return try await agent.next("reachability.changed") { $0.to?.path.gateway == gateway }
    }

    /// Runs a command of the agent's to its end.
    func command(_ arguments: String...) async throws -> FinishedCommand {
        try await namespace.finished(BuiltAgent.path, arguments)
    }

    /// The answer to `status`, as an object.
    func status() async throws -> [String: Any] {
        let command = try await command("status", "--json", "--socket", control)
        guard let object = try JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [String: Any] else {
            throw CommandFailure(command: "status", status: command.status, output: command.output + command.error)
        }
        return object
    }

    /// The state of the journal, as `status` reports it.
    func journalStatus() async throws -> [String: Any] { try await status()["journal"] as? [String: Any] ?? [:] }

    /// Returns `true` while a `wait-online` is connected to the agent.
    func isWaitedFor() async throws -> Bool {
        let reply = try await command("subscribers", "--json", "--socket", control).output
        let object = try JSONSerialization.jsonObject(with: Data(reply.utf8)) as? [String: Any]
        let subscribers = object?["subscribers"] as? [[String: Any]] ?? []
        return subscribers.contains { $0["command"] as? String == "reachagent" && $0["state"] as? String == "live" }
    }

    /// The numbers that `reachagent history` finds, in its order.
    func history() async throws -> [UInt64] {
        let command = try await command("history", "--json", "--directory", journal)
        guard command.status == 0 else {
            throw CommandFailure(command: "history", status: command.status, output: command.error)
        }
        return try command.lines.compactMap { try JSONDecoder().decode(Numbered.self, from: Data($0.utf8)).seq }
    }

    private struct Numbered: Decodable { let seq: UInt64? }
}
