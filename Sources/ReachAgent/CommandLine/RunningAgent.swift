internal import AgentEvents
internal import ForeignText
internal import StateClient

/// The running agent, asked for the files that it uses: commands that read files read the same ones.
struct RunningAgent {
    /// The time that the agent has for its answer; the command works without it.
    private static let patience: Duration = .seconds(2)

    /// The agent's status.
    let status: AgentStatus

    /// Asks the agent.
    ///
    /// - Parameter socket: The control socket; `nil` for the usual ones.
    /// - Returns: `nil` without an agent. One that exists and does not answer is named on standard error.
    /// - Throws: `ExitCode` when no agent answers at a socket that was named.
    static func ask(socket: String?) throws -> RunningAgent? {
        do throws(ClientError) {
            let reply = try AgentQuestion.answer(to: "status", socket: socket, patience: patience)
            return RunningAgent(status: try StateClient.decode(AgentStatus.self, from: reply, to: "status"))
        } catch {
            if socket != nil { try AgentQuestion.orExit { () throws(ClientError) in throw error } }
            if case .noAgent = error { return nil }
            Terminal.printError("reachagent: the running agent cannot be asked: \(ForeignText.line(error.description))")
            return nil
        }
    }

    /// `the running agent (process 812)`.
    var name: String { "the running agent" + (status.agent?.processID.map { " (process \($0))" } ?? "") }
}
