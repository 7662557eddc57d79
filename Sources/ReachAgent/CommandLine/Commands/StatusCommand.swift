internal import AgentEvents
internal import ArgumentParser
internal import Glibc
internal import NetlinkMonitor
internal import StateClient

extension StatusText.Area: ExpressibleByArgument {}

/// `reachagent status`: the state, the reason, and the next step.
struct StatusCommand: ParsableCommand {
    /// The form of the output.
    enum Output: String, ExpressibleByArgument, CaseIterable {
        case text, json, short
    }

    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state, the reason for it, and what to do.",
        usage: "reachagent status [<area>] [<options>]",
        discussion: """
            Asks the running agent, and prints one screen: the state and the first thing to do; the uplinks; the probes that \
            are not up, and the others in a line. The agent itself, hooks and the last changes are shown only when something \
            is wrong, or with --full. An area, uplinks, probes or agent, is shown in detail.

            With --output json the agent's answer is printed, one JSON object on one line; with --output short one line for a \
            prompt or a bar, such as 'wifi partial: api'.

            EXAMPLES
              reachagent status
              reachagent status probes
              reachagent status --watch
              reachagent status --output json | jq -r .state.via

            EXIT STATUS
              0   the machine is reachable
              1   it is not
              69  no agent answers
              75  the agent does not answer in time
              77  no permission to ask the agent
            """
    )

    @Argument(help: "Show one area in detail: uplinks, probes or agent.")
    var area: StatusText.Area?

    @Flag(help: "Show everything, also where nothing is wrong.")
    var full = false

    @Flag(help: "Follow in place, until q or Ctrl-C; with --output short print a line for each change.")
    var watch = false

    @Option(help: "Print text, json or short.")
    var output = Output.text

    @Flag(help: "The same as --output json.")
    var json = false

    @OptionGroup var color: ColorOptions

    @OptionGroup var agent: SocketOptions

    private var form: Output { json ? .json : output }

    func validate() throws {
        guard watch else { return }
        if form == .json {
            throw ValidationError("'--watch' has no JSON form: 'reachagent watch --json' prints each event")
        }
        if form == .text, !TerminalStyle.canRedraw(STDOUT_FILENO) {
            throw ValidationError(
                "'--watch' needs a terminal other than TERM=dumb: 'reachagent watch' prints each event"
            )
        }
    }

    func run() throws {
        if watch { return try follow() }
        let answer: [UInt8]
        do throws(StateClientError) {
            answer = try AgentQuestion.answer(to: "status", socket: agent.socket)
        } catch  where form == .short {
            Terminal.print(Self.short(error))
            throw ExitCode(AgentQuestion.status(error))
        } catch {
            return try AgentQuestion.orExit { () throws(StateClientError) in throw error }
        }
        let reply = try AgentQuestion.orExit { () throws(StateClientError) in
            try StateClient.decode(AgentStatus.self, from: answer, to: "status")
        }
        form == .json ? Terminal.print(answer) : Terminal.print(view.text(of: reply))
        guard reply.reachability.state?.isReachable == true else { throw ExitCode(ExitStatus.finding) }
    }

    /// The word of a status line for an agent without a reply.
    static func short(_ error: StateClientError) -> String {
        switch error {
        case .noAgent: "no agent"
        case .notPermitted: "no permission"
        default: "no answer"
        }
    }

    private var view: View { View(area: area, isFull: full, isShort: form == .short, color: color.color) }

    private func follow() throws {
        let watch = try StatusWatch(socket: agent.socket, view: view)
        try AgentQuestion.orExit { () throws(StateClientError) in try watch.run() }
    }
}

extension StatusCommand {
    /// The part of a status that is shown, and its form.
    struct View: Sendable {
        let area: StatusText.Area?
        let isFull: Bool
        let isShort: Bool
        let color: ColorMode

        /// The text for the terminal as it is now.
        func text(of reply: AgentStatus) -> String {
            let now = Timestamp(microsecondsSince1970: ObservedTime.now.microsecondsSince1970)
            let text = StatusText(reply, style: .standardOutput(color: color), now: now)
            if isShort { return text.short }
            return area.map { text.detail(of: $0) } ?? (isFull ? text.full : text.screen)
        }
    }
}
