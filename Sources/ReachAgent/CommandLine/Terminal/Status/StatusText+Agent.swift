internal import AgentEvents
internal import CheckResults
internal import Hooks
internal import Probes

extension StatusText {
    /// The maximum number of bytes of a problem's words.
    private static let problemLimit = 600

    /// Problems of the agent itself, which the reader must know before believing the rest.
    var problems: [String] {
        let problems = reply.problems(at: clock.now, explaining: explain) {
            kept(clock.brief($0))
        } moment: {
            moment($0) ?? "?"
        }
        return painted(problems.flatMap { wrapped("! \(text($0, limit: Self.problemLimit))") }, .yellow)
    }

    /// The agent itself.
    var agent: [String] {
        var rows: [(label: String, text: String)] = []
        if let agent = reply.agent {
            var text = "version \(safe(agent.version ?? "?"))"
            if let process = agent.processID { text += ", process \(process)" }
            if let started = moment(agent.started, age: agent.uptimeMilliseconds) { text += ", since \(started)" }
            rows.append(("agent", text))
        }
        rows.append(("events", reply.lastSequence.map { $0 == 0 ? "none yet" : "last event #\($0)" } ?? "not known"))
        if let losses = reply.losses(clock: { kept(clock.brief($0)) }) { rows.append(("kernel", safe(losses))) }
        if let schedule { rows.append(("checks", schedule)) }
        if let hooksCount { rows.append(("hooks", hooksCount)) }
        for sink in reply.sinks { rows.append(("sink \(safe(sink.name))", text(sink))) }
        if let configuration = reply.configuration { rows.append(("configuration", text(configuration))) }
        rows.append(("journal", reply.journal.map { text($0) } ?? "none: events are lost when the agent ends"))
        if let sockets = reply.sockets {
            var text = "\(sockets.connections ?? 0) of \(sockets.limit ?? 0) connections"
            if let events = sockets.events { text += ", \(safe(events))" }
            rows.append(("sockets", text))
        }
        return section("AGENT", labelled(rows))
    }

    /// The numbers of checks made and left out, and the bytes of today.
    private var schedule: String? {
        guard let schedule = reply.schedule else { return nil }
        var parts = ["\(ProbeCountText.number(Int(clamping: schedule.checks ?? 0))) made"]
        if let count = schedule.skipped, count > 0 {
            parts.append("\(ProbeCountText.number(Int(clamping: count))) skipped as too late")
        }
        if let count = schedule.refused, count > 0 {
            parts.append("\(ProbeCountText.number(Int(clamping: count))) not allowed by the budget or [metered]")
        }
        if let delay = schedule.longestDelayMilliseconds, delay > 0 { parts.append("at most \(within(delay)) late") }
        let bytes = (schedule.bytes ?? [:]).filter { $0.value > 0 }.sorted { $0.key < $1.key }.prefix(4)
            .map { "\(safe($0.key)) \(used(of: $0.key) ?? ByteCountText.of(UInt64(clamping: $0.value)))" }
        if !bytes.isEmpty { parts.append("today \(bytes.joined(separator: ", "))") }
        return parts.map(kept).joined(separator: ", ")
    }

    /// The bytes of today beside their maximum: `1.2 of 5.0 MiB`; `nil` for an account without a budget.
    func used(of account: String) -> String? {
        guard let limit = reply.schedule?.bytesPerDay?[account] else { return nil }
        let used = reply.schedule?.bytes?[account] ?? 0
        return ByteCountText.of(UInt64(clamping: used), outOf: UInt64(clamping: limit))
    }

