import AgentTestKit
import Foundation

/// The built agent under `service-manager.py`, which prints the agent's notifications.
final class ServiceAgent: Sendable, LineSource {
    private let output: CommandLines
    private let commands = Pipe()

    /// Starts it, with a journal and sockets in a directory.
    ///
    /// - Parameter environment: More variables for the manager.
    init(
        in namespace: NetworkNamespace,
        _ directory: StreamDirectory,
        _ more: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "service-manager.py").path()
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        // Its log of changes would be between the notifications.
        let quiet = ["--format", "none", "--log-level", "error"]
        let agent = [BuiltAgent.path] + directory.arguments(quiet + more)
        output = try CommandLines(namespace.command("python3", [script] + variables + agent), input: commands)
    }

    /// Sends a command to the manager.
    func command(_ line: String) { commands.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// The next notification that the manager received; `nil` at the end.
    func next() async -> String? { await output.next() }
}
