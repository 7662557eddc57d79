internal import ArgumentParser
internal import EventEnvelope
internal import NetlinkMonitor
internal import StateClient

/// `reachagent status`: what the state is, and why.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what the state is, since when, and why.",
        discussion: """
            The running agent is asked. The first line is the answer; then follow what is wrong with the agent, if anything \
            is, both families, the probes, the targets, the interfaces, and the last changes with local times.

            EXAMPLES
              reachagent status
              reachagent status --json | jq -r .state.via

            EXIT STATUS
              0   the machine is reachable
              1   it is not
              69  no agent answers
              77  no permission to ask the agent
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