    /// `connected to tls://nats.example.org since 14:02 (6 min), shipped through #41 (3 s ago), 2 waiting`.
    private func text(_ sink: SinkStatus) -> String {
        let state =
            switch sink.state {
            case .absent: "not reported, for"
            case .waiting: "waiting for"
            case .connecting: "connecting to"
            case .connected: "connected to"
            default: "\(safe(sink.state.rawValue)):"
            }
        var parts = ["\(state) \(safe(sink.broker))" + (moment(sink.since).map { " since \($0)" } ?? "")]
        if let code = sink.code { parts[0] += " [\(safe(code))]" }
        if let sequence = sink.acknowledged {
            let age = sink.acknowledgedTime.map { " (\(clock.age(of: $0, units: 1)))" } ?? ""
            parts.append(kept("shipped through #\(sequence)\(age)"))
        }
        if let pending = sink.pending, pending > 0 {
            parts.append(kept("\(SummaryText.number(Int(clamping: pending))) waiting"))
        }
        if sink.lost > 0 { parts.append(kept("\(SummaryText.number(Int(clamping: sink.lost))) lost")) }
        return parts.joined(separator: ", ")
    }

    private func text(_ configuration: Status.Configuration) -> String {
        guard let main = configuration.files.first else {
            let searched = configuration.searched.map { safe($0) }.joined(separator: ", ")
            return searched.isEmpty ? "none" : "none; looked for \(searched)"
        }
        var text = safe(main)
        if configuration.files.count > 1 {
            let others = configuration.files.count - 1
            text += " and \(others) \(others == 1 ? "drop-in" : "drop-ins")"
        }
        if let loaded = moment(configuration.loaded, age: configuration.loadedForMilliseconds) {
            text += ", read \(loaded)"
        }
        return text
    }

    private func text(_ journal: Status.Journal) -> String {
        var parts = [safe(journal.directory ?? "?")]
        if let oldest = journal.oldestSequence, let newest = journal.newestSequence {
            parts.append(kept("events #\(oldest) to #\(newest)"))
        } else {
            parts.append("empty")
        }
        if let bytes = journal.bytes { parts.append(kept(ByteCountText.of(bytes))) }
        switch (journal.sync, journal.syncMilliseconds) {
        case ("always", _): parts.append("flushed before delivery")
        case ("interval", let interval?): parts.append("flushed within " + kept(within(interval)))
        case ("never", _): parts.append("flushed by the kernel")
        default: break
        }
        if let missing = missing(in: journal) { parts.append(missing) }
        return parts.joined(separator: ", ")
    }

    /// The events that the journal does not have; `nil` when it has them all.
    private func missing(in journal: Status.Journal) -> String? {
        guard !journal.missing.isEmpty else { return nil }
        let shown = journal.missing.suffix(3).map { hole in
            hole.firstSequence == hole.lastSequence
                ? "#\(hole.firstSequence)" : kept("#\(hole.firstSequence) to #\(hole.lastSequence)")
        }
        let earlier = journal.missing.count > shown.count ? " and earlier ones" : ""
        return "without \(shown.joined(separator: ", "))\(earlier)"
    }

    // MARK: Hooks

    /// The hooks that fail; nothing when there are none.
    func hooks(atMost limit: Int) -> [String] {
        let failing = reply.hooks.filter(\.isTroubled)
        let shown = failing.prefix(limit)
        var rows = shown.flatMap { hook in
            [
                (label: safe(hook.hook), text: text(hook), colour: Optional(TerminalStyle.Colour.red)),
                (label: "", text: "\(style.arrow) \(remedy(hook))", colour: nil),
            ]
        }
        let rest = failing.count - shown.count
        if rest > 0 {
            rows.append((style.ellipsis, "\(ProbeCountText.number(rest)) more: `reachagent status agent`", nil))
        }
        return section("FAILING HOOKS", labelled(rows))
    }

