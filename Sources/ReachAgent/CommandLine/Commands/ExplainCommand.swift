internal import ArgumentParser
internal import ForeignText

/// `reachagent explain`: the meaning of a code, and its remedy.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a code, and say what to do about it.",
        usage: "reachagent explain <code>",
        discussion: """
            Each change, loss, verdict, finding, outcome of a hook, rejected request, and trouble of the journal, of \
            netlink and of a sink has a stable code, such as 'link_down' or 'tls_expired': events have them as 'code'; \
            'status', 'watch' and 'probe' show them in brackets. Nothing is sent, and no agent is needed.

            EXAMPLES
              reachagent explain dns_timeout

            EXIT STATUS
              0   the code was explained
              64  there is no such code
            """
    )

    @Argument(help: "The code, with or without brackets around it.", completion: .agentNames(of: .codes))
    var code: String

    func validate() throws {
        guard Explanation(code) == nil else { return }
        let shown = ForeignText.shown(code, limit: 64)
        let question = KeySuggestion.question(about: code, among: Explanation.codes)
        throw ValidationError("there is no code '\(shown)'\(question)")
    }

    func run() throws {
        guard let explanation = Explanation(code) else { return }
        Terminal.print(explanation.text(style: .standardOutput()))
    }
}
