internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import LinuxSupport
internal import NetlinkMonitor
internal import StateClient

/// `reachagent subscribers`: the clients of the agent's sockets.
struct SubscribersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers",
        abstract: "List the clients of the running agent.",
        usage: "reachagent subscribers [<options>]",
        discussion: """
            LAG is the number of events that were not yet sent to a subscriber; one that falls too far behind is \
            disconnected. This command's own connection is among them.

            EXIT STATUS
              0   done
              69  no agent answers
              75  the agent does not answer in time
              77  no permission to ask the agent
            """
    )

    @Flag(help: "Print the agent's answer: one JSON object on one line.")
    var json = false

    @OptionGroup var agent: SocketOptions

    func run() throws {
        let parameters = try AgentQuestion.ask("subscribers", socket: agent.socket)
        let reply = try AgentQuestion.orExit { () throws(StateClientError) in
            try StateClient.decode(SubscriberList.self, from: parameters, to: "subscribers")
        }
        if json { return Terminal.print(parameters) }
        let now = Timestamp(microsecondsSince1970: ObservedTime.now.microsecondsSince1970)
        let text = SubscribersText(
            style: .standardOutput(),
            clock: ClockText(now: now),
            userName: AccountDatabase.userName(number:)
        )
        Terminal.print(text.text(reply))
    }
}

/// The agent's connections, as a table.
struct SubscribersText {
    let style: TerminalStyle
    let clock: ClockText
    /// A user's name; `nil` when the number has none.
    let userName: (UInt32) -> String?

    /// The whole text.
    func text(_ reply: SubscriberList) -> String {
        var table = FittedTable(["CLIENT", "USER", "SOCKET", "STATE", "LAG", "SENT", "CONNECTED"])
        for subscriber in reply.subscribers {
            table.add(row(subscriber).map { .init($0, subscriber.state == "lagged" ? .red : nil) })
        }
        var lines: [String] = []
        for (index, line) in table.lines(style).enumerated() {
            lines.append(line)
            if index > 0 { lines += filters(reply.subscribers[index - 1]) }
        }
        let limit = reply.limit.map { " of \($0)" } ?? ""
        let omitted = count(reply.subscribersOmitted)
        let rest = omitted > 0 ? ", of which \(omitted) are not listed" : ""
        return lines.joined(separator: "\n") + "\n\(reply.subscribers.count + omitted)\(limit) connections\(rest)"
    }

    private func row(_ subscriber: SubscriberList.Subscriber) -> [String] {
        [
            (subscriber.command.map { safe($0, 15) } ?? subscriber.address.map { safe($0, 39) } ?? "?")
                + (subscriber.processID.map { "[\($0)]" } ?? ""),
            subscriber.userID.map { safe(userName($0) ?? String($0), 12) } ?? "?",
            safe(subscriber.socket ?? "?", 8),
            safe(subscriber.state ?? "?", 9),
            subscriber.lag.map { String($0) } ?? "-",
            subscriber.bytes.map { ByteCountText.of($0) } ?? "-",
            subscriber.connected.map { clock.age(of: $0, units: 1) } ?? "-",
        ]
    }

    /// The filters of a subscriber, below its line; empty if it receives all events.
    private func filters(_ subscriber: SubscriberList.Subscriber) -> [String] {
        guard !subscriber.types.isEmpty || !subscriber.subjects.isEmpty else { return [] }
        var words: [String] = []
        let types = subscriber.types.map { safe(EventType.shortName(of: $0), 40) }
        if !types.isEmpty { words.append(list(types, omitted: subscriber.typesOmitted)) }
        let subjects = subscriber.subjects.map { safe($0, 40) }
        if !subjects.isEmpty { words.append("about " + list(subjects, omitted: subscriber.subjectsOmitted)) }
        var block = TextBlock(columns: style.columns)
        block.add("only", words.joined(separator: " "), indent: 2, labelWidth: 5)
        return block.lines.map { style.paint($0, .dim) }
    }

    private func list(_ texts: [String], omitted: Int?) -> String {
        let shown = texts.prefix(16)
        let rest = texts.count - shown.count + count(omitted)
        return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// A number of an agent of any version, within bounds.
    private func count(_ omitted: Int?) -> Int { max(0, min(omitted ?? 0, 1 << 32)) }

    private func safe(_ text: String, _ limit: Int) -> String { ForeignText.shown(text, limit: limit) }
}
