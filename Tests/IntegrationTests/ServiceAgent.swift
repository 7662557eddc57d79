import AgentTestKit
import Foundation

/// The built agent under `service-manager.py`, which tells what the agent tells its manager.
final class ServiceAgent: Sendable, LineSource {
    private let output: CommandLines
    private let commands = Pipe()

    /// Starts it, with a journal and sockets in a folder.
    ///
    /// - Parameter environment: What the manager says besides.
    init(
        in namespace: NetworkNamespace,
        _ folder: StreamFolder,
        _ more: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "service-manager.py").path()
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        // What it logs of its changes would stand between the notices.
        let quiet = ["--format", "none", "--log-level", "error"]
        let agent = [BuiltAgent.path] + folder.arguments(quiet + more)
        output = try CommandLines(namespace.command("python3", [script] + variables + agent), input: commands)
    }

    /// Has the manager do something.
    func command(_ line: String) { commands.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// What the manager was told next; `nil` at the end.
    func next() async -> String? { await output.next() }
}
