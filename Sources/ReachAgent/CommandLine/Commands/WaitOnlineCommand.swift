internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import StateClient

/// `reachagent wait-online`: exits as soon as the machine is online.
struct WaitOnlineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait-online",
        abstract: "Wait until the machine is reachable.",
        usage: "reachagent wait-online [<options>]",
        discussion: """
            Waits for the agent's settled state, and for the agent itself when it is not there yet or goes away. All \
            conditions must hold at the same time:
              --for path     there is a path, through any medium
              --for full     there is a path, and all required probes are up; those that
                             this machine cannot check do not count
              --via MEDIUM   the path leads through this medium, or through any of several
              --target NAME  the path to this target counts instead of the default path; a
                             target that the agent does not have is waited for, too

            EXAMPLES
              reachagent wait-online --timeout 60s && echo online
              reachagent wait-online --for full --timeout 0
              reachagent wait-online --via wifi --via wired --quiet

            EXIT STATUS
              0   the conditions hold
              1   they did not in time; the reason is on standard error
              69  no agent answered in time
              75  the socket is not the agent's control socket, or the agent cannot be
                  asked for another reason
              77  no permission to ask the agent
            """
    )

    @Option(name: .customLong("for"), help: ArgumentHelp("The required level.", valueName: "level"))
    var level = OnlineCondition.Level.path

    @Option(
        name: .customLong("via"),
        help: ArgumentHelp("The medium of the path (repeatable).", valueName: "medium")
    )
    var media: [Medium] = []

    @Option(
        help: ArgumentHelp("The target whose path counts instead of the default path.", valueName: "name"),
        completion: .agentNames(of: .targets)
    )
    var target: String?

    @Option(
        help: ArgumentHelp(
            "The time to wait, such as 500ms, 30s or 1m30s; a bare number is seconds, 0 is forever (default: 120).",
            valueName: "time"
        ),
        transform: Arguments.longDuration
    )
    var timeout: Duration = .seconds(120)

    @Flag(help: "Print nothing; only set the exit status.")
    var quiet = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        guard target == nil || level != .full else {
            throw ValidationError("'--for full' has no meaning with '--target': targets have no connectivity")
        }
        guard !quiet || !json else { throw ValidationError("'--quiet' and '--json' exclude each other") }
    }

    func run() throws {
        let condition = OnlineCondition(level: level, media: media, target: target)
        let wait = OnlineWait(condition, StateClient(socket: agent.socket))
        switch wait.run(timeout: timeout) {
        case .online(let state):
            if json { printResult(state: state) } else if !quiet { Terminal.print(OnlineText.state(state)) }
        case .timedOut(let failure):
            if json { printResult(code: failure.code, message: failure.text) }
            if !quiet { Terminal.printError("reachagent: not online: \(failure.text)") }
            throw ExitCode(failure.code == .noAgent ? ExitStatus.unavailable : ExitStatus.finding)
        case .failed(let error):
            if json { printResult(message: ForeignText.line(error.description)) }
            if quiet { throw ExitCode(AgentQuestion.status(error)) }
            try AgentQuestion.orExit { () throws(StateClientError) in throw error }
        }
    }

    /// Prints the result: the state, or the message for a machine that is not online, with a code if a condition is missing.
    private func printResult(
        state: ReachabilityState? = nil,
        code: OnlineCondition.Failure.Code? = nil,
        message: String? = nil
    ) {
        var text = JSONWriter()
        text.object { json in
            json.member("online", message == nil)
            json.member("target", ifPresent: target)
            json.member("via", ifPresent: state?.via.rawValue)
            json.member("interface", ifPresent: state?.path.interface)
            json.member("connectivity", ifPresent: state?.connectivity?.rawValue)
            json.member("code", ifPresent: code?.rawValue)
            json.member("message", ifPresent: message)
        }
        Terminal.print(text.bytes)
    }
}
