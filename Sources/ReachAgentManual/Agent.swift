import Foundation

/// The agent's program as the source of its own description.
struct Agent {
    /// The program's path.
    let path: String

    /// An error of the program, or invalid output.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The file names of completions, with their shells.
    static let completions = [("reachagent.bash", "bash"), ("_reachagent", "zsh"), ("reachagent.fish", "fish")]

    /// Returns the program's version.
    func version() throws -> String {
        String(decoding: try output(["--version"]), as: UTF8.self).replacing("\n", with: "")
    }

    /// Returns the program's command line.
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

/// The parts of the output of `reachagent --experimental-dump-help` that the manual needs.
///
/// swift-argument-parser does not export its own types for it.
struct ToolDescription: Decodable {
    /// The only supported version.
    static let knownVersion = 0

    let serializationVersion: Int
    let command: Command

    /// A command with its subcommands.
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let shouldDisplay: Bool
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// The commands that perform an action themselves, with their names.
        var leaves: [(path: [String], command: Command)] {
            let below = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
            guard !below.isEmpty else { return [([commandName], self)] }
            return below.flatMap { command in command.leaves.map { ([commandName] + $0.path, $0.command) } }
        }
    }

    /// An argument or an option.
    struct Argument: Decodable {
        /// The kind of an argument.
        enum Kind: String, Decodable {
            case positional, option, flag
        }

        /// One of an option's names.
        struct Name: Decodable {
            let kind: String
            let name: String

            /// The name with its dashes.
            var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        let kind: Kind
        let shouldDisplay: Bool
        let sectionTitle: String?
        let isOptional: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let allValues: [String]?
        let abstract: String?
        let discussion: String?

        /// `true` if every command has it.
        var isCommon: Bool { names?.contains { ["help", "version"].contains($0.name) } ?? false }
    }
}
