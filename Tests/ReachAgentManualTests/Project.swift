import AgentTestKit
import ArgumentParser
import Foundation

@testable import ReachAgent
@testable import ReachAgentManual

/// The project's own documents and program, and the pages that are generated from them.
enum Project {
    /// The directory with the sources, `docs` and `examples`.
    static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A generator for the project as it is.
    static let manual = Manual(
        documentation: directory.appending(path: "docs"),
        examples: directory.appending(path: "examples"),
        version: "0.1.0",
        date: "2026-11-21"
    )

    /// The command line as the program describes it.
    static func tool() throws -> ToolDescription {
        try JSONDecoder().decode(ToolDescription.self, from: Data(ReachAgentCommand._dumpHelp().utf8))
    }

    /// The pages with the names of their files; made once for all tests.
    static func pages() throws -> [String: String] { try made.get() }

    private static let made = Result {
        var pages = [
            "reachagent.8": try manual.agentPage(try tool()).text,
            "reachagent.toml.5": try manual.configurationPage().text,
            "reachagent-events.7": try manual.eventsPage().text,
        ]
        for (name, page) in try manual.commandPages(try tool()) { pages["\(name).8"] = page.text }
        return pages
    }
}

/// A program that ran to its end: its exit status, and its output with its messages.
struct Command {
    let status: Int32
    let output: String

    /// Runs a program of the usual directories; nil where it is not installed.
    static func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) async throws -> Command?
    {
        guard let path = path(of: name) else { return nil }
        let command = try await FinishedCommand.run(arguments, of: path, environment: environment)
        return Command(status: command.status, output: command.output + command.error)
    }

    /// Returns `true` when a program is installed.
    static func has(_ name: String) -> Bool { path(of: name) != nil }

    private static func path(of name: String) -> String? {
        let paths = ["/usr/local/bin", "/usr/bin", "/bin"].map { "\($0)/\(name)" }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
