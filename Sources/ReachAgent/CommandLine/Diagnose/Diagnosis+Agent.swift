internal import AgentEvents
internal import Hooks
internal import StateClient

// The agent itself.

extension Diagnosis {
    /// The section of the agent's own health.
    static func agent(_ evidence: DiagnosisEvidence) -> Section {
        let configuration = facts(of: evidence.configuration)
        switch evidence.agent {
        case nil: return Section(.agent, .notChecked, outOfTime, facts: configuration)
        case .failure(let error)?: return absent(error, evidence, configuration)
        case .success(let status)?:
            let used = facts(of: status) + loaded(status, besides: evidence.configuration)
            return running(status, besides: evidence.configuration, facts: used + changes(status))
        }
    }

    private static func absent(_ error: StateClientError, _ evidence: DiagnosisEvidence, _ facts: [Fact]) -> Section {
        // A restart of the service binds the sockets, too.
        if case .noAgent = error, evidence.service != .underSystemd, let process = evidence.recorder {
            let summary = "an agent runs (process \(process)), and answers at no socket"
            return Section(.agent, .warning, summary, next: ["kill -HUP \(process)"], facts: facts)
        }
        switch error {
        case .noAgent where evidence.service == .absent:
            return Section(.agent, .notChecked, "no agent is running", next: ["reachagent run"], facts: facts)
        case .noAgent:
            let next =
                evidence.service == .underSystemd
                ? ["systemctl status reachagent", "sudo systemctl restart reachagent"]
                : ["# start the service"]
            return Section(.agent, .warning, "the service is installed, and no agent answers", next: next, facts: facts)
        case .notPermitted:
            let next = AgentQuestion.advice(error).map { "# \($0)" }
            return Section(.agent, .warning, error.description, next: next, facts: facts)
        case _ where evidence.service != .underSystemd:
            let next = AgentQuestion.advice(error, service: evidence.service).map { "# \($0)" }
            return Section(.agent, .error, error.description, next: next, facts: facts)
        default:
            let next = ["systemctl status reachagent", "journalctl -u reachagent -p warning"]
            return Section(.agent, .error, error.description, next: next, facts: facts)
        }
    }

    /// The section of a running agent; the first of its own problems determines the verdict.
    private static func running(
        _ status: AgentStatus,
        besides onDisk: DiagnosisEvidence.Configuration?,
        facts: [Fact]
    ) -> Section {
        if let journal = status.journal, journal.isDegraded == true {
            let detail = journal.detail.map { ": \($0)" } ?? ""
            let next = ["df -h \(ShellWord.quoted(journal.directory ?? "/var/lib/reachagent"))", "dmesg"]
            return Section(
                .agent,
                .error,
                "the journal \(JournalDegraded.headline(ofProblem: journal.code))\(detail)",
                code: journal.code,
                next: next,
                facts: facts
            )
        }
        if status.isSynchronized == false {
            return Section(
                .agent,
                .warning,
                "kernel messages were lost; the agent resynchronizes",
                code: status.overruns?.code,
                next: ["journalctl -u reachagent -p warning"],
                facts: facts
            )
        }
        if let rejected = rejection(status, onDisk) {
            return Section(
                .agent,
                .warning,
                "\(rejected); the earlier one stays in effect",
                next: ["reachagent config check"],
                facts: facts
            )
        }
        if let version = status.agent?.version, version != Agent.version {
            return Section(
                .agent,
                .warning,
                "the agent has version \(version), this command \(Agent.version)",
                next: ["sudo systemctl restart reachagent"],
                facts: facts
            )
        }
        if let unavailable = status.sockets?.unavailable.first {
            let detail = unavailable.detail.map { ": \($0)" } ?? ""
            let next =
                unavailable.needsCapability
                ? ["# ports below 1024 need CAP_NET_BIND_SERVICE"] : ["ip address", "ss -ltnp"]
            return Section(
                .agent,
                .warning,
                "the agent cannot listen on \(unavailable.address)\(detail)",
                next: next + ["# correct 'listen' in [http], and restart the agent"],
                facts: facts
            )
        }
        if let hook = status.hooks.first(where: { ($0.failures ?? 0) > 0 }) {
            return Section(
                .agent,
                .warning,
                "the hook \(hook.hook) fails",
                next: ["reachagent hooks run \(ShellWord.quoted(hook.hook)) --event last"],
                facts: facts
            )
        }
        return Section(.agent, .ok, "version \(status.agent?.version ?? "unknown") runs", facts: facts)
    }

