internal import ArgumentParser
internal import EventEnvelope
internal import StateClient

/// `reachagent wait-online`: ends as soon as the machine is online.
struct WaitOnlineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait-online",
        abstract: "Wait until the machine is reachable.",
        discussion: """
            Waits for the agent's settled state, and for the agent itself when it is not there yet or goes away. All \
            conditions must hold at the same time:
              --for path      there is a path, through whatever it leads
              --for full      there is a path, and the connectivity that the probes tell is 'full'
              --via MEDIUM    the path leads through this medium, or through any of several
              --target NAME   the path to this target counts, and the default path does not; a target that the agent \
            does not have is waited for too, as the next agent may have it

            The status is 0 as soon as they hold, and 1 when they did not in time, with the reason on standard error. It \
            is 77 at once when the agent may not be asked.
            """
    )

    @Option(name: .customLong("for"), help: ArgumentHelp("How much is asked for: path or full.", valueName: "level"))
    var level = OnlineCondition.Level.path

    @Option(
        name: .customLong("via"),
        help: ArgumentHelp("Through what: wifi, wwan, wired or other; may be repeated.", valueName: "medium")
    )
    var media: [OnlineCondition.Medium] = []

    @Option(help: ArgumentHelp("The target whose path counts instead of the default path.", valueName: "name"))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait, in seconds or as in 500ms and 2m; 0 for ever (default: 120).",
            valueName: "time"
        ),
        transform: Arguments.seconds
    )
    var timeout: Duration = .seconds(120)

    @Flag(help: "Print nothing; the status tells.")
    var quiet = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var agent: SocketOptions

    func validate() throws {
        guard target == nil || level != .full else {
            throw ValidationError("'--for full' has no meaning with '--target': no connectivity is told for targets")
        }
        guard !quiet || !json else { throw ValidationError("'--quiet' and '--json' exclude each other") }
    }

    func run() throws {
        let condition = OnlineCondition(level: level, media: media, target: target)
        let wait = OnlineWait(condition, StateClient(socket: agent.socket))
        let timeout = timeout
        switch Blocking.run({ await wait.run(timeout: timeout) }) {
        case .online(let state):
            if json { printResult(state: state) } else if !quiet { Terminal.print(OnlineText.state(state)) }
        case .timedOut(let failure):
            if json { printResult(failure: failure) }
            if !quiet { Terminal.printError("reachagent: not online: \(failure.text)") }
            throw ExitCode(ExitStatus.finding)
        case .failed(let error):
            if quiet { throw ExitCode(AgentQuestion.status(error)) }
            try AgentQuestion.orExit { () throws(ClientError) in throw error }
        }
    }

    private func printResult(state: StatusReply.State? = nil, failure: OnlineCondition.Failure? = nil) {
        var text = JSONWriter()
        text.object { json in
            json.member("online", failure == nil)
            json.member("target", ifPresent: target)
            json.member("via", ifPresent: state?.via)
            json.member("interface", ifPresent: state?.path?.interface)
            json.member("connectivity", ifPresent: state?.connectivity)
            json.member("code", ifPresent: failure?.code)
            json.member("message", ifPresent: failure?.text)
        }
        Terminal.print(text.bytes)
    }
}
