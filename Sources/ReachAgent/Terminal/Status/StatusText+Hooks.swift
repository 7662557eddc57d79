internal import EventEnvelope
internal import EventSchema
internal import Hooks
internal import StateClient

extension StatusText {
    /// The most hooks that are shown.
    private static let mostHooks = 12

    /// The hooks that somebody should look after; nothing when there are none.
    var hooks: [String] {
        let troubled = reply.hooks.filter(Self.isTroubled)
        let shown = troubled.prefix(Self.mostHooks)
        var rows = shown.flatMap { hook in
            [
                (label: safe(hook.name ?? "?"), text: text(hook), colour: Optional(TerminalStyle.Colour.red)),
                (label: "", text: "to do: \(remedy(hook))", colour: nil),
            ]
        }
        let rest = troubled.count - shown.count
        if rest > 0 {
            rows.append((style.hasUnicode ? "…" : "...", "\(ProbeCountText.number(rest)) more that fail", nil))
        }
        return section("HOOKS THAT FAIL", labelled(rows))
    }

    /// `5, 132 runs`; `nil` without hooks.
    var hooksCount: String? {
        guard !reply.hooks.isEmpty else { return nil }
        let number = reply.hooks.count + max(0, min(reply.hooksOmitted ?? 0, 1 << 32))
        let runs = Self.sum(reply.hooks.map(\.runs))
        var parts = [ProbeCountText.number(number), Self.count(runs, "run")]
        let failed = Self.sum(reply.hooks.map(\.failedRuns))
        if failed > 0 { parts.append("\(ProbeCountText.number(Int(clamping: failed))) of them failed") }
        let running = Self.sum(reply.hooks.map { $0.running.map { UInt64(clamping: $0) } })
        if running > 0 { parts.append("\(ProbeCountText.number(Int(clamping: running))) running") }
        let troubled = reply.hooks.count(where: Self.isTroubled)
        if troubled > 0 { parts.append("\(ProbeCountText.number(troubled)) to look after, see above") }
        return parts.joined(separator: ", ")
    }

    private static func isTroubled(_ hook: StatusReply.Hook) -> Bool {
        hook.last?.outcome == "refused" || (hook.failures ?? 0) >= HookStanding.repeatedFailures
    }

    private static func sum(_ counts: [UInt64?]) -> UInt64 { counts.reduce(0) { $0 &+ ($1 ?? 0) } }

    private static func count(_ number: UInt64, _ noun: String) -> String {
        "\(ProbeCountText.number(Int(clamping: number))) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `failed: exit status 3 after 1.2 s, 4 times in a row, 5 min ago, left alone for 8 s; "wg: no such device"; …`.
    private func text(_ hook: StatusReply.Hook) -> String {
        guard let last = hook.last else { return "failed \(hook.failures ?? 0) times in a row" }
        let ending = HookEnding(last)
        var parts = [safe(ending.words)]
        if let failures = hook.failures, failures > 1 { parts.append(kept("\(failures) times in a row")) }
        if let ended = last.ended { parts.append(kept(clock.age(of: ended, units: 1))) }
        if let pause = hook.pause {
            parts.append("left alone for " + kept(SummaryText.lasting(milliseconds: pause.microseconds / 1000)))
        }
        let line = ending.refusal == nil ? last.output.flatMap(SummaryText.lastLine) : nil
        return parts.joined(separator: ", ") + (line.map { "; it said: \(safe($0))" } ?? "")
    }

    /// What brings the reader on.
    private func remedy(_ hook: StatusReply.Hook) -> String {
        let ending = hook.last.map { HookEnding($0) } ?? HookEnding(outcome: "unknown")
        let name = safe(ShellWord.quoted(hook.name ?? "NAME"))
        let again = kept("reachagent hooks run \(name) --event last")
        return switch ending.outcome {
        case "refused": safe(ending.refusal?.remedy ?? "docs/hooks.md explains the code")
        case "timed_out": "make it quicker, or give it more time with 'timeout'; to try it: \(again)"
        case "not_started": "the machine is short of processes or memory: see ulimit -u, and TasksMax of the service"
        case "undelivered":
            "see whether the server answers"
                + (ending.code.map { ", and [\(safe($0))] in docs/findings.md" } ?? "") + "; to try it: \(again)"
        default: "try it: \(again)"
        }
    }
}

extension HookEnding {
    /// The ending of a run that an agent told of.
    init(_ run: StatusReply.HookRun) {
        self.init(outcome: run.outcome ?? "unknown")
        exitStatus = run.exitStatus.map(Int64.init)
        signal = run.signal
        refusal = run.refusal.map {
            Refusal(code: $0.code ?? "", path: $0.path ?? "", evidence: $0.evidence ?? "", remedy: $0.remedy ?? "")
        }
        reason = run.reason
        code = run.code
        detail = run.detail
        httpStatus = run.httpStatus.map(Int64.init)
        attempts = run.attempts.map(Int64.init)
        milliseconds = run.duration.map { $0.microseconds / 1000 }
    }
}
