internal import AgentEvents
internal import ArgumentParser
internal import FoundationEssentials
internal import StateClient

/// `reachagent reload`: the agent reads its configuration again.
struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Make the running agent read its configuration again.",
        discussion: """
            The same as SIGHUP, with an answer. The whole configuration is validated first: if anything in it is invalid, \
            the agent keeps the earlier one, and each error is reported with its file, line and key, here, in the log and \
            in 'reachagent status'. Probes that did not change keep their history.

            EXIT STATUS
              0   the configuration is in effect
              69  no agent answers
              77  no permission to ask the agent
              78  the configuration is invalid, or there is no file
            """
    )

    /// Reading many files, and looking up whom they name, takes its time.
    private static let patience: Duration = .seconds(30)

    @Flag(help: "Print the agent's answer: one JSON object on one line.")
    var json = false

    @OptionGroup var agent: SocketOptions

    func run() throws {
        let reply: [UInt8]
        do throws(ClientError) {
            reply = try AgentQuestion.answer(to: "reload", socket: agent.socket, patience: Self.patience)
        } catch .refused(let code, let message) where ReloadText.isRefusal(code) {
            if json {
                Terminal.print(ReloadText.json(code, message))
            } else {
                for line in ReloadText.refusal(code, message) { Terminal.printError(line) }
            }
            throw ExitCode(ExitStatus.badConfiguration)
        } catch {
            return try AgentQuestion.orExit { () throws(ClientError) in throw error }
        }
        if json { return Terminal.print(reply) }
        for line in ReloadText.lines(reply) { Terminal.print(line) }
    }
}
