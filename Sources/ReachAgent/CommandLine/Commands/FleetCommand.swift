internal import ArgumentParser
internal import CommandText
internal import ForeignText
internal import Glibc
internal import LinuxSupport

/// `reachagent fleet`: runs the program `reachagent-fleet`, as git(1) runs its external commands.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Show the devices whose sinks ship to a NATS server.",
        usage: "reachagent fleet <command> [<options>]",
        discussion: """
            Starts 'reachagent-fleet', which stands beside this program or on the PATH; the Debian package 'reachagent-sink' has it. Its \
            commands are status, watch and report: 'reachagent fleet --help' describes them.

            EXAMPLES
              reachagent fleet status --server nats://broker.example
              reachagent fleet watch --server nats://broker.example
              reachagent fleet report --server nats://broker.example --slo 99.5

            EXIT STATUS
              0   done
              64  wrong usage
              69  no server or stream, or the program is not installed
              75  the server did not answer in time; try again
              77  the server refuses the credentials or the permission
              78  a file with credentials cannot be used
            """
    )

    /// The name of the program.
    static let program = "reachagent-fleet"

    @Argument(parsing: .captureForPassthrough, help: "The command and its options.")
    var words: [String] = []

    /// The command that prints the help of a fleet command, which only that program has; `nil` for another command line.
    static func help(_ arguments: [String]) -> FleetCommand? {
        guard arguments.starts(with: ["help", "fleet"]), arguments.count > 2 else { return nil }
        var command = FleetCommand()
        command.words = ["help"] + arguments.dropFirst(2)
        return command
    }

    func run() throws {
        let paths = Self.paths(
            ownPath: Self.ownPath,
            path: getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        )
        var reason = ENOENT
        for path in paths {
            Self.replaceProcess(path, words)
            // A file that exists but cannot be executed is a better reason than a missing one.
            if errno != ENOENT, errno != ENOTDIR { reason = errno }
        }
        guard reason == ENOENT else {
            Terminal.printError("reachagent: cannot start '\(Self.program)': \(SystemError(errno: reason))")
            throw ExitCode(reason == EACCES ? ExitStatus.notPermitted : ExitStatus.tryAgain)
        }
        Terminal.printError(
            """
            reachagent: '\(Self.program)' is not installed; the Debian package 'reachagent-sink' has it, from the repository or \
            as the .deb of the same build
            """
        )
        throw ExitCode(ExitStatus.unavailable)
    }

    /// The candidate paths: beside this program, then in the absolute directories of the PATH.
    static func paths(ownPath: String?, path: String) -> [String] {
        let own = ownPath.flatMap { text in text.lastIndex(of: "/").map { String(text[..<$0]) } }
        let directories = path.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
        return ([own].compactMap(\.self) + directories).map { "\($0)/\(program)" }
    }

    private static var ownPath: String? {
        realpath("/proc/self/exe", nil).map { path in
            defer { free(path) }
            return String(cString: path)
        }
    }

    /// Replaces the process; returns only if the program cannot be started, with the reason in `errno`.
    private static func replaceProcess(_ path: String, _ words: [String]) {
        let arguments = ([program] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        execv(path, arguments)
    }
}
