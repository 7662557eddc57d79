internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import FoundationEssentials
internal import StateClient

/// `reachagent reload`: makes the agent reload its configuration.
struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Make the running agent read its configuration again.",
        usage: "reachagent reload [<options>]",
        discussion: """
            The same as SIGHUP, with an answer. The whole configuration is validated first: if anything in it is invalid, \
            the agent keeps the earlier one, and each error is reported with its file, line and key, here, in the log and \
            in 'reachagent status'. Probes that did not change keep their history.

            EXIT STATUS
              0   the configuration is in effect
              69  no agent answers
              75  the agent does not answer in time, or refuses
              77  no permission to ask the agent
              78  the configuration is invalid, or there is no file
            """
    )

    /// Reading many files, and looking up the users that they name, takes time.
    private static let patience: Duration = .seconds(30)

    @Flag(help: "Print the agent's answer: one JSON object on one line.")
    var json = false

    @OptionGroup var agent: SocketOptions

    func run() throws {
        let reply: [UInt8]
        do throws(StateClientError) {
            reply = try AgentQuestion.answer(to: "reload", socket: agent.socket, patience: Self.patience)
        } catch .refused(let code, let message) where ReloadText.isRefusal(code) {
            if json {
                Terminal.print(ReloadText.json(code, message))
            } else {
                for line in ReloadText.refusal(code, message) { Terminal.printError(line) }
            }
            throw ExitCode(ExitStatus.badConfiguration)
        } catch {
            return try AgentQuestion.orExit { () throws(StateClientError) in throw error }
        }
        if json { return Terminal.print(reply) }
        for line in ReloadText.lines(reply) { Terminal.print(line) }
    }
}

/// The result of a reload.
private enum ReloadText {
    /// The maximum number of names that are listed of each kind.
    private static let maximumNames = 40

    /// The lines for a reply; unknown members are printed as they are.
    static func lines(_ parameters: [UInt8]) -> [String] {
        guard let reply = try? EventDecoder.decode(ConfigurationReload.self, from: parameters) else {
            return ["the configuration was read again"]
        }
        let hasFile = !reply.files.isEmpty
        var lines = [
            hasFile ? "read \(listed(reply.files)) again" : "there is no configuration file: the defaults apply"
        ]
        let parts = [("added", reply.added), ("removed", reply.removed), ("changed", reply.changed)]
        for (name, list) in parts {
            if !list.isEmpty { lines.append("  \(name.padded(to: 9))\(listed(list))") }
        }
        if !reply.needsRestart.isEmpty {
            lines.append("  takes effect on the next start: \(listed(reply.needsRestart))")
        }
        if lines.count == 1 { lines.append("  nothing changed") }
        return lines
    }

    /// True for an error of the configuration, not of the request.
    static func isRefusal(_ code: String) -> Bool { code == "configuration_invalid" || code == "no_configuration_file" }

    /// The lines for a rejected configuration, one for each error.
    static func refusal(_ code: String, _ message: String) -> [String] {
        let lines = message.split(whereSeparator: \.isNewline).map { ForeignText.line(String($0)) }
        guard code == "configuration_invalid" else {
            return ["reachagent: \(lines.joined(separator: " ")) [\(ForeignText.shown(code, limit: 64))]"]
        }
        return ["reachagent: the configuration was rejected, and the agent keeps the earlier one:"]
            + lines.map { "  \($0)" }
    }

    /// The agent's reply for a rejected configuration, in its wire format.
    static func json(_ code: String, _ message: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("error", code)
            json.name("parameters")
            json.object { $0.member("message", message) }
        }
        return json.bytes
    }

    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(maximumNames).map { ForeignText.shown($0, limit: 200) }.joined(separator: ", ")
        return names.count > maximumNames ? "\(shown) and \(names.count - maximumNames) more" : shown
    }
}