    /// Returns the configuration that was rejected, by the agent or by this command, without its errors, which quote the
    /// files; `nil` if none was.
    private static func rejection(_ status: AgentStatus, _ onDisk: DiagnosisEvidence.Configuration?) -> String? {
        if let rejected = status.configuration?.rejected {
            let count = max(1, rejected.errors.count) + max(0, min(rejected.errorsOmitted ?? 0, 1 << 32))
            return "the configuration was rejected (\(errors(count)))"
        }
        guard case .rejected(let found)? = onDisk else { return nil }
        return "the configuration on disk has \(errors(found.count))"
    }

    private static func facts(of status: AgentStatus) -> [Fact] {
        var facts: [Fact] = []
        if let state = status.reachability.state { facts.append(Fact("state", OnlineText.state(state))) }
        if let uptime = status.agent?.uptimeMilliseconds {
            facts.append(Fact("uptime", DurationText.coarse(.milliseconds(max(0, uptime)))))
        }
        facts += status.uplinks.prefix(12).map { uplink in
            let reason = uplink.reason.map { " (\($0.code))" } ?? ""
            return Fact(
                "uplink",
                "\(uplink.interface) \(uplink.isUsed ? "active" : "standby"), \(uplink.connectivity)\(reason)"
            )
        }
        if let journal = status.journal {
            let last = journal.newestSequence.map { "last event #\($0)" } ?? "empty"
            let size = journal.bytes.map { ByteCountText.of($0) } ?? "?"
            facts.append(Fact("journal", "\(last), \(size)" + (journal.missing.isEmpty ? "" : ", with gaps")))
        } else {
            facts.append(Fact("journal", "none"))
        }
        if let overruns = status.overruns, (overruns.count ?? 0) > 0 {
            facts.append(Fact("netlink", "\(overruns.count ?? 0) losses of kernel messages since the start"))
        }
        if let schedule = status.schedule {
            let words = [
                schedule.checks.map { "\($0) checks" }, schedule.skipped.map { "\($0) skipped" },
                schedule.longestDelayMilliseconds.map { "longest delay \($0) ms" },
            ]
            facts.append(Fact("schedule", words.compactMap(\.self).joined(separator: ", ")))
        }
        let failing = status.hooks.filter { ($0.failures ?? 0) > 0 }.count
        if !status.hooks.isEmpty { facts.append(Fact("hooks", "\(status.hooks.count), \(failing) failing")) }
        return facts
    }

    /// The configuration that the agent has loaded, and the one on disk if that is another.
    private static func loaded(
        _ status: AgentStatus,
        besides onDisk: DiagnosisEvidence.Configuration?
    ) -> [Fact] {
        let files = status.configuration?.files ?? []
        let own = Fact("configuration", files.isEmpty ? "no file" : files.joined(separator: ", "))
        // Without a path a probe has no point in the status: only the files can be compared.
        switch onDisk {
        case .read(let found, _)? where found == files: return [own]
        case .some(.none) where files.isEmpty: return [own]
        default: return [own] + facts(of: onDisk, named: "on disk")
        }
    }

    private static func facts(
        of configuration: DiagnosisEvidence.Configuration?,
        named name: String = "configuration"
    ) -> [Fact] {
        switch configuration {
        case nil: []
        case .some(.none): [Fact(name, "no file")]
        case .read(let files, let probes)?: [Fact(name, text(files: files, probes: probes))]
        // The errors are left out, because they quote the files.
        case .rejected(let errors)?: [Fact(name, "rejected, \(Self.errors(errors.count))")]
        case .unreadable?: [Fact(name, "not readable by this user")]
        }
    }

    /// `/etc/reachagent/reachagent.toml: 2 probes`.
    private static func text(files: [String], probes: Int) -> String {
        let place = files.isEmpty ? "no file" : files.joined(separator: ", ")
        return "\(place): \(probes) probe\(probes == 1 ? "" : "s")"
    }

    private static func errors(_ count: Int) -> String { "\(count) error\(count == 1 ? "" : "s")" }

    /// The newest settled changes, without their details, which are those of the probes above.
    private static func changes(_ status: AgentStatus) -> [Fact] {
        status.recent.suffix(6).map { change in
            let time = change.time.map { String($0.localDescription.prefix(19)) }
            // The interface of another change is that of its cause.
            let isProbe = change.type == EventType.probeChanged.rawValue
            let subject = change.subject.map { name in
                isProbe ? ProbeCountText.name(name, change.interface, change.family) : name
            }
            let words = [
                time, subject, change.from.map { "\($0) →" }, change.to, change.code.map { "[\($0)]" },
            ]
            return Fact("change", words.compactMap(\.self).joined(separator: " "))
        }
    }
}
