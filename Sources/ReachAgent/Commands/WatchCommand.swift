internal import ArgumentParser
internal import StateClient

/// `reachagent watch`: the running agent's events as they happen.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow the running agent's events.",
        discussion: """
            Prints the state as it is now, then every event as it happens. When the agent goes away, that is said on \
            standard error, and the events go on behind the last one as soon as it is back: none is printed twice, and \
            those that the agent does not have any more are named.

            With --json, standard output is the agent's own lines, one object each: the events, and at the beginning of \
            each connection 'agent.hello' and, unless it goes on behind an event, 'network.snapshot'.

            An interrupt ends it as it ends any program. When whoever reads the output ends, it ends with status 0. With \
            --no-reconnect the status is 69 when there is no agent and 75 when the connection is lost; 77 tells that the \
            agent may not be asked.
            """
    )

    @Flag(help: "Print the agent's lines as they are.")
    var json = false

    @Option(help: ArgumentHelp("Begin behind the event with this number instead of with the state.", valueName: "seq"))
    var since: UInt64?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Only events of this type, such as path.changed or 'path.*'; may be repeated.",
            valueName: "type"
        )
    )
    var types: [String] = []

    @Option(
        name: .customLong("subject"),
        help: ArgumentHelp(
            "Only events about this: default, a target's name, or agent; may be repeated.",
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
            throw ValidationError(SafeText.of(message))
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
