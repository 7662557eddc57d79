internal import ArgumentParser

/// `reachagent config`: the configuration files.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Validate, show and write the configuration.",
        discussion: """
            The configuration of the running agent is looked at, unless a file is named; without an agent that of \
            'reachagent run': $CONFIGURATION_DIRECTORY/reachagent.toml in a service; for root \
            /etc/reachagent/reachagent.toml, else the one below /usr/lib; for others \
            $XDG_CONFIG_HOME/reachagent/reachagent.toml. The drop-ins FILE.d/*.toml are read too, ordered by name. See \
            reachagent.toml(5).
            """,
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self, ConfigInitCommand.self]
    )
}