    /// `5, 132 runs`; `nil` without hooks.
    private var hooksCount: String? {
        guard !reply.hooks.isEmpty else { return nil }
        let number = reply.hooks.count + max(0, min(reply.hooksOmitted ?? 0, 1 << 32))
        var parts = [ProbeCountText.number(number), SummaryText.count(Self.sum(reply.hooks.map(\.runs)), "run")]
        let failed = Self.sum(reply.hooks.map(\.failedRuns))
        if failed > 0 { parts.append("\(ProbeCountText.number(Int(clamping: failed))) of them failed") }
        let offline = reply.hooks.filter { $0.waitsForNetwork == true }
        let others = reply.hooks.filter { $0.waitsForNetwork != true }
        let counts = [
            (Self.sum(others.map(\.running)), "running"), (Self.sum(others.map(\.waiting)), "waiting"),
            (Self.sum(offline.flatMap { [$0.running, $0.waiting] }), "waiting for the network"),
        ]
        for (count, words) in counts where count > 0 {
            parts.append("\(ProbeCountText.number(Int(clamping: count))) \(words)")
        }
        return parts.joined(separator: ", ")
    }

    private static func sum(_ counts: [Int?]) -> UInt64 { sum(counts.map { $0.map { UInt64(clamping: $0) } }) }

    private static func sum(_ counts: [UInt64?]) -> UInt64 { counts.reduce(0) { $0 &+ ($1 ?? 0) } }

    /// `failed: exit status 3 after 1.2 s, 4 times in a row, 5 min ago, next run in 8 s; output: …`.
    private func text(_ hook: Status.HookStatus) -> String {
        if let attempt = hook.attempt {
            return text(attempt) + (hook.waitsForNetwork == true ? ", waiting for the network" : ", retrying")
        }
        guard let last = hook.last else { return "failed \(hook.failures ?? 0) times in a row" }
        let ending = last.ending
        var parts = [safe(ending.words)]
        if let failures = hook.failures, failures > 1 { parts.append(kept("\(failures) times in a row")) }
        if let ended = last.ended { parts.append(kept(clock.age(of: ended, units: 1))) }
        if let pause = hook.pausedMilliseconds { parts.append(kept("backs off for \(within(pause))")) }
        let line = ending.refusal == nil ? last.output.flatMap(SummaryText.lastLine) : nil
        return parts.joined(separator: ", ") + (line.map { "; output: \(safe($0))" } ?? "")
    }

    /// `attempt 1 of 6 failed 3 s ago: expected 200-299, got 503 [http_status]`.
    private func text(_ attempt: Status.HookStatus.Attempt) -> String {
        var text = "attempt \(attempt.attempts ?? 1)" + (attempt.maximum.map { " of \($0)" } ?? "") + " failed"
        if let time = attempt.time { text += " " + clock.age(of: time, units: 1) }
        let code = attempt.code.map { " [\(safe($0))]" } ?? ""
        return kept(text) + (attempt.detail.map { ": \(safe($0))" } ?? "") + code
    }

    /// The next step.
    private func remedy(_ hook: Status.HookStatus) -> String {
        if let attempt = hook.attempt {
            guard hook.waitsForNetwork != true else { return "the agent retries once the machine is online" }
            return remedy(ofRequest: attempt.code) ?? "check the server"
        }
        let ending = hook.last?.ending
        let again = kept("`reachagent hooks run \(safe(ShellWord.quoted(hook.hook))) --event last`")
        return switch (ending?.outcome).flatMap(HookOutcome.init) {
        case .refused:
            ending?.refusal.map { HookText.remedy($0.remedy, $0.command) } ?? kept("`reachagent hooks list`")
        case .timedOut: "make it faster, or raise its 'timeout'; try it: \(again)"
        case .notStarted: "processes or memory ran out: see `ulimit -u`, and TasksMax of the service"
        case .undelivered:
            remedy(ofRequest: ending?.code).map { "\($0) Try it: \(again)" } ?? "check the server; try it: \(again)"
        default: "try it: \(again)"
        }
    }

    /// The next step for a failed request, of which this machine is the reason; `nil` otherwise.
    private func remedy(ofRequest code: String?) -> String? {
        guard let code = code.flatMap(FindingCode.init(rawValue:)), code.isLocalFault else { return nil }
        return text(Advice.Action(stringLiteral: code.configuredRemedy))
    }
}
