internal import ArgumentParser
// Re-exported for the files of all commands; the other programs share this text.
@_exported public import CommandText
internal import Glibc
internal import LinuxSupport
internal import StateSocket

/// `reachagent`: the command line's root.
@main
struct ReachAgentCommand: ParsableCommand {
    /// The name of the group of rarely used commands.
    static let rest = "More"

    static let configuration = CommandConfiguration(
        commandName: "reachagent",
        abstract: "Report network reachability and its changes.",
        discussion: """
            reachagent watches links, addresses, routes and policy rules in the kernel and derives through what the machine is \
            reachable: wifi, wwan, wired, other or none. It only observes, needs no privilege, and sends nothing to the \
            network unless it is configured to check a target.

            EXIT STATUS
              0   reachable, or done
              1   not reachable, or a check failed
              64  wrong usage
              69  no agent answers, there is no journal, or the kernel's netlink is missing
              75  this machine could not check, another agent is running, or the output
                  could not be written; try again
              77  not permitted
              78  a file or a setting is bad
            """,
        version: Agent.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Observe",
                subcommands: [
                    StatusCommand.self, WatchCommand.self, HistoryCommand.self, ReportCommand.self,
                    WaitOnlineCommand.self,
                ]
            ),
            CommandGroup(
                name: "Diagnose",
                subcommands: [
                    DiagnoseCommand.self, ProbeCommand.self, MeasureCommand.self, RouteCommand.self,
                    InterfacesCommand.self, TrustCommand.self,
                ]
            ),
            CommandGroup(
                name: "Operate",
                subcommands: [
                    RunCommand.self, CheckCommand.self, ConfigCommand.self, ReloadCommand.self, HooksCommand.self,
                ]
            ),
            CommandGroup(
                name: rest,
                subcommands: [
                    FleetCommand.self, SubscribersCommand.self, ReplayCommand.self, ExplainCommand.self,
                    CompletionCommand.self,
                ]
            ),
        ]
    )

    /// Returns the command of a command line.
    ///
    /// swift-argument-parser shows the program's help if the topic of `help` is not a command.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
        if let command = FleetCommand.help(arguments) { return command }
        if arguments.first == "help", let topic = RootHelp.unknownTopic(of: arguments.dropFirst()) {
            throw ValidationError("Unexpected argument '\(topic)'")
        }
        // Parsing with the selected command itself halves the work of the parser. If that fails, the root command's
        // parser decides: it knows `--version`, `help` and the other commands.
        let path = CommandPath(arguments[...])
        if path.isComplete, let command = try? path.type.parseAsRoot(Array(path.rest)) { return command }
        return try parseAsRoot(arguments)
    }

    /// Runs the command that the process's arguments specify.
    static func main() {
        StandardDescriptors.open()
        SignalDescriptor.letEndProcessOne(SIGINT, SIGTERM, SIGHUP)
        let arguments = ProgramArguments.afterName
        // Before the command line is parsed, which takes longer than the start of the process.
        if arguments.first == RunCommand.configuration.commandName { AgentLoop.holdRequests() }
        guard !RootHelp.isRequested(by: arguments) else { return Terminal.print(RootHelp.text) }
        let clients = QueuedClients()
        do {
            var command = try command(for: arguments)
            try command.run()
        } catch {
            let status = CommandEnd.status(of: error, arguments: arguments)
            if ExitStatus.preventingRestart.contains(status) { clients.discard() }
            Glibc.exit(status)
        }
    }
}

/// The description of the agent.
enum Agent {
    /// The agent's version (Semantic Versioning).
    static let version = ProgramVersion.text
}

/// The help of the program as a whole: every command on one screen, in its group.
///
/// swift-argument-parser gives each group a heading, which takes two screens; it still prints `reachagent help COMMAND`.
enum RootHelp {
    /// The arguments that request the help of the program.
    private static let requests = [[], ["-h"], ["--help"], ["help"], ["help", "help"]]

    /// True for a command line that requests the help of the program.
    static func isRequested(by arguments: [String]) -> Bool { requests.contains(arguments) }

    /// The first argument that names no command; `nil` if all do.
    static func unknownTopic(of words: ArraySlice<String>) -> String? {
        var type: any ParsableCommand.Type = ReachAgentCommand.self
        for word in words where !word.hasPrefix("-") {
            guard let next = type.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else {
                return word
            }
            type = next
        }
        return nil
    }

    /// The text; the commands of a group without room for abstracts are on one line.
    static var text: String {
        let root = ReachAgentCommand.configuration
        var lines = ["reachagent \(Agent.version): \(root.abstract)", "", "Usage: reachagent <command> [<options>]"]
        let width = (root.groupedSubcommands.map(\.name.count).max() ?? 0) + 2
        let nameWidth = (root.subcommands.map { name($0).count }.max() ?? 0) + 2
        for group in root.groupedSubcommands {
            guard group.name != ReachAgentCommand.rest else {
                let names = group.subcommands.map(name).joined(separator: ", ")
                lines.append(group.name.padded(to: width) + "\(names), help")
                continue
            }
            for (index, command) in group.subcommands.enumerated() {
                let start = (index == 0 ? group.name : "").padded(to: width) + name(command).padded(to: nameWidth)
                lines.append(start + command.configuration.abstract)
            }
        }
        return
            (lines + [
                "", "Next: reachagent status, or reachagent diagnose when something is wrong.",
                "More: reachagent help <command>, man reachagent",
            ]).joined(separator: "\n")
    }

    private static func name(_ command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}
