internal import AgentEvents
internal import ArgumentParser

/// `reachagent config check`: the errors and warnings of the configuration files.
struct ConfigCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validate the configuration.",
        usage: "reachagent config check [<file>] [<options>]",
        discussion: """
            Reports all errors at once, each with file, line and key, and what the configuration names and this machine \
            does not have as warnings. Nothing is sent, and a running agent is not affected.

            EXAMPLES
              reachagent config check
              reachagent config check new.toml

            EXIT STATUS
              0   the configuration is valid, also when there is no file
              69  no agent answers at the named socket
              78  the configuration is invalid
            """
    )

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var source: ConfigurationFileArgument

    func run() throws {
        let check = try ConfigurationCheck(of: source.files())
        if json {
            var writer = JSONWriter()
            check.write(to: &writer)
            Terminal.print(writer.bytes)
        } else {
            for line in check.problems { Terminal.printError(line) }
            for line in check.verdict { check.isValid ? Terminal.print(line) : Terminal.printError(line) }
        }
        guard check.isValid else { throw ExitCode(ExitStatus.badConfiguration) }
    }
}
