internal import AgentEvents
internal import ArgumentParser
internal import NetlinkMonitor
internal import StateClient

/// `reachagent subscribers`: who listens to the agent.
struct SubscribersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers",
        abstract: "Show who is connected to the running agent.",
        discussion: """
            LAG is how many events there are that a subscriber was not sent yet; one that falls too far behind is cut \
            off. This command's own connection is among them.

            EXIT STATUS
              0   done
              69  no agent answers
              77  no permission to ask the agent
            """
    )

    @Flag(help: "Print the agent's answer: one JSON object on one line.")
    var json = false

    @OptionGroup var agent: SocketOptions

    func run() throws {
        let parameters = try AgentQuestion.ask("subscribers", socket: agent.socket)
        let reply = try AgentQuestion.orExit { () throws(ClientError) in
            try StateClient.decode(SubscriberList.self, from: parameters, to: "subscribers")
        }
        if json { return Terminal.print(parameters) }
        let now = Timestamp(microsecondsSince1970: ObservedTime.now.microsecondsSince1970)
        let text = SubscribersText(
            style: .standardOutput(),
            clock: ClockText(now: now),
            userName: AccountName.user
        )
        Terminal.print(text.text(reply))
    }
}
