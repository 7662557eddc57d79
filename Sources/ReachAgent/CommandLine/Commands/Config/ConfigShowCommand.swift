internal import ArgumentParser

/// `reachagent config show`: the values in effect, and where they come from.
struct ConfigShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show every value in effect, and where it comes from.",
        usage: "reachagent config show [<file>] [<options>]",
        discussion: """
            The output is a configuration file that means the same; secrets are not shown. Options of the agent's command \
            line, such as '--probe', are not part of it.

            EXAMPLES
              reachagent config show
              reachagent config show | grep -v default

            EXIT STATUS
              0   done
              69  no agent answers at the named socket
              78  the configuration is invalid
            """
    )

    @OptionGroup var source: ConfigurationFileArgument

    func run() throws {
        let check = try ConfigurationCheck(of: source.files(), listsEffective: true)
        for line in check.problems { Terminal.printError(line) }
        guard check.isValid else {
            for line in check.verdict { Terminal.printError(line) }
            throw ExitCode(ExitStatus.badConfiguration)
        }
        Terminal.print((check.verdict.map { "# \($0)" } + check.effective).joined(separator: "\n"))
    }
}
