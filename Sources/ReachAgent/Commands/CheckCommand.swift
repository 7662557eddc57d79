internal import ArgumentParser
internal import EventEnvelope
internal import ForeignText
internal import FoundationEssentials
internal import StateClient

/// `reachagent check`: the agent makes its probes now.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Make the running agent check now.",
        discussion: """
            Checks of all probes, or of the named one, start at once instead of when they are due, over every interface and in \
            every family of the probe. A check that is under way is joined, and a probe is checked on request at most once a \
            second. 'reachagent status' shows the results, and 'reachagent watch --type probe.completed' each check. To check \
            a target of your own, see 'reachagent probe'.

            EXAMPLES
              reachagent check
              reachagent check web

            EXIT STATUS
              0   the checks are started, or under way
              64  the agent has no probe of that name
              69  no agent answers
              75  too many requests, or the budget of the link allows no more
              77  no permission to ask the agent
              78  the agent has no probe at all
            """
    )

    @Argument(help: "The probe's name; without it, all of them.")
    var name: String?

    @Flag(help: "Print the agent's answer: one JSON object on one line.")
    var json = false

    @OptionGroup var agent: SocketOptions

    /// The agent's answer, as far as it is shown.
    private struct Reply: Decodable {
        var points: Int?
        var joined: Int?
    }

    func run() throws {
        let reply: [UInt8]
        do throws(ClientError) {
            reply = try AgentQuestion.answer(to: "probe", parameters: parameters, socket: agent.socket)
        } catch .refused("unknown_probe", let message) {
            throw ValidationError(ForeignText.line(message))
        } catch .refused("no_probe_configured", let message) {
            Terminal.printError("reachagent: \(ForeignText.line(message)) [no_probe_configured]")
            throw ExitCode(ExitStatus.badConfiguration)
        } catch {
            return try AgentQuestion.orExit { () throws(ClientError) in throw error }
        }
        if json { return Terminal.print(reply) }
        let checks = try? JSONDecoder().decode(Reply.self, from: Data(reply))
        Terminal.print(Self.text(checks?.points, joined: checks?.joined ?? 0))
    }

    private var parameters: [UInt8] {
        guard let name else { return [] }
        var json = JSONWriter()
        json.object { $0.member("name", name) }
        return json.bytes
    }

    /// The number of checks, and the command that shows their results.
    private static func text(_ points: Int?, joined: Int) -> String {
        guard points != 0 else {
            return "nothing to check at the moment: no path, or no interface that the probe is made over"
        }
        let checks =
            switch points {
            case nil: "checks started"
            case 1?: joined == 1 ? "1 check is under way" : "1 check started"
            case let count?: "\(ProbeCountText.number(count)) checks started" + (joined > 0 ? ", or under way" : "")
            }
        return "\(checks); 'reachagent status' shows the results"
    }
}
