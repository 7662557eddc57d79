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
            Prints the state as it is now, then every event as it happens. When the agent goes away, that is said on \
            standard error, and the events go on behind the last one as soon as it is back: none is printed twice, and \
            those that the agent does not have any more are named.

            With --json, standard output is the agent's own lines, one object each: the events, and at the beginning of \
            each connection 'agent.hello' and, unless it goes on behind an event, 'network.snapshot'.

            EXAMPLES
              reachagent watch
              reachagent watch --type reachability.changed --type 'probe.*'
              reachagent watch --json --since 41 | jq -c '[.seq, .type, .subject]'

            EXIT STATUS
              0   whoever reads the output has ended
              69  no agent answers (with --no-reconnect)
              75  the connection was lost (with --no-reconnect)
              77  no permission to ask the agent
            """
    )

    @Flag(help: "Print the agent's lines as they are.")
    var json = false

    @Option(help: ArgumentHelp("Begin behind the event with this number instead of with the state.", valueName: "seq"))
    var since: UInt64?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Only events of this type, such as path.changed or 'path.*' (repeatable).",
            valueName: "type"
        ),
        completion: .eventTypes(besides: [.probeCompleted])
    )
    var types: [String] = []

    @Option(
        name: .customLong("subject"),
        help: ArgumentHelp(
            "Only events about this: default, agent, or the name of a target, a probe or a hook (repeatable).",
            valueName: "name"
        )
    )
    var subjects: [String] = []

    @Flag(help: "End when there is no agent, or when it goes away.")
    var noReconnect = false

    @OptionGroup var agent: SocketOptions

    func run() throws {
        OutputReader.endWhenGone()
        let client = StateClient(socket: agent.socket)
        let subscription = StateSubscription(
            types: types,
            subjects: subjects,
            since: since,
            reconnects: !noReconnect
        )
        let text = WatchText(isJSON: json, socket: client.location.path, since: since)
        let end = Blocking.run { await Self.follow(client.events(subscription), text) }
        if case .refused("invalid_parameters", let message)? = end {
            throw ValidationError(ForeignText.line(message))
        }
        if let end { try AgentQuestion.orExit { () throws(ClientError) in throw end } }
    }

    /// Prints until the stream ends; gives why it did.
    private static func follow(_ stream: StateStream, _ text: WatchText) async -> ClientError? {
        var text = text
        do throws(ClientError) {
            for try await item in stream {
                for line in text.lines(for: item) {
                    switch line {
                    case .output(let bytes): Terminal.print(bytes)
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
