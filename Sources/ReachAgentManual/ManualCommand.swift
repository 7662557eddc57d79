import ArgumentParser
import Foundation

/// `reachagent-manual`: makes the pages of the manual and the completions; it is not shipped.
@main
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachagent-manual",
        abstract: "Make the pages of the manual and the completions of the shells.",
        discussion: """
            The command line is asked of the agent's program, the keys of the configuration of their reader, and the rest \
            is set from the documentation in Markdown.
            """
    )

    @Option(help: ArgumentHelp("The agent's program.", valueName: "file"), completion: .file())
    var agent: String

    @Option(help: ArgumentHelp("Where the pages go.", valueName: "dir"), completion: .directory)
    var output: String

    @Option(help: ArgumentHelp("The project's folder, with docs and examples in it.", valueName: "dir"))
    var project = "."

    func run() throws {
        let agent = Agent(path: agent)
        let project = URL(filePath: project)
        let manual = Manual(
            documentation: project.appending(path: "docs"),
            examples: project.appending(path: "examples"),
            version: try agent.version(),
            date: try Self.date(ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"])
        )
        let pages = [
            ("reachagent.8", try manual.agentPage(try agent.description())),
            ("reachagent.toml.5", try manual.configurationPage()),
            ("reachagent-events.7", try manual.eventsPage()),
        ]
        let output = URL(filePath: output)
        let completions = output.appending(path: "completions")
        try FileManager.default.createDirectory(at: completions, withIntermediateDirectories: true)
        for (name, page) in pages {
            try Data(page.text.utf8).write(to: output.appending(path: name), options: .atomic)
        }
        for (name, shell) in Agent.completions {
            try agent.completionScript(for: shell).write(to: completions.appending(path: name), options: .atomic)
        }
    }

    /// The day that the pages carry: that of the source, where a build says it (reproducible-builds.org), else today.
    static func date(_ epoch: String?) throws -> String {
        guard let epoch else { return Date.now.formatted(.iso8601.year().month().day()) }
        guard let seconds = TimeInterval(epoch), (0...253_402_300_799).contains(seconds) else {
            throw ValidationError("SOURCE_DATE_EPOCH is '\(epoch)', and no number of seconds")
        }
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601.year().month().day())
    }
}
