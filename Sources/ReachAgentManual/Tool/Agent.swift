import Foundation

/// The agent's program, which describes itself.
struct Agent {
    /// Its path.
    let path: String

    /// The program failed, or its output is invalid.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The file names of completions, with their shells.
    static let completions = [("reachagent.bash", "bash"), ("_reachagent", "zsh"), ("reachagent.fish", "fish")]

    /// Returns its version.
    func version() throws -> String {
        String(decoding: try output(["--version"]), as: UTF8.self).replacing("\n", with: "")
    }

    /// Returns its command line.
    func description() throws -> ToolDescription {
        let tool = try JSONDecoder().decode(ToolDescription.self, from: try output(["--experimental-dump-help"]))
        guard tool.serializationVersion == ToolDescription.knownVersion else {
            throw Failure(description: "\(path): the form \(tool.serializationVersion) of its help is not known")
        }
        return tool
    }

    /// Returns the completion script for a shell.
    func completionScript(for shell: String) throws -> Data { try output(["--generate-completion-script", shell]) }

    private func output(_ arguments: [String]) throws -> Data {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0, !data.isEmpty else {
            let words = arguments.joined(separator: " ")
            throw Failure(description: "\(path) \(words): status \(process.terminationStatus), \(data.count) bytes")
        }
        return data
    }
}
