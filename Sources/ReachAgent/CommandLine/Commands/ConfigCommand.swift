internal import AgentEvents
internal import ArgumentParser
internal import Configuration
internal import ForeignText
internal import Glibc
internal import LinuxSupport

/// `reachagent config`: the configuration files.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Validate, show and write the configuration.",
        discussion: """
            Uses the configuration of the running agent, unless a file is named; without an agent that of \
            'reachagent run': $CONFIGURATION_DIRECTORY/reachagent.toml in a service; for root \
            /etc/reachagent/reachagent.toml, else the one below /usr/lib; for others \
            $XDG_CONFIG_HOME/reachagent/reachagent.toml. The drop-ins FILE.d/*.toml are read too, ordered by name. See \
            reachagent.toml(5).
            """,
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self, ConfigInitCommand.self]
    )
}

/// `reachagent config check`: the errors and warnings of the configuration files.
struct ConfigCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validate the configuration.",
        usage: "reachagent config check [<file>] [<options>]",
        discussion: """
            Reports all errors at once, each with file, line and key, and what the configuration names and this machine \
            does not have as warnings. Root also reads the files as the agent's user would, who must be able to. Nothing is \
            sent, and a running agent is not affected.

            EXAMPLES
              reachagent config check
              reachagent config check new.toml

            EXIT STATUS
              0   the configuration is valid, also when there is no file
              69  no agent answers at the named socket
              75  no answer in time at the named socket, or it is not control.sock
              77  no permission to ask the agent at the named socket
              78  the configuration is invalid
            """
    )

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var source: ConfigurationFileArgument

    func run() throws {
        let files = try source.files()
        let check = ConfigurationCheck(of: files, reader: AgentUser(of: files))
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
              reachagent config show | grep -v '# default$'

            EXIT STATUS
              0   done
              69  no agent answers at the named socket
              75  no answer in time at the named socket, or it is not control.sock
              77  no permission to ask the agent at the named socket
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

/// `reachagent config init`: creates an initial configuration.
struct ConfigInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a configuration with two probes.",
        usage: "reachagent config init [--output <file>]",
        discussion: """
            Writes a configuration with comments: a probe of an HTTPS server, and one for captive portals. The file is the \
            one that the running agent, else 'reachagent run', reads; where that exists and has no probe, it is \
            \(InitialConfiguration.dropInName) among its drop-ins. Nothing is overwritten.

            EXAMPLES
              sudo reachagent config init
              reachagent config init --output -

            EXIT STATUS
              0   the file was written
              1   there is such a file, or the configuration has probes
              69  no agent answers at the named socket
              75  the file could not be written, or no answer in time at the named
                  socket; try again
              77  no permission to write it, or to ask the agent at the named socket
              78  the configuration is invalid
            """
    )

    @Option(
        help: ArgumentHelp("The file to write, or '-' for standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @OptionGroup var agent: SocketOptions

    func run() throws {
        if output == "-" { return Terminal.write(Array(InitialConfiguration.text.utf8)) }
        let files = try AgentFiles.find(socket: agent.socket)
        let path = try output ?? standardPath(files)
        do throws(SystemError) {
            try NewFile.write(InitialConfiguration.text, to: path, isPublic: Self.isService(path))
        } catch {
            try refuse(error, path)
        }
        Terminal.print("wrote \(ForeignText.line(path))")
        Terminal.print("  sends once a minute: requests to \(InitialConfiguration.hosts.joined(separator: " and "))")
        for step in steps(files, path) { Terminal.print("  \(ForeignText.line(step))") }
    }

    /// The path at which a configuration without probes gets its probes.
    private func standardPath(_ files: AgentFiles) throws -> String {
        guard let main = files.configuration ?? files.searched.first else {
            let reason =
                files.agent.map { "\($0.name) was started with '--no-config', and reads no file" }
                ?? "no home directory says where the file belongs"
            Terminal.printError("reachagent: \(reason); '--output' names a file")
            throw ExitCode(ExitStatus.finding)
        }
        // Drop-ins alone are a configuration too.
        let exists = access(main, F_OK) == 0
        guard let path = files.configuration, exists || !files.searched.isEmpty else { return main }
        let check = ConfigurationCheck(of: files)
        guard check.isValid else {
            for line in check.problems { Terminal.printError(line) }
            Terminal.printError("reachagent: \(ForeignText.line(path)) is invalid; nothing was written")
            throw ExitCode(ExitStatus.badConfiguration)
        }
        guard !check.hasProbes else {
            Terminal.printError(
                "reachagent: \(ForeignText.line(check.probeFile ?? path)) has probes already; nothing was written. "
                    + "To read the example: reachagent config init --output -"
            )
            throw ExitCode(ExitStatus.finding)
        }
        return exists ? ConfigurationFile.dropIn(named: InitialConfiguration.dropInName, of: path) : main
    }

    private func refuse(_ failure: SystemError, _ path: String) throws -> Never {
        let shown = ForeignText.line(path)
        switch failure.errno {
        case EEXIST:
            Terminal.printError("reachagent: \(shown) exists; nothing was written. Name another file with '--output'")
            throw ExitCode(ExitStatus.finding)
        case EACCES, EPERM:
            Terminal.printError("reachagent: cannot write \(shown): \(failure)")
            let words = (output.map { ["--output", $0] } ?? []) + (agent.socket.map { ["--socket", $0] } ?? [])
            let options = words.map { " " + ShellWord.quoted($0) }.joined()
            if geteuid() != 0 { Terminal.printError("  try: sudo reachagent config init\(options)") }
            throw ExitCode(ExitStatus.notPermitted)
        default:
            Terminal.printError("reachagent: cannot write \(shown): \(failure)")
            throw ExitCode(ExitStatus.tryAgain)
        }
    }

    /// The commands that apply the new configuration.
    private func steps(_ files: AgentFiles, _ path: String) -> [String] {
        let isRead = files.configuration.map { path == $0 || path.hasPrefix("\($0).d/") } ?? false
        if let output, !isRead {
            let file = ShellWord.quoted(output)
            return ["validate it: reachagent config check \(file)", "use it: reachagent run --config \(file)"]
        }
        let edit = "put the address of a server of yours into it"
        if files.agent != nil { return [edit, "apply it: reachagent reload"] }
        guard Self.isService(path) else { return [edit, "use it: reachagent run"] }
        return switch AgentService.installed() {
        case .absent: [edit, "use it: reachagent run"]
        // Root's own agent would leave root's files in the service's journal, whatever starts the service.
        case .withoutSystemd: [edit, "use it: start the service"]
        case .underSystemd: [edit, "use it: systemctl start reachagent"]
        }
    }

    /// True for a file of the service, whose user must be able to read it.
    private static func isService(_ path: String) -> Bool { path.hasPrefix("/etc/reachagent/") }
}
