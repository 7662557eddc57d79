internal import AgentEvents
internal import ForeignText
internal import Hooks

/// The plan of a run of a hook, for people.
struct HookPlanText {
    private static let labelWidth = 14

    let plan: HookPlan
    /// The user that asks.
    let user: String
    let style: TerminalStyle

    /// The whole text; what it begins with is not wrapped, so that it can be copied.
    var text: String {
        switch plan.action {
        case .refused(let refusal):
            let (reason, remedy) = HookText.obstacle(.refused(refusal))
            return lines([("not run", reason)] + (remedy.map { [("to do", $0)] } ?? []))
        case .program(let program):
            let account = [program.user, program.group].compactMap(\.self).joined(separator: ":")
            return lines(
                [
                    ("program", HookText.safe(program.path)),
                    ("arguments", HookText.safe(program.arguments.map(ShellWord.quoted).joined(separator: " "))),
                    ("user", HookText.safe(account.isEmpty ? user : account)),
                    ("folder", HookText.safe(program.workingDirectory)),
                    ("time-out", DurationText.coarse(program.timeout)),
                ] + listed("environment", program.environment) + [("input", input)]
            )
        case .request(let method, let url):
            return lines(
                [("request", HookText.safe("\(method) \(url)"))] + listed("variables", plan.variables)
                    + [("body", input)]
            )
        }
    }

    private var input: String {
        ForeignText.shown(String(decoding: plan.input, as: UTF8.self).trimmedEnd, limit: 16_384)
    }

    private func listed(_ label: String, _ variables: [String: String]) -> [(String, String)] {
        variables.sorted { $0.key < $1.key }.enumerated().map { index, variable in
            (index == 0 ? label : "", HookText.safe("\(variable.key)=\(ShellWord.quoted(variable.value))"))
        }
    }

    private func lines(_ rows: [(label: String, text: String)]) -> String {
        rows.map { $0.label.padded(to: Self.labelWidth) + $0.text }.joined(separator: "\n")
    }
}

extension String {
    /// The text without the line's end.
    fileprivate var trimmedEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
