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
            Each loss, verdict and finding has a stable code, such as 'link_down' or 'tls_expired': 'status', 'watch' and \
            'probe' show them in brackets. Nothing is sent, and no agent is needed.

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

/// A code with its meaning, and with its remedy where there is a general one.
struct Explanation {
    let code: String
    let meaning: String
    let remedy: String?

    /// Every code that there is an explanation for.
    static let codes = Set(FindingCode.allCases.map(\.rawValue) + ReasonCode.allCases.map(\.rawValue)).sorted()

    /// The explanation of a code, which may have brackets around it; `nil` for one that does not exist.
    init?(_ text: String) {
        code = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        if let reason = ReasonCode(rawValue: code) {
            (meaning, remedy) = (reason.sentence, FindingCode(rawValue: code)?.configuredRemedy)
        } else if let finding = FindingCode(rawValue: code) {
            (meaning, remedy) = (finding.sentence, finding.configuredRemedy)
        } else {
            return nil
        }
    }

    /// The lines for a terminal.
    func text(style: TerminalStyle) -> String {
        var block = TextBlock(columns: style.columns)
        block.add(style.paint(code, .bold))
        block.add("", meaning, indent: 2, labelWidth: 0)
        block.add(
            "do",
            remedy ?? "`reachagent status` has the command for the interface at fault.",
            indent: 2,
            labelWidth: 6
        )
        return block.text
    }
}
