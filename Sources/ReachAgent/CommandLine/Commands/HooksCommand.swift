internal import ArgumentParser

/// `reachagent hooks`: what runs when something changes.
struct HooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract: "Show what runs when something changes; run a hook now.",
        discussion: """
            A hook is a program in /etc/reachagent/hooks.d, or a table [hook.NAME] of the configuration. These commands \
            read the folders and the configuration of the running agent, or those of 'reachagent run' without one. See \
            reachagent.toml(5).
            """,
        subcommands: [HooksListCommand.self, HooksRunCommand.self]
    )
}
