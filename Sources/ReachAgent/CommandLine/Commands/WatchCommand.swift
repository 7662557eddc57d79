internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import StateClient

/// `reachagent watch`: the running agent's events as they happen.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow the running agent's events.",
        usage: "reachagent watch [<options>]",
        discussion: """
            Prints the current state, then every event as it happens. When the agent stops, a message on standard error says \
            so, and the events resume after the last one as soon as it is back: none is printed twice, and those that the \
            agent no longer has are named, before the state and the events that are left.

            Of 'path.changed', which 'reachability.changed' and 'target.changed' repeat when it has held, nothing is shown \
            unless '--all', '--json' or a '--type' asks for it.

            With --json, standard output is the agent's own lines, one object each: the events, and at the start of \
            each connection 'agent.hello' and, unless it resumes after an event, 'network.snapshot'.

            EXAMPLES
              reachagent watch
              reachagent watch --since '10 minutes ago'
              reachagent watch --type reachability.changed --type 'probe.*'
              reachagent watch --json --since 41 | jq -c '[.seq, .type, .subject]'

            EXIT STATUS
              0   the reader closed the output
              69  no agent answers (with --no-reconnect)
              75  the connection was lost, or the agent is silent (with --no-reconnect);
                  or the socket is not control.sock, or the output could not be written
              77  no permission to ask the agent
            """
    )

    @Flag(help: "Print the agent's lines as they are.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Begin with the events from this moment on, or after this number, instead of with the state.",
            valueName: "time|seq"
        ),
        transform: EventPosition.init(argument:)
    )
    var since: EventPosition?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Only events of this type, such as path.changed or 'path.*' (repeatable).",
            valueName: "type"
        ),
        completion: .eventTypes(besides: [.probeCompleted, .probeProgress]),
        transform: EventFilter.subscribedType(argument:)
    )
    var types: [String] = []

    @Option(
        name: .customLong("subject"),
        help: ArgumentHelp(
            "Only events about this: default, agent, or the name of a target, a probe, an interface, a hook or a sink (repeatable).",
            valueName: "name"
        ),
        completion: .agentNames(of: .subjects)
    )
    var subjects: [String] = []

    @Flag(help: "Also show every 'path.changed'.")
    var all = false

    @OptionGroup var colors: ColorOptions

    @Flag(help: "Exit when there is no agent, or when it stops.")
    var noReconnect = false

    @OptionGroup var agent: SocketOptions

    func run() throws {
        OutputReader.endWhenGone()
        let client = StateClient(socket: agent.socket)
        noteUnknownSubjects()
        let subscription = subscription
        let style = TerminalStyle.standardOutput(color: colors.color)
        let lines = EventLines(style: style, today: .now)
        let format = json ? EventFormat.json : .human(lines, showsPaths: all || !types.isEmpty)
        let text = WatchText(format, socket: client.location.path, since: since)
        let end = Blocking.run { await Self.follow(client.events(subscription), text) }
        if case .refused("invalid_parameters", let message)? = end {
            throw ValidationError(ForeignText.line(message))
        }
        if let end { try AgentQuestion.orExit { () throws(StateClientError) in throw end } }
    }

    private var subscription: StateSubscription {
        var subscription = StateSubscription(types: types, subjects: subjects, reconnects: !noReconnect)
        switch since {
        case .number(let number): subscription.since = number
        case .moment(let moment): subscription.sinceTime = moment
        case nil: break
        }
        return subscription
    }

    /// Names a subject that the running agent does not have, for which `watch` may wait forever: a device that is to come
    /// has events as well, and so had a probe that is gone.
    private func noteUnknownSubjects() {
        guard !subjects.isEmpty, let reply = try? AgentQuestion.answer(to: "status", socket: agent.socket),
            let status = try? StateClient.decode(AgentStatus.self, from: reply, to: "status"),
            status.probesOmitted ?? 0 == 0, status.hooksOmitted ?? 0 == 0
        else { return }
        let known = Self.subjects(of: status)
        guard let unknown = subjects.first(where: { !known.contains($0) }) else { return }
        let names = known.prefix(24).map { ForeignText.shown($0, limit: 64) }.joined(separator: ", ")
        let question = KeySuggestion.question(about: unknown, among: known)
        Terminal.printError(
            """
            reachagent: at present the agent has nothing of the name '\(ForeignText.shown(unknown, limit: 64))'\
            \(question.isEmpty ? "; subjects" : "\(question) Subjects") are \(names)
            """
        )
    }

    private static func subjects(of status: AgentStatus) -> [String] {
        var names = [AgentEvent.defaultSubject, AgentEvent.agentSubject]
        names += status.targets.map(\.name) + status.probes.map(\.probe) + status.uplinks.map(\.interface)
        names += status.sinks.map(\.name) + status.hooks.map(\.hook) + status.interfaces.map(\.name)
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// Prints events until the stream ends, and returns the reason.
    private static func follow(_ stream: StateStream, _ text: WatchText) async -> StateClientError? {
        var text = text
        do throws(StateClientError) {
            for try await item in stream {
                for line in text.lines(for: item) {
                    switch line {
                    case .json(let bytes): Terminal.print(bytes)
                    case .text(let text): Terminal.print(text)
                    case .notice(let notice): Terminal.printError("reachagent: \(notice)")
                    }
                }
            }
            return nil
        } catch {
            return error
        }
    }
}
