import AgentTestKit
import Foundation

/// The clients of `greedy-clients.py`, which take what they can get.
enum GreedyClients {
    /// Starts them with its arguments; the first line of their output is printed when they are connected.
    static func start(_ arguments: [String], in namespace: NetworkNamespace, _ input: Pipe) throws -> CommandLines {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "greedy-clients.py").path()
        return try CommandLines(namespace.command("python3", [script] + arguments), input: input)
    }
}
