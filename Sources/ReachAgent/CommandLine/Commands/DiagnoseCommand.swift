internal import ArgumentParser
internal import Configuration
internal import ForeignText
internal import Glibc
internal import LinuxSupport

/// `reachagent diagnose`: the first broken layer, and one page of evidence.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Find the first broken layer, with its evidence.",
        usage: "reachagent diagnose [<options>] [<target> ...]",
        discussion: """
            Judges link, address, route, next hop, resolver, clock, connection, TLS, response and agent, and names the \
            first layer that is broken, with what to do next. The kernel and local files are read, the running agent's \
            status is queried, and the host names of its probes are looked up; a target is checked only when it is \
            given, and a probe with a transfer not even then: 'reachagent measure' makes that. Lookups and checks are \
            made at the same time. No agent is needed.

            The page is made to be attached to a report: it has this machine's addresses and routes, the names of its \
            probes and hooks and the paths of its files, but neither secrets, nor the name of the machine, nor anything of \
            other programs. Everything together ends within the timeout; what was not read by then is 'not checked'.

            EXAMPLES
              reachagent diagnose
              reachagent diagnose https://www.example.org/
              reachagent diagnose --output report.txt
              reachagent diagnose --json | jq -r '.layer, .summary'

            EXIT STATUS
              0   no layer is broken, as far as it was checked
              1   a layer is broken
              64  a target is neither a URL nor a name of the configuration
              75  the kernel's view could not be read, a target not be checked to its
                  end, or the file not be written
              77  no permission to write the file
              78  the file of '--config' is bad, or the configuration that a target
                  is a name of
            """
    )

    // Parsed here: a transform's error message would repeat the argument, which may contain a password.
    @Argument(
        help: ArgumentHelp("Also check this URL, host, or probe or target of the configuration.", valueName: "target"),
        completion: .agentNames(of: .checks)
    )
    var targets: [String] = []

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the page to this file, readable by this user alone, and print only its first lines.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Option(
        help: ArgumentHelp("The time for everything together (default: 10s).", valueName: "time"),
        transform: Arguments.duration
    )
    var timeout: Duration = .seconds(10)

    @Option(
        help: ArgumentHelp("Use this configuration file (default: that of the running agent).", valueName: "file"),
        completion: .file(extensions: ["toml"])
    )
    var config: String?

    @OptionGroup var agent: SocketOptions

    /// The maximum number of targets: they are checked at the same time.
    private static let maximumTargets = 16

    func validate() throws {
        guard timeout > .zero else { throw ValidationError("'--timeout' must be longer than 0") }
        for url in targets where url.firstRange(of: "://") != nil { _ = try Arguments.probeTarget(url) }
        guard targets.count <= Self.maximumTargets else {
            throw ValidationError("\(targets.count) targets are given; at most \(Self.maximumTargets) are checked")
        }
    }

    func run() throws {
        let collector = DiagnosisCollector(
            socket: agent.socket,
            configuration: config,
            targets: targets,
            timeout: timeout
        )
        let evidence: DiagnosisEvidence
        do throws(SystemError) {
            evidence = try collector.run()
        } catch {
            Terminal.printError("reachagent: no thread could be started: \(error)")
            throw ExitCode(ExitStatus.tryAgain)
        }
        // A name that an unusable configuration may have is not known to be wrong.
        let errors = evidence.configuration?.errors ?? []
        if config != nil || evidence.unknownTarget != nil, !errors.isEmpty {
            for line in errors { Terminal.printError(ForeignText.line(line)) }
            throw ExitCode(ExitStatus.badConfiguration)
        }
        if let unknown = evidence.unknownTarget { throw WrongUsage.exit(unknown) }
        for remark in evidence.remarks { Terminal.printError("reachagent: \(remark)") }
        let diagnosis = Diagnosis(evidence)
        if let output {
            let page = json ? diagnosis.json : Array(DiagnosisText(style: .file).text(diagnosis).utf8)
            try write(page + [UInt8(ascii: "\n")], to: output)
            Terminal.print(DiagnosisText(style: .standardOutput()).headline(diagnosis).joined(separator: "\n"))
            Terminal.printError(
                "reachagent: the evidence is in \(ForeignText.line(output)); read it before you send it"
            )
        } else if json {
            Terminal.print(diagnosis.json)
        } else {
            Terminal.print(DiagnosisText(style: .standardOutput()).text(diagnosis))
        }
        switch diagnosis.verdict {
        case .ok, .warning: break
        case .error: throw ExitCode(ExitStatus.finding)
        case .notChecked: throw ExitCode(ExitStatus.tryAgain)
        }
    }

    /// Writes a file that others cannot read, whatever its mode was; rejects a symbolic link and another user's file.
    private func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        var rest = bytes[...]
        if descriptor >= 0, Self.makePrivate(descriptor) {
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { break }
                rest = rest.dropFirst(written)
            }
        }
        let number = errno
        if descriptor >= 0, close(descriptor) == 0, rest.isEmpty { return }
        let reason =
            number == EEXIST
            ? "it belongs to another user, or has a second name: write to a new file"
            : SystemError(errno: number).description
        Terminal.printError("reachagent: \(ForeignText.line(path)) cannot be written: \(reason)")
        throw ExitCode([EACCES, EPERM, EEXIST].contains(number) ? ExitStatus.notPermitted : ExitStatus.tryAgain)
    }

    /// Empties a file that existed, and takes it from other users; a device is everybody's.
    private static func makePrivate(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFREG else { return true }
        // Another owner could read it in spite of the mode, and change it afterwards.
        guard status.st_uid == geteuid(), status.st_nlink == 1 else {
            errno = EEXIST
            return false
        }
        return fchmod(descriptor, 0o600) == 0 && ftruncate(descriptor, 0) == 0
    }
}
