internal import AgentEvents
internal import ForeignText
internal import Hooks

/// A hook in a few words: its program, its events, and the reason that it does not run.
enum HookText {
    /// The program or request, and its user: `wg-quick up wg0, as vpn, in /srv`.
    static func what(_ hook: SurveyedHook) -> String {
        guard case .configured(let definition) = hook.kind else { return safe(hook.path ?? "?") }
        switch definition.action {
        case .command(let command):
            var text = command.arguments.map(ShellWord.quoted).joined(separator: " ")
            let account = [command.user, command.group].compactMap(\.self).joined(separator: ":")
            if !account.isEmpty { text += ", as \(account)" }
            if command.workingDirectory != "/" { text += ", in \(command.workingDirectory)" }
            return safe(text)
        case .webhook(let webhook): return safe("\(webhook.probe.request.method) \(webhook.probe.target)")
        }
    }

    /// The conditions on the event: `to_via is wifi or wwan; changed is via`; nil when it may say anything.
    static func conditions(_ hook: SurveyedHook) -> String? {
        guard case .configured(let definition) = hook.kind else { return nil }
        let words = definition.trigger.filter.conditions.map { name, wanted in
            "\(name) is \(wanted.joined(separator: " or "))"
        }
        return words.isEmpty ? nil : safe(words.joined(separator: "; "))
    }

    /// The reason that a hook never runs, and the remedy where there is one.
    static func obstacle(_ obstacle: SurveyedHook.Obstacle) -> (reason: String, remedy: String?) {
        switch obstacle {
        case .masked(let path): (safe("hidden by \(path)"), nil)
        case .skipped(_, let words): (safe(words), nil)
        case .refused(let refusal):
            (safe("refused: \(refusal.path): \(refusal.evidence) [\(refusal.code.rawValue)]"), safe(refusal.remedy))
        }
    }

    /// Why an event is not for a hook; nil when it is.
    static func reason(_ match: HookMatch, of hook: SurveyedHook) -> String? {
        switch match {
        case .matches: nil
        case .type: "it is for " + listed(hook.types)
        case .atStartOnly: "the event is the state at the agent's start, and the hook has no 'at_start'"
        case .behindPortal: "a captive portal is the reason, and the hook's 'cause' does not name behind_portal"
        case .filter(let name, let wanted, let found):
            safe("\(name) must be \(wanted.joined(separator: " or ")), and is \(found ?? "not told")")
        }
    }

    /// Types of events in the order of the documentation: `reachability.changed, target.changed`.
    static func listed(_ types: Set<EventType>) -> String {
        HookTrigger.types.filter(types.contains).map(\.shortName).joined(separator: ", ")
    }

    /// The events for which the hooks of a folder run.
    static func occasion(_ occasion: HookOccasion) -> String {
        switch occasion {
        case .every: "every settled change of the default path"
        case .none: "there is no path any more"
        case .wifi: "the path leads over wifi now"
        case .wwan: "the path leads over wwan now"
        case .wired: "the path leads over wired now"
        case .other: "the path leads over something else now"
        case .online: "the connectivity became full"
        case .offline: "the connectivity is full no more"
        case .uplink: "every settled change of an uplink"
        }
    }

    /// A text of somebody else's as a terminal may show it.
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
