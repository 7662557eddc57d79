internal import ArgumentParser
internal import EventEnvelope
internal import NetlinkMonitor
internal import StateClient

/// `reachagent status`: what the state is, and why.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Ask the running agent what the state is, since when, and why.",
        discussion: """
            The first line is the answer. Then follow what is wrong with the agent, if anything is, both families, the \
            targets, the interfaces, and the last changes with local times.

            The status is 0 when the machine is reachable, 1 when it is not, 69 when no agent answers, and 77 when it \
            may not be asked.
            """
    )

    @Flag(help: "Print the agent's answer: one JSON object on one line.")
    var json = false

    @OptionGroup var agent: SocketOptions

    func run() throws {
        let parameters = try AgentQuestion.ask("status", socket: agent.socket)
        let reply = try AgentQuestion.orExit { () throws(ClientError) in try StatusReply(parameters: parameters) }
        if json {
            Terminal.print(parameters)
        } else {
            let now = Timestamp(microsecondsSince1970: ObservedTime.now.microsecondsSince1970)
            Terminal.print(StatusText(reply, style: .standardOutput(), now: now).text)
        }
        guard reply.reachability.state?.isReachable == true else { throw ExitCode(ExitStatus.finding) }
    }
}
