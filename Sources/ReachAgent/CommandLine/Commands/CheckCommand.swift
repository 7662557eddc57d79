internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import StateClient

/// `reachagent check`: runs the agent's probes immediately.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Make the running agent check now.",
        usage: "reachagent check [<options>] [<name>]",
        discussion: """
            Checks of all probes, or of the named one, start at once instead of when they are due, over every interface and in \
            every family of the probe, and their results are shown when the last of them has ended. A check that is running \
            is joined, and a probe is checked on request at most once a second. 'reachagent probe NAME' makes the check of \
            a probe itself, and shows every phase. Transfers are made only for their name: they take minutes and data, and \
            begin while connectivity is full. While a captive portal answers at a point, its failures are shown as the \
            portal's, and with --json its verdict is the member 'portal'.

            EXAMPLES
              reachagent check
              reachagent check web
              reachagent check --no-wait

            EXIT STATUS
              0   every target answered as expected, in each family that it has;
                  with --no-wait: the checks started
              1   a check failed, or a captive portal answers
              64  the agent has no probe of that name
              69  no agent answers
              75  a check could not be made, as without a path, or did not end in
                  time; or too many requests, or the budget of the link is used up
              77  no permission to ask the agent
              78  the agent has no probe at all
            """
    )

    @Argument(help: "The probe's name; without it, all of them.", completion: .agentNames(of: .probes))
    var name: String?

    @Flag(help: "Print one JSON object for each check, one a line.")
    var json = false

    @Flag(help: "Do not wait for the results; with --json print the agent's answer.")
    var noWait = false

    @Option(
        help: ArgumentHelp("The time to wait for the results (default: 30s).", valueName: "time"),
        transform: Arguments.duration
    )
    var timeout: Duration = .seconds(30)

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        guard timeout > .zero else { throw ValidationError("'--timeout' must be longer than 0") }
        // Not repeated in the message, since a URL may contain a password.
        if name?.firstRange(of: "://") != nil {
            throw ValidationError("expected the name of a probe, got a URL; 'reachagent probe' checks URLs")
        }
    }

    func run() throws {
        guard !noWait else { return try request() }
        let wait = CheckRequest(of: name, StateClient(socket: agent.socket))
        switch wait.run(timeout: timeout) {
        case .completed(let checks, let refused):
            guard !checks.isEmpty else { throw nothing() }
            show(checks)
            Self.report(refused: refused)
            try Self.end(checks, isIncomplete: refused > 0)
        case .timedOut(let checks, let count, let refused):
            if !checks.isEmpty { show(checks) }
            let missing = "\(ProbeCountText.number(count - checks.count)) of \(ProbeCountText.number(count)) checks"
            Terminal.printError("reachagent: \(missing) did not end in time; 'reachagent status' shows their results")
            Self.report(refused: refused)
            try Self.end(checks, isIncomplete: true)
        case .failed(let error): try end(error)
        }
    }

    /// Prints the results.
    private func show(_ checks: [AgentEvents.CompletedCheck]) {
        // A portal is looked for only where a check did not succeed.
        let status = checks.contains { $0.report.verdict != "ok" } ? status() : nil
        let results = CompletedCheckResult.results(checks, status: status)
        if json {
            for result in results { Terminal.print(JSONWriter.text(of: result)) }
        } else {
            Terminal.print(CompletedCheckText(style: .standardOutput()).text(results))
        }
    }

    /// Ends with the status of the worst result; a failure is certain also where other checks were not made.
    private static func end(_ checks: [AgentEvents.CompletedCheck], isIncomplete: Bool) throws {
        let verdicts = Set(checks.map(\.report).filter { !$0.isExcused }.map(\.verdict))
        guard !verdicts.contains("failed") else { throw ExitCode(ExitStatus.finding) }
        guard verdicts == ["ok"], !isIncomplete else { throw ExitCode(ExitStatus.tryAgain) }
    }

    /// Reports checks that were not started.
    private static func report(refused count: Int) {
        guard count > 0 else { return }
        let checks = count == 1 ? "1 check was" : "\(ProbeCountText.number(count)) checks were"
        Terminal.printError(
            "reachagent: \(checks) not started: checks on request have used their quarter of bytes_per_day [budget_exhausted]"
        )
    }

    /// The agent's status, which knows of captive portals; `nil` if it does not answer now.
    private func status() -> AgentStatus? {
        guard let reply = try? AgentQuestion.answer(to: "status", socket: agent.socket) else { return nil }
        return try? StateClient.decode(AgentStatus.self, from: reply, to: "status")
    }

    private func request() throws {
        let reply: [UInt8]
        do throws(StateClientError) {
            reply = try AgentQuestion.answer(
                to: "probe",
                parameters: CheckRequest.parameters(name),
                socket: agent.socket
            )
        } catch {
            return try end(error)
        }
        let checks = try? EventDecoder.decode(CheckRequest.Reply.self, from: reply)
        if json { Terminal.print(reply) }
        guard checks?.points != 0 else { throw nothing() }
        if !json { Terminal.print(Self.text(checks?.points, joined: checks?.joined ?? 0)) }
        guard let refused = checks?.refused, refused > 0 else { return }
        Self.report(refused: refused)
        throw ExitCode(ExitStatus.tryAgain)
    }

    private func end(_ error: StateClientError) throws {
        switch error {
        case .refused("unknown_probe", let message): throw WrongUsage.exit(ForeignText.line(message))
        case .refused("no_probe_configured", let message):
            Terminal.printError("reachagent: \(ForeignText.line(message)) [no_probe_configured]")
            throw ExitCode(ExitStatus.badConfiguration)
        default: try AgentQuestion.orExit { () throws(StateClientError) in throw error }
        }
    }

    /// Reports that no check could start.
    private func nothing() -> ExitCode {
        let transfers = name == nil ? "; a transfer is made for its name only" : ""
        Terminal.printError(
            "reachagent: nothing to check at the moment: no path, or no interface that the probe is made over\(transfers)"
        )
        return ExitCode(ExitStatus.tryAgain)
    }

    /// The number of checks, and the command that shows their results.
    private static func text(_ points: Int?, joined: Int) -> String {
        let checks =
            switch points {
            case nil: "checks started"
            case 1?: joined == 1 ? "1 check is running" : "1 check started"
            case let count?: "\(ProbeCountText.number(count)) checks started" + (joined > 0 ? ", or running" : "")
            }
        return "\(checks); 'reachagent status' shows the results"
    }
}
