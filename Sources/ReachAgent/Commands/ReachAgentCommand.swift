internal import ArgumentParser

/// `reachagent`: the command line's root.
@main
struct ReachAgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachagent",
        abstract: "Tells how this machine is reachable, and every change of it, as it happens.",
        discussion: """
            Watches links, addresses, routes and policy rules in the kernel and derives through what the machine is \
            reachable: wifi, wwan, wired, other or none. That only observes, needs no privilege, and sends nothing to the \
            network; 'probe' alone does, to the target that it is given.

            EXIT STATUS
              0   reachable, or done      64  wrong usage
              1   not reachable, refused  69  the kernel's netlink is not available
                                          75  this machine could not ask; try again
                                          78  a file or a setting is bad
            """,
        version: Agent.version,
        subcommands: [RunCommand.self, InterfacesCommand.self, RouteCommand.self, ProbeCommand.self, TrustCommand.self]
    )
}

/// What the agent is.
enum Agent {
    /// The agent's version (Semantic Versioning).
    static let version = "0.1.0"
}
