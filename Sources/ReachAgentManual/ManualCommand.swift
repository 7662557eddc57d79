import ArgumentParser
import Configuration
import Foundation
import StatePages

/// `reachagent-manual`: builds the manual pages, the completions and the reference of keys; it is not shipped.
@main
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachagent-manual",
        abstract: "Make the manual and the reference of the configuration's keys.",
        subcommands: [Pages.self, Reference.self],
        defaultSubcommand: Pages.self
    )
}

/// Generates the pages and completions.
struct Pages: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the pages of the manual and the completions of the shells.",
        discussion: """
            The agent's program prints its command line, and the rest is set from the documentation in Markdown.
            """
    )

    @Option(help: ArgumentHelp("The agent's program.", valueName: "file"), completion: .file())
    var agent: String

    @Option(
        name: .customLong("sink-program"),
        help: ArgumentHelp(
            "A program of the package of the sinks, whose pages go into the directory 'sink'.",
            valueName: "file"
        ),
        completion: .file()
    )
    var sinkPrograms: [String] = []

    @Option(help: ArgumentHelp("Where the pages go.", valueName: "dir"), completion: .directory)
    var output: String

    @Option(help: ArgumentHelp("The project's directory, with docs and examples in it.", valueName: "dir"))
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
        let tool = try agent.description()
        let pages =
            [
                ("reachagent.8", try manual.agentPage(tool)),
                ("reachagent.toml.5", try manual.configurationPage()),
                ("reachagent-events.7", try manual.eventsPage()),
            ] + (try manual.commandPages(tool)).map { ("\($0.name).8", $0.page) }
        let output = URL(filePath: output)
        let completions = output.appending(path: "completions")
        try FileManager.default.createDirectory(at: completions, withIntermediateDirectories: true)
        for (name, page) in pages {
            try Data(page.text.utf8).write(to: output.appending(path: name), options: .atomic)
        }
        let directory = output.appending(path: "sink")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for program in sinkPrograms {
            for (name, page) in try manual.commandPages(Agent(path: program).description()) {
                try Data(page.text.utf8).write(to: directory.appending(path: "\(name).8"), options: .atomic)
            }
        }
        for (name, shell) in Agent.completions {
            try agent.completionScript(for: shell).write(to: completions.appending(path: name), options: .atomic)
        }
    }

    /// Returns the date of the pages: that of the source if a build sets it (reproducible-builds.org), otherwise today.
    static func date(_ epoch: String?) throws -> String {
        guard let epoch else { return Date.now.formatted(.iso8601.year().month().day()) }
        guard let seconds = TimeInterval(epoch), (0...253_402_300_799).contains(seconds) else {
            throw ValidationError("SOURCE_DATE_EPOCH is '\(epoch)', and no number of seconds")
        }
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601.year().month().day())
    }
}

/// Regenerates the tables of keys and of metrics in the documentation, and the dashboard.
struct Reference: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Update the tables of docs/configuration.md and docs/metrics.md and the dashboard of examples/prometheus from the declarations."
    )

    @Option(help: ArgumentHelp("The project's directory, with docs in it.", valueName: "dir"))
    var project = "."

    func run() throws {
        try update("docs/configuration.md") { try ConfigurationReference.updated($0) }
        try update("docs/metrics.md") { MetricFamily.updated($0) }
        try update("examples/prometheus/dashboard.json") { _ in try Dashboard.text() }
    }

    private func update(_ name: String, _ updated: (String) throws -> String) throws {
        let file = URL(filePath: project).appending(path: name)
        let text = try? String(contentsOf: file, encoding: .utf8)
        let new = try updated(text ?? "")
        if new != text { try Data(new.utf8).write(to: file, options: .atomic) }
    }
}
