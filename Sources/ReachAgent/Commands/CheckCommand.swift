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
            All probes of the agent, or the one that is named, are begun at once instead of when they are due, over every \
            interface and in every family that they are made in. 'reachagent status' shows what comes of them, and \
            'reachagent watch --type probe.completed' while it happens. To check a target of your own, see 'reachagent probe'.

            EXAMPLES
              reachagent check
              reachagent check web

            EXIT STATUS
              0   the checks are begun
              64  the agent has no probe of that name
              69  no agent answers
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
        let points = (try? JSONDecoder().decode(Reply.self, from: Data(reply)))?.points
        Terminal.print(Self.text(points))
    }

    private var parameters: [UInt8] {
        guard let name else { return [] }
        var json = JSONWriter()
        json.object { $0.member("name", name) }
        return json.bytes
    }

    /// What was begun, and where to look for what comes of it.
    private static func text(_ points: Int?) -> String {
        let what =
            switch points {
            case nil: "the checks are begun"
            case 0?: "nothing to check at the moment: no path, or no interface that the probe is made over"
            case 1?: "1 check is begun"
            case let count?: "\(ProbeCountText.number(count)) checks are begun"
            }
        return points == 0 ? what : "\(what); 'reachagent status' shows what comes of it"
    }
}
