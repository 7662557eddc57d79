internal import ArgumentParser
internal import CommandText
internal import Glibc
internal import LinuxSupport
internal import StateClient

/// `reachagent-sink`: the program that ships the agent's journal to brokers.
@main
struct SinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachagent-sink",
        abstract: "Ship the agent's events to NATS and MQTT brokers.",
        discussion: """
            Reads the sinks that the agent has found in its configuration ('[sink.NAME]', see reachagent.toml(5)), follows the \
            agent's events from the first one that a broker does not have, and ships each of them in order. It ends with \
            status 0 when no sink is configured. systemd starts it when the agent has one: 'reachagent-sink.path'.

            'reachagent status' shows the state of each sink. Log messages go to standard error.
            """,
        version: ProgramVersion.text
    )

    @Option(
        help: ArgumentHelp(
            "The agent's directory with its control socket and the list of its sinks (default: that of the socket).",
            valueName: "directory"
        ),
        completion: .directory
    )
    var runtimeDirectory: String?

    @Option(
        help: ArgumentHelp(
            "The directory for the positions of the sinks (default: $STATE_DIRECTORY, or reachagent-sink in $XDG_STATE_HOME).",
            valueName: "directory"
        ),
        completion: .directory
    )
    var stateDirectory: String?

    @Option(
        help: ArgumentHelp("The agent's control socket (default: control.sock in its directory).", valueName: "path"),
        completion: .file()
    )
    var socket: String?

    @Option(help: ArgumentHelp("The least important messages that are logged.", valueName: "level"))
    var logLevel: SinkLogLevel = .notice

    static func main() {
        // Until the supervisor takes it over: a request to read the list of sinks again does not end a program that starts.
        SignalDescriptor.hold(SIGHUP)
        StandardDescriptors.open()
        do {
            var command = try parseAsRoot(ProgramArguments.afterName)
            try command.run()
        } catch {
            Glibc.exit(status(of: error))
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        SinkLog.setLevel(logLevel)
        let location = SocketLocation.control(explicit: socket ?? runtimeDirectory.map { "\($0)/control.sock" })
        guard let state = SinkDirectories.state(explicit: stateDirectory) else {
            SinkLog.fail("no directory for the positions: set STATE_DIRECTORY or HOME, or give --state-directory")
            throw ExitCode(ExitStatus.usage)
        }
        let directories = SinkDirectories(
            runtime: runtimeDirectory ?? ParentDirectory.of(location.path),
            state: state
        )
        let status = Supervisor.run(at: location, directories)
        guard status == 0 else { throw ExitCode(status) }
    }

    private static func status(of error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        guard exitCode(for: error) != .success else {
            Terminal.print(fullMessage(for: error))
            return 0
        }
        let help = helpMessage(columns: 120)
        let sentence = CommandMistake.sentence(message(for: error), ProgramArguments.afterName, help: help)
        Terminal.printError("reachagent-sink: \(sentence)")
        Terminal.printError("help:  reachagent-sink --help")
        return ExitStatus.usage
    }
}

/// The exit statuses of the program beside 0 (sysexits.h).
enum ExitStatus {
    /// The command line is not valid.
    static let usage: Int32 = 64
    /// A temporary failure: the service manager restarts the program.
    static let tryAgain: Int32 = 75
    /// The cursors cannot be stored.
    static let cannotCreate: Int32 = 73
}
