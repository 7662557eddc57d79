public import EventEnvelope
public import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

extension EventDraft {
    /// `hook.completed`.
    ///
    /// The subject is the hook's name.
    public init(_ completion: HookCompletion) {
        self.init(.hookCompleted, subject: completion.hook, summary: completion.summary) { json in
            json.member("hook", completion.hook)
            json.member("kind", completion.kind.rawValue)
            json.member("trigger", completion.trigger.shortName)
            json.member("trigger_seq", ifPresent: completion.sequence) { $0.number($1) }
            json.member("superseded", completion.superseded)
            completion.writeEnding(to: &json)
            json.member("delay_ms", completion.delay.milliseconds)
            completion.output.writeMembers(to: &json)
            json.member("failures", completion.failures)
            json.member("paused_ms", ifPresent: completion.pause) { $0.number($1.milliseconds) }
        }
    }
}

extension HookCompletion {
    /// Writes `outcome`, what belongs to it, and `duration_ms`.
    func writeEnding(to json: inout JSONWriter) {
        json.member("outcome", outcome.code)
        switch outcome {
        case .succeeded: if kind != .webhook { json.member("exit_status", 0) }
        case .exited(let status): json.member("exit_status", status)
        case .signaled(let signal): json.member("signal", SignalName.of(signal))
        case .timedOut, .stopped: break
        case .refused(let refusal):
            json.name("refusal")
            json.object { json in
                json.member("code", refusal.code.rawValue)
                json.member("path", refusal.path)
                json.member("evidence", refusal.evidence)
                json.member("remedy", refusal.remedy)
            }
        case .notStarted(let reason): json.member("reason", reason)
        case .undelivered(let code, let detail):
            json.member("code", code)
            json.member("detail", detail)
        }
        json.member("http_status", ifPresent: httpStatus) { $0.number($1) }
        if kind == .webhook { json.member("attempts", attempts) }
        json.member("duration_ms", duration.milliseconds)
    }

    fileprivate var summary: String {
        SummaryText.hookCompleted(
            hook: hook,
            trigger: trigger.shortName,
            sequence: sequence.map { String($0) },
            ending: HookEnding(self),
            superseded: Int64(superseded),
            failures: Int64(failures),
            pausedMilliseconds: pause?.milliseconds,
            output: output.text
        )
    }
}

extension HookOutput {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        guard bytes > 0 else { return }
        json.member("output", text)
        json.member("output_bytes", bytes)
        if omittedBytes > 0 { json.member("output_omitted_bytes", omittedBytes) }
    }
}
