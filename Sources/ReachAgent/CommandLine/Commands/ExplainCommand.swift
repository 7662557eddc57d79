internal import AgentEvents
internal import ArgumentParser
internal import ForeignText
internal import Probes
internal import Reachability

/// `reachagent explain`: the meaning of a code, and its remedy.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a code, and say what to do about it.",
        usage: "reachagent explain <code>",
        discussion: """
            Each loss, verdict, finding and trouble of a sink has a stable code, such as 'link_down' or 'tls_expired': \
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

/// A code with its meaning and its remedy.
struct Explanation {
    let code: String
    let meaning: String
    let remedy: String

    /// The codes that have an explanation.
    static let codes = Set(
        FindingCode.allCases.map(\.rawValue) + ReasonCode.allCases.map(\.rawValue) + SinkCode.allCases.map(\.rawValue)
    ).sorted()

    /// The explanation of a code, which may be in brackets; `nil` for an unknown code.
    init?(_ text: String) {
        code = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        let (finding, sink) = (FindingCode(rawValue: code), SinkCode(rawValue: code))
        guard let meaning = ReasonCode(rawValue: code)?.sentence ?? finding?.sentence ?? sink?.sentence,
            let remedy = Advice.action(on: code)?.description ?? finding?.configuredRemedy ?? sink?.remedy
        else { return nil }
        (self.meaning, self.remedy) = (meaning, remedy)
    }

    /// The lines for a terminal.
    func text(style: TerminalStyle) -> String {
        var block = TextBlock(columns: style.columns)
        block.add(style.paint(code, .bold))
        block.add("", meaning, indent: 2, labelWidth: 0)
        block.add("do", remedy, indent: 2, labelWidth: 6)
        return block.text
    }
}
