internal import ArgumentParser
internal import CommandText
internal import Glibc

/// `reachagent`: the command line's root.
@main
struct ReachAgentCommand: ParsableCommand {
    /// The name of the group of commands that are seldom needed.
    static let rest = "More"

    static let configuration = CommandConfiguration(
        commandName: "reachagent",
        abstract: "Report network reachability and its changes.",
        discussion: """
            reachagent watches links, addresses, routes and policy rules in the kernel and derives through what the machine is \
            reachable: wifi, wwan, wired, other or none. It only observes, needs no privilege, and sends nothing to the \
            network unless it is asked to check a target.

            EXIT STATUS
              0   reachable, or done
              1   not reachable, or a check failed
              64  wrong usage
              69  no agent answers, there is no journal, or the kernel's netlink is missing
              75  this machine could not check, or another agent is running; try again
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

    /// The command of a command line.
    ///
    /// swift-argument-parser shows the program's help where the topic of `help` is no command.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
        if arguments.first == "help", let topic = RootHelp.unknownTopic(of: arguments.dropFirst()) {
            throw ValidationError("Unexpected argument '\(topic)'")
        }
        return try parseAsRoot(arguments)
    }

    /// Runs the command of the process's arguments.
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard !RootHelp.isRequested(by: arguments) else { return Terminal.print(RootHelp.text) }
        do {
            var command = try command(for: arguments)
            try command.run()
        } catch {
            Glibc.exit(CommandEnd.status(of: error, arguments: arguments))
        }
    }
}

/// The description of the agent.
enum Agent {
    /// The agent's version (Semantic Versioning).
    static let version = ProgramVersion.text
}
