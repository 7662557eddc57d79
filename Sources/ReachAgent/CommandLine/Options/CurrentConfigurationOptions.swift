internal import ArgumentParser
internal import ForeignText

/// The configuration for commands that need no agent, but go by the settings of one.
struct CurrentConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use this configuration file (default: that of the running agent, else the one that 'reachagent run' reads).",
            valueName: "file"
        ),
        completion: .file(extensions: ["toml"])
    )
    var config: String?

    @Flag(help: "Use no configuration file.")
    var noConfig = false

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        if noConfig, config != nil { throw ValidationError("'--config' and '--no-config' contradict each other") }
    }

    /// Reads the configuration; one that cannot be used is an error where it was named, else a warning.
    func load() throws -> CurrentConfiguration {
        guard !noConfig else { return CurrentConfiguration(path: nil) }
        let current =
            config.map { CurrentConfiguration(path: $0) }
            ?? CurrentConfiguration(of: CurrentConfiguration.status(socket: agent.socket))
        guard let first = current.errors.first else { return current }
        if config != nil {
            for line in current.errors { Terminal.printError(ForeignText.line(line)) }
            throw ExitCode(ExitStatus.badConfiguration)
        }
        Terminal.printError(
            "reachagent: warning: the configuration is not used: \(ForeignText.line(first)); '--no-config' reads none"
        )
        return current
    }
}
