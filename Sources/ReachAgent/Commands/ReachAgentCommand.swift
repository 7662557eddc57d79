internal import ArgumentParser

/// `reachagent`: the command line's root.
@main
struct ReachAgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachagent",
        abstract: "Tells how this machine is reachable, and every change of it.",
        discussion: """
            reachagent watches links, addresses, routes and policy rules in the kernel and derives through what the machine is \
            reachable: wifi, wwan, wired, other or none. It only observes, needs no privilege, and sends nothing to the \
            network unless it is asked to check a target.

            EXIT STATUS
              0   reachable, or done
              1   not reachable, or refused
              64  wrong usage
              69  no agent answers, there is no journal, or the kernel's netlink is missing
              75  this machine could not ask, or another agent is at work; try again
              77  not permitted
              78  a file or a setting is bad
            """,
        version: Agent.version,
        subcommands: [
            RunCommand.self, StatusCommand.self, WatchCommand.self, HistoryCommand.self, WaitOnlineCommand.self,
            CheckCommand.self, ReloadCommand.self, SubscribersCommand.self, InterfacesCommand.self, RouteCommand.self,
            ProbeCommand.self, TrustCommand.self, CheckConfigCommand.self, HooksCommand.self, ReplayCommand.self,
        ]
    )
}

/// What the agent is.
enum Agent {
    /// The agent's version (Semantic Versioning).
    static let version = "0.1.0"
}
