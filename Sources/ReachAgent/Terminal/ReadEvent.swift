internal import EventEnvelope
internal import EventSchema

/// An event's members as far as they are shown.
struct ReadEvent: Decodable {
    var type: String
    var subject: String?
    var time: String?
    var data: ReadValue?

    /// What happened, in a few words; not yet safe to show.
    var summary: String {
        guard case .object(let members)? = data else { return "" }
        return known(members) ?? ReadValue.compact(members)
    }

    /// The words for the types that are known, where the members are there; the same as the event's own summary.
    private func known(_ members: [String: ReadValue]) -> String? {
        switch EventType(rawValue: type) {
        case .pathChanged, .reachabilityChanged, .targetChanged:
            guard let from = members["from"]?.stateSummary, let to = members["to"]?.stateSummary else { return nil }
            let cause = members["cause"]
            let code = cause?["code"]?.text.map { " [\($0)]" } ?? ""
            return "\(from) → \(to)\(code)" + (cause?["detail"]?.text.map { "; \($0)" } ?? "")
        case .uplinkChanged: return uplinkChanged(members)
        case .probeChanged: return probeChanged(members)
        case .certificateExpiring: return certificateExpiring(members)
        case .suspendResumed:
            return members["suspended_ms"]?.number.map { SummaryText.resumed(milliseconds: $0) }
        case .configReloaded:
            guard members["files"] != nil else { return nil }
            return SummaryText.reloaded(
                added: members["added"]?.texts ?? [],
                removed: members["removed"]?.texts ?? [],
                changed: members["changed"]?.texts ?? [],
                needsRestart: members["needs_restart"]?.texts ?? []
            )
        case .probeCompleted:
            guard let report = members["report"], let verdict = report["verdict"]?.text else { return nil }
            return SummaryText.completed(
                interface: members["interface"]?.text,
                family: members["family"]?.text,
                verdict: verdict,
                code: report["code"]?.text,
                milliseconds: (report["duration_us"]?.number ?? 0) / 1000
            )
        case .hookCompleted: return hookCompleted(members)
        case .agentStarted: return members["version"]?.text.map { "agent \($0) started" }
        case .agentStopping: return members["reason"]?.text.map { "agent stopping (\($0))" }
        case .netlinkOverrun: return members["detail"]?.text
        case .netlinkResynced:
            return members["corrections"]?.text.map { "the kernel's state was read again; \($0) corrections" }
        case .networkSnapshot: return members["state"]?.stateSummary
        case .subscriberLagged:
            return members["last_seq"]?.text.map { "too slow: what followed event \($0) was not kept" }
        case .agentHello, .journalDegraded, nil: return nil
        }
    }

    private func probeChanged(_ members: [String: ReadValue]) -> String? {
        guard let from = members["from"]?.standingSummary, let to = members["to"]?.standingSummary,
            let code = members["cause"]?["code"]?.text
        else { return nil }
        return SummaryText.probeChanged(
            interface: members["interface"]?.text,
            family: members["family"]?.text,
            from: from,
            to: to,
            code: code,
            detail: members["cause"]?["detail"]?.text
        )
    }

    private func uplinkChanged(_ members: [String: ReadValue]) -> String? {
        func summary(_ uplink: ReadValue?) -> String? {
            guard let uplink, let kind = uplink["kind"]?.text, let connectivity = uplink["connectivity"]?.text
            else { return nil }
            return SummaryText.uplink(
                kind: kind,
                isUsed: uplink["used"] == .boolean(true),
                connectivity: connectivity,
                code: uplink["reason"]?["code"]?.text,
                probe: uplink["reason"]?["probe"]?.text
            )
        }
        guard let from = summary(members["from"]), let to = summary(members["to"]),
            let code = members["cause"]?["code"]?.text
        else { return nil }
        return SummaryText.uplinkChanged(from: from, to: to, code: code, detail: members["cause"]?["detail"]?.text)
    }

    private func certificateExpiring(_ members: [String: ReadValue]) -> String? {
        guard let certificate = members["certificate"], let subject = certificate["subject"]?.text,
            let end = certificate["not_after"]?.text, let threshold = members["threshold"]?.text,
            let days = members["days_left"]?.number
        else { return nil }
        return SummaryText.certificate(
            subject: subject,
            position: Int(clamping: members["position"]?.number ?? 0),
            daysLeft: Int(clamping: days),
            notAfter: end,
            threshold: threshold,
            isVerified: members["verified"] == .boolean(true)
        )
    }

    private func hookCompleted(_ members: [String: ReadValue]) -> String? {
        guard let hook = members["hook"]?.text, let trigger = members["trigger"]?.text,
            let outcome = members["outcome"]?.text
        else { return nil }
        var ending = HookEnding(outcome: outcome)
        ending.exitStatus = members["exit_status"]?.number
        ending.signal = members["signal"]?.text
        if let refusal = members["refusal"] {
            ending.refusal = .init(
                code: refusal["code"]?.text ?? "",
                path: refusal["path"]?.text ?? "",
                evidence: refusal["evidence"]?.text ?? "",
                remedy: refusal["remedy"]?.text ?? ""
            )
        }
        ending.reason = members["reason"]?.text
        ending.code = members["code"]?.text
        ending.detail = members["detail"]?.text
        ending.httpStatus = members["http_status"]?.number
        ending.attempts = members["attempts"]?.number
        ending.milliseconds = members["duration_ms"]?.number
        return SummaryText.hookCompleted(
            hook: hook,
            trigger: trigger,
            sequence: members["trigger_seq"]?.text,
            ending: ending,
            superseded: members["superseded"]?.number ?? 0,
            failures: members["failures"]?.number ?? 0,
            pausedMilliseconds: members["paused_ms"]?.number,
            output: members["output"]?.text ?? ""
        )
    }
}
