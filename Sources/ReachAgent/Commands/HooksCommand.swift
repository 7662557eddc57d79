internal import ArgumentParser

/// `reachagent hooks`: what runs when something changes.
struct HooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract: "Show which hooks run for which event, and why others do not; run one now.",
        discussion: """
            A hook is a program in /etc/reachagent/hooks.d, or a table [hook.NAME] of the configuration. These commands \
            read the folders and the configuration themselves, whether an agent runs or not. docs/hooks.md explains hooks.
            """,
        subcommands: [HooksListCommand.self, HooksRunCommand.self]
    )
}
