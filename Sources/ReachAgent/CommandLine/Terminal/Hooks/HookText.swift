internal import AgentEvents
internal import ForeignText
internal import Hooks

/// A hook in a few words: its program, its events, and the reason that it does not run.
enum HookText {
    /// The program or request, and its user: `wg-quick up wg0, as vpn, in /srv`.
    static func what(_ hook: ListedHook) -> String {
        guard case .configured(let definition) = hook.kind else { return safe(hook.path ?? "?") }
        switch definition.action {
        case .command(let command):
            let words = command.arguments.map(ShellWord.quoted).joined(separator: " ")
            var text = ""
            let account = [command.user, command.group].compactMap(\.self).joined(separator: ":")
            if !account.isEmpty { text += ", as \(account)" }
            if command.workingDirectory != "/" { text += ", in \(command.workingDirectory)" }
            return StatusText.kept(safe(words)) + safe(text)
        case .webhook(let webhook): return safe("\(webhook.probe.request.method) \(webhook.probe.target.shownOrigin)")
        }
    }

    /// The conditions on the event: `to_via is wifi or wwan; changed is via`; nil if there are none.
    static func conditions(_ hook: ListedHook) -> String? {
        guard case .configured(let definition) = hook.kind else { return nil }
        let words = definition.trigger.filter.conditions.map { name, wanted in
            "\(name) is \(wanted.joined(separator: " or "))"
        }
        return words.isEmpty ? nil : safe(words.joined(separator: "; "))
    }

    /// The reason that a hook never runs, and the remedy where there is one.
    static func obstacle(_ obstacle: ListedHook.Obstacle) -> (reason: String, remedy: String?) {
        switch obstacle {
        case .masked(let path): (safe("hidden by \(path)"), nil)
        case .skipped(_, let words): (safe(words), nil)
        case .refused(let refusal):
            (
                safe("refused: \(refusal.path): \(refusal.evidence) [\(refusal.code.rawValue)]"),
                remedy(refusal.remedy, refusal.command)
            )
        }
    }

    /// The remedy of a refusal, with its command in backticks and in one piece (``StatusText/kept(_:)``).
    static func remedy(_ remedy: String, _ command: String?) -> String {
        guard let command, let range = remedy.firstRange(of: command) else { return safe(remedy) }
        let parts = [remedy[..<range.lowerBound], remedy[range.upperBound...]].map { safe(String($0)) }
        return parts.joined(separator: StatusText.kept("`\(safe(command))`"))
    }

    /// The reason that an event does not match a hook; nil when it does.
    static func reason(_ match: HookMatch, of hook: ListedHook) -> String? {
        switch match {
        case .matches: nil
        case .type: "it is for " + listed(hook.types)
        case .atStartOnly: "the event is the state at the agent's start, and the hook has no 'at_start'"
        case .behindPortal: "a captive portal is the reason, and the hook's 'cause' does not name behind_portal"
        case .filter(let name, let wanted, let found):
            safe("\(name) must be \(wanted.joined(separator: " or ")), and is \(found ?? "not reported")")
        }
    }

    /// Types of events in the order of the documentation: `reachability.changed, target.changed`.
    static func listed(_ types: Set<EventType>) -> String {
        HookTrigger.types.filter(types.contains).map(\.shortName).joined(separator: ", ")
    }

    /// The events for which the hooks of a directory run.
    static func occasion(_ occasion: HookOccasion) -> String {
        switch occasion {
        case .every: "every settled change of the default path"
        case .none: "there is no longer a path"
        case .wifi: "the path leads over wifi now"
        case .wwan: "the path leads over wwan now"
        case .wired: "the path leads over wired now"
        case .other: "the path leads over something else now"
        case .online: "the connectivity became full"
        case .offline: "the connectivity is no longer full"
        case .uplink: "every settled change of an uplink"
        }
    }

    /// Foreign text, escaped for a terminal.
    static func safe(_ text: String) -> String { ForeignText.shown(text, limit: 500) }
}

extension HookFilter {
    /// The conditions, by the keys of the configuration, in the order of the documentation.
    var conditions: [(name: String, wanted: [String])] {
        [
            ("from_via", fromVia), ("to_via", toVia), ("from_connectivity", fromConnectivity),
            ("to_connectivity", toConnectivity), ("target", targets), ("probe", probes),
            ("interface", interfaces), ("cause", causes), ("changed", changes.map(\.rawValue)),
        ]
        .filter { !$0.1.isEmpty }
    }
}

/// The plan of a run of a hook, for people.
struct HookPlanText {
    private static let labelWidth = 14

    let plan: HookPlan
    /// The user who runs the command.
    let user: String
    let style: TerminalStyle

    /// The whole text, without wrapped lines, so that it can be copied.
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
                    ("directory", HookText.safe(program.workingDirectory)),
                    ("timeout", DurationText.coarse(program.timeout)),
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
        rows.map { $0.label.padded(to: Self.labelWidth) + StatusText.spaced($0.text) }.joined(separator: "\n")
    }
}

extension String {
    /// The text without a trailing newline.
    fileprivate var trimmedEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}

/// The output and the end of a hook, for people.
enum HookRunText {
    /// The output, line by line; empty when there was none.
    static func output(_ output: String?) -> String {
        guard let output else { return "" }
        var lines = output.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { line in
            ForeignText.line(String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)))
        }
        .joined(separator: "\n")
    }

    /// A failed attempt of a webhook: `attempt 1 of 6 failed: 503; wanted 200-299 [http_status]; next in 1 s`.
    static func retry(_ retry: WebhookRetry) -> String {
        let pause = SummaryText.lasting(milliseconds: retry.pause.milliseconds)
        return ForeignText.line(
            "attempt \(retry.number) of \(retry.maximum) failed: \(retry.detail) [\(retry.code)]; next in \(pause)"
        )
    }

    /// The end: `hook vpn failed: exit status 3 after 1.2 s`.
    static func ending(_ completion: HookCompletion) -> String {
        var text = ForeignText.line("hook \(completion.hook) \(completion.ending.words)")
        if let bytes = completion.outputBytes, completion.outputOmittedBytes != nil {
            text += "; of its \(ByteCountText.of(UInt64(clamping: bytes))) of output the middle is left out"
        }
        if let refusal = completion.ending.refusal {
            text += "\nto do: \(StatusText.spaced(HookText.remedy(refusal.remedy, refusal.command)))"
        }
        return text
    }
}
