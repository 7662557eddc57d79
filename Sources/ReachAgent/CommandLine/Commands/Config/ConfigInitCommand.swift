internal import ArgumentParser
internal import Configuration
internal import ForeignText
internal import Glibc

/// `reachagent config init`: a configuration to begin with.
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
              75  the file could not be written; try again
              77  no permission to write it
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
        do throws(NewFile.Failure) {
            try NewFile.write(InitialConfiguration.text, to: path)
        } catch {
            try refuse(error, path)
        }
        Terminal.print("wrote \(ForeignText.line(path))")
        Terminal.print("  sends once a minute: requests to \(InitialConfiguration.hosts.joined(separator: " and "))")
        for step in steps(files, path) { Terminal.print("  \(ForeignText.line(step))") }
    }

    /// The file that gives probes to a configuration without any.
    private func standardPath(_ files: AgentFiles) throws -> String {
        guard let main = files.configuration ?? files.searched.first else {
            Terminal.printError("reachagent: no home directory says where the file belongs; name it with '--output'")
            throw ExitCode(ExitStatus.finding)
        }
        guard let path = files.configuration, access(path, F_OK) == 0 else { return main }
        let check = ConfigurationCheck(of: files)
        guard check.isValid else {
            for line in check.problems { Terminal.printError(line) }
            Terminal.printError("reachagent: \(ForeignText.line(path)) is invalid; nothing was written")
            throw ExitCode(ExitStatus.badConfiguration)
        }
        guard !check.hasProbes else {
            Terminal.printError(
                "reachagent: \(ForeignText.line(path)) has probes already; nothing was written. "
                    + "To read the example: reachagent config init --output -"
            )
            throw ExitCode(ExitStatus.finding)
        }
        return ConfigurationFile.dropIn(named: InitialConfiguration.dropInName, of: path)
    }

    private func refuse(_ failure: NewFile.Failure, _ path: String) throws -> Never {
        let shown = ForeignText.line(path)
        switch failure.code {
        case EEXIST:
            Terminal.printError("reachagent: \(shown) exists; nothing was written. Name another file with '--output'")
            throw ExitCode(ExitStatus.finding)
        case EACCES, EPERM, EROFS:
            Terminal.printError("reachagent: cannot write \(shown): \(failure.reason)")
            if geteuid() != 0 { Terminal.printError("  try: sudo reachagent config init --output \(shown)") }
            throw ExitCode(ExitStatus.notPermitted)
        default:
            Terminal.printError("reachagent: cannot write \(shown): \(failure.reason)")
            throw ExitCode(ExitStatus.tryAgain)
        }
    }

    /// The commands that bring it into effect.
    private func steps(_ files: AgentFiles, _ path: String) -> [String] {
        if let output {
            return ["validate it: reachagent config check \(output)", "use it: reachagent run --config \(output)"]
        }
        let edit = "put the address of a server of yours into it"
        return files.agent == nil ? [edit, "use it: reachagent run"] : [edit, "apply it: reachagent reload"]
    }
}

/// A file that must not exist before.
enum NewFile {
    /// The reason why it could not be written.
    struct Failure: Error {
        /// errno(3).
        let code: Int32
        var reason: String { String(cString: strerror(code)) }
    }

    /// Writes a text to a new file, and makes the folders above it; a file that cannot be written whole is removed.
    static func write(_ text: String, to path: String) throws(Failure) {
        try makeFolders(above: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else {
                let code = errno
                unlink(path)
                throw Failure(code: code)
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private static func makeFolders(above path: String) throws(Failure) {
        for end in path.indices.dropFirst() where path[end] == "/" {
            guard mkdir(String(path[..<end]), 0o755) != 0, errno != EEXIST else { continue }
            let code = errno
            // A folder that exists need not be writable for its user (mkdir(2) may say so first).
            guard access(String(path[..<end]), F_OK) == 0 else { throw Failure(code: code) }
        }
    }
}
