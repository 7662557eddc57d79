internal import ArgumentParser
internal import CommandText
internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import Sinks

/// `reachagent-fleet`, which users run as `reachagent fleet`: the root of its command line.
@main
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reachagent fleet",
        abstract: "Show the devices whose sinks ship to a NATS server.",
        discussion: """
            Reads the events that 'reachagent-sink' stores in a JetStream stream, and folds them into one table. Nothing is \
            written to the server but the consumer, and the devices are not contacted.

            EXIT STATUS
              0   done
              64  wrong usage
              69  the server cannot be reached, or has no stream of the subject, or
                  no event of the devices
              75  the server did not answer in time; try again
              77  the server refuses the credentials or the permission
              78  a file with credentials cannot be used
            """,
        version: ProgramVersion.text,
        subcommands: [FleetStatusCommand.self, FleetWatchCommand.self, FleetReportCommand.self]
    )

    /// Runs the command that the process's arguments select.
    static func main() {
        StandardDescriptors.open()
        SignalDescriptor.letEndProcessOne(SIGINT, SIGTERM, SIGHUP)
        // Without the locale, messages in the user's language would be reduced to ASCII.
        setlocale(LC_ALL, "")
        Terminal.setProgram("reachagent fleet")
        do {
            var command = try parseAsRoot(ProgramArguments.afterName)
            try command.run()
        } catch let failure as TransportFailure {
            Terminal.printError("reachagent fleet: \(ForeignText.line(failure.detail))")
            Glibc.exit(failure.exitStatus)
        } catch let failure as StandardOutput.Failure {
            if case .errno(let number) = failure { Terminal.exitUnwritable(number) }
        } catch {
            Glibc.exit(end(with: error))
        }
    }

    private static func end(with error: any Error) -> Int32 {
        let code = exitCode(for: error)
        guard code != .success else {
            Terminal.write(Array((fullMessage(for: error) + "\n").utf8))
            return 0
        }
        if !(error is ExitCode) {
            Terminal.printError("reachagent fleet: \(sentence(error, ProgramArguments.afterName))")
            if code == .validationFailure { Terminal.printError("help:  reachagent fleet --help") }
        }
        return code.rawValue
    }

    /// Returns the sentence for an invalid command line.
    static func sentence(_ error: any Error, _ arguments: [String]) -> String {
        let commands = configuration.subcommands
        let command = commands.first { $0.configuration.commandName == arguments.first }
        return CommandMistake.sentence(
            message(for: error),
            arguments,
            commands: commands.compactMap { $0.configuration.commandName },
            help: helpMessage(for: command ?? FleetCommand.self, columns: 120)
        )
    }
}

/// The exit statuses beside 0 (sysexits.h).
enum FleetExit {
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let tryAgain: Int32 = 75
    static let notPermitted: Int32 = 77
    static let badConfiguration: Int32 = 78
}

extension TransportFailure {
    /// The exit status of a command that ends with this failure.
    var exitStatus: Int32 {
        switch code {
        case "broker_denied": FleetExit.notPermitted
        case "broker_timeout", "broker_protocol": FleetExit.tryAgain
        case "credentials_unreadable": FleetExit.badConfiguration
        default: FleetExit.unavailable
        }
    }
}
