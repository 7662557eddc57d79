internal import ArgumentParser
internal import Configuration
internal import ForeignText

/// The configuration that a command uses: a named file, else that of the running agent.
struct AgentFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use this configuration file (default: that of the running agent, else the one that 'reachagent run' reads).",
            valueName: "file"
        ),
        completion: .file(extensions: ["toml"])
    )
    var config: String?

    @Flag(help: "Use no configuration file, and query no agent.")
    var noConfig = false

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        if noConfig, config != nil { throw ValidationError("'--config' and '--no-config' contradict each other") }
    }

    /// Finds the files; a named configuration belongs to no agent.
    func files() throws -> AgentFiles {
        if noConfig { return AgentFiles() }
        return try config.map { AgentFiles(configuration: $0) } ?? AgentFiles.find(socket: agent.socket)
    }

    /// Reads the settings; an unusable configuration is an error if it was named or is required, else a warning.
    ///
    /// - Parameter isRequired: True if the command cannot be carried out as it was meant without the configuration.
    func settings(isRequired: Bool = false) throws -> Settings {
        let files = try files()
        do throws(ConfigurationErrors) {
            return try files.load().settings
        } catch {
            guard config == nil, !isRequired else { throw Self.rejection(of: error) }
            let first = error.errors.first.map { ": \(ForeignText.line($0.description))" } ?? ""
            Terminal.printError("reachagent: warning: the configuration is not used\(first); '--no-config' reads none")
            return Settings()
        }
    }

    /// Reads the settings for a check; a URL alone needs none, and the files are not read then.
    ///
    /// - Parameters:
    ///   - target: The argument of the command; `nil` for the only probe of the configuration that fits.
    ///   - isRequired: True if the configuration decides over which interfaces something may be sent.
    func settings(for target: String?, isRequired: Bool) throws -> Settings {
        let isRequired = isRequired || target.map(CheckTarget.isOnlyName) ?? true
        let isName = target.map(CheckTarget.isName) ?? true
        // A silently ignored option would appear to take effect.
        guard isName || isRequired || config != nil || agent.socket != nil else { return Settings() }
        return try settings(isRequired: isRequired)
    }

    /// Prints the errors of a configuration on standard error.
    static func rejection(of error: ConfigurationErrors) -> ExitCode {
        for line in error.errors { Terminal.printError(ForeignText.line(line.description)) }
        return ExitCode(ExitStatus.badConfiguration)
    }
}

/// The configuration that `config check` and `config show` read.
struct ConfigurationFileArgument: ParsableArguments {
    @Argument(
        help: "The configuration file (default: that of the running agent, else the one that 'reachagent run' reads).",
        completion: .file(extensions: ["toml"])
    )
    var file: String?

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        guard file != nil, agent.socket != nil else { return }
        throw ValidationError("a file and '--socket' contradict each other: the file is read without asking an agent")
    }

    /// Finds the configuration.
    func files() throws -> AgentFiles {
        try file.map { AgentFiles(configuration: $0) } ?? AgentFiles.find(socket: agent.socket)
    }
}

/// The journal that a command reads: a named one, else the running agent's.
struct JournalSourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The journal's directory (default: the running agent's, else the first with a journal of $STATE_DIRECTORY/journal, \
            $XDG_STATE_HOME/reachagent/journal and \(JournalLocation.system)).
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var directory: String?

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        guard directory != nil, agent.socket != nil else { return }
        throw ValidationError(
            "'--directory' and '--socket' contradict each other: the directory is read without an agent"
        )
    }

    /// The directories in which the journal is looked for, best first.
    func directories() throws -> [String] { try AgentFiles.journals(named: directory, socket: agent.socket) }
}

/// The agent to query.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The agent's control socket, or its directory (default: $REACHAGENT_SOCKET, else the control.sock that \
            exists in $RUNTIME_DIRECTORY or $XDG_RUNTIME_DIR/reachagent, else that in /run/reachagent).
            """,
            valueName: "path"
        ),
        completion: .file(extensions: ["sock"])
    )
    var socket: String?
}
