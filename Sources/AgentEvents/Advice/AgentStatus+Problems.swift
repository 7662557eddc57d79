extension AgentStatus {
    /// The age, in microseconds, above which a repaired loss of kernel messages is no reason to doubt the state.
    private static let lossAge: Int64 = 3_600_000_000
    /// The time after the agent's start, or its last reload, within which a sink need not have reported, in milliseconds.
    private static let sinkPatience: Int64 = 60_000

    /// Returns the problems of the agent itself, which the reader must know before believing the rest: sentences with
    /// commands.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - explain: Returns the meaning and the remedy of a check's code, which this module does not know.
    ///   - clock: Formats a time: `14:02:11`.
    ///   - moment: Formats a time with its age: `14:02:11 (3 h 12 min)`.
    package func problems(
        at now: Timestamp,
        explaining explain: Explanation = { _ in nil },
        clock: (Timestamp) -> String,
        moment: (Timestamp) -> String
    ) -> [Advice.Action] {
        var problems: [Advice.Action] = []
        if isSynchronized == false, reachability.since != nil {
            problems.append("kernel messages were lost: resynchronizing, the state may be out of date")
        }
        if reachability.state?.isFlapping == true {
            problems.append("the state changes too often to be relied on [\(ProblemCode.flapping.rawValue)]")
        }
        if let rejected = configuration?.rejected {
            let rejection = ConfigurationRejection(errors: rejected.errors, errorsOmitted: rejected.errorsOmitted)
            let time = rejected.time.map { " (\(moment($0)))" } ?? ""
            problems.append("\(rejection.summary)\(time); the earlier one stays in effect: `reachagent config check`")
        }
        if let pins = problemOfPins { problems.append(pins) }
        problems += problemsOfUnchecked(explain)
        if let losses = losses(clock: clock), let last = overruns?.last,
            now.microsecondsSince1970 &- last.microsecondsSince1970 < Self.lossAge
        {
            problems.append("\(losses)")
        }
        if let problem = problemOfJournal { problems.append(problem) }
        problems += (sockets?.unavailable ?? []).map(Self.problem)
        // The first connection is the reader's own.
        if let sockets, let count = sockets.connections, count > 1, let limit = sockets.limit, count >= limit {
            problems.append(
                "all \(String(limit)) connections are in use, see `reachagent subscribers`: new ones are rejected"
            )
        }
        if let budget = problemOfBudget { problems.append(budget) }
        return problems + sinks.compactMap { problem(of: $0, moment: moment) }
    }

    /// Describes the lost kernel messages; `nil` if there are none.
    package func losses(clock: (Timestamp) -> String) -> String? {
        guard let overruns, let count = overruns.count, count > 0 else { return nil }
        let code = overruns.code.map { " [\($0)]" } ?? ""
        let last = overruns.last.map { ", last at \(clock($0))" } ?? ""
        return "kernel messages were lost \(count == 1 ? "once" : "\(count) times")\(code)\(last)"
            + (isSynchronized == true ? "; resynchronized" : "")
    }

    private static func problem(of unavailable: UnavailableAddress) -> Advice.Action {
        let problem: Advice.Action =
            "cannot listen on \(unavailable.address) ([http] listen): \(unavailable.detail ?? "not available")"
        guard unavailable.needsCapability else { return "\(problem); retrying, see `ip address` and `ss -ltnp`" }
        return """
            \(problem); ports below 1024 need CAP_NET_BIND_SERVICE, which the agent does not have: listen on a higher one, \
            and restart the agent
            """
    }

    private var problemOfJournal: Advice.Action? {
        guard let journal, journal.isDegraded == true else { return nil }
        let code = journal.code.map { " [\($0)]" } ?? ""
        let headline = "the journal \(JournalDegraded.headline(ofProblem: journal.code))"
        let what = journal.code == "journal_sync_failed" ? headline : "events are not recorded"
        let problem: Advice.Action = "\(what)\(code): \(journal.detail ?? headline)"
        guard let directory = journal.directory else { return problem }
        return "\(problem); see \(command: "df -h \(directory)")"
    }

    /// Returns the problem of a sink that does not run, that its broker rejects, or that has no connection although the
    /// machine is reachable.
    private func problem(of sink: SinkStatus, moment: (Timestamp) -> String) -> Advice.Action? {
        guard sink.state != .absent else {
            // It connects shortly after the agent has read its settings.
            let age = min(agent?.uptimeMilliseconds ?? 0, configuration?.loadedForMilliseconds ?? .max)
            guard age > Self.sinkPatience else { return nil }
            return """
                the sink \(sink.name) has not reported: is reachagent-sink installed? \
                `systemctl status reachagent-sink` [sink_absent]
                """
        }
        guard let code = sink.code, Self.isTrouble(code) else { return nil }
        // A machine that is not reachable has another problem.
        if code == "broker_unreachable" || code == "broker_timeout", reachability.state?.connectivity != .full {
            return nil
        }
        let state = sink.state == .connected ? "the broker refuses something of" : "no connection to the broker of"
        let since = sink.state == .connected ? "" : sink.since.map { " since \(moment($0))" } ?? ""
        let detail = sink.detail.map { ": \($0)" } ?? ""
        let waiting = sink.pending.map { $0 > 0 ? "; \(SummaryText.count($0, "event")) waiting" : "" } ?? ""
        return "\(state) the sink \(sink.name)\(since) [\(code)]\(detail)\(waiting): `journalctl -u reachagent-sink`"
    }

    /// Returns false for the codes of a wait that is configured.
    private static func isTrouble(_ code: String) -> Bool {
        code.hasPrefix("broker_") || code.hasPrefix("credentials_")
    }

    private var problemOfPins: Advice.Action? {
        let names = probes.filter { probe in
            let matched = (probe.pins ?? []).filter(\.isMatched)
            return !matched.isEmpty && matched.allSatisfy { $0.isBackup == true }
        }
        .map(\.name)
        guard let first = names.first else { return nil }
        let more = names.count > 1 ? " and \(SummaryText.number(names.count - 1)) more" : ""
        return "of the pins of \(first)\(more) only a backup matches: pin the next key before this one changes"
    }

    /// An exhausted budget, for all probes that it stops: it need not be used up if a transfer does not fit into the
    /// rest.
    private var problemOfBudget: Advice.Action? {
        let stopped = probes.filter { ($0.lastCode ?? $0.code) == "budget_exhausted" }
        guard !stopped.isEmpty else { return nil }
        let example = stopped.first { $0.detail != nil }
        let detail = example.flatMap { probe in probe.detail.map { "; \(probe.probe): \($0)" } } ?? ""
        return """
            the byte budget of a metered link has no room for \(SummaryText.count(UInt64(stopped.count), "probe")): not \
            checked until the day ends (UTC) [budget_exhausted]\(detail)
            """
    }
}

extension AgentStatus.UnavailableAddress {
    /// True if the agent lacks CAP_NET_BIND_SERVICE for the port: neither the machine's addresses nor another listener is
    /// the reason.
    package var needsCapability: Bool {
        guard detail == "Permission denied", let port = UInt16(address.split(separator: ":").last ?? "") else {
            return false
        }
        return port < 1024
    }
}
