extension AgentEvent.Content {
    /// The event as one line for people, with unescaped text; empty for ``unknown`` content.
    public var summary: String {
        switch self {
        case .agentStarted(let agent): "agent \(agent.version) started"
        case .agentStopping(let end): "agent stopping (\(end.reason))"
        case .pathChanged(let change), .reachabilityChanged(let change), .targetChanged(let change):
            SummaryText.change(change.from.summary, change.to.summary, change.cause, code: change.cause.code)
        case .uplinkChanged(let change): SummaryText.change(change.from.summary, change.to.summary, change.cause)
        case .probeChanged(let change):
            change.point.place + SummaryText.change(change.from.summary, change.to.summary, change.cause)
        case .probeSummary(let summary): summary.summary
        case .certificateExpiring(let expiry): expiry.summary
        case .suspendResumed(let suspend):
            "the machine was suspended for \(SummaryText.coarse(max(0, suspend.suspendedMilliseconds) / 1000))"
        case .configReloaded(let reload): reload.summary
        case .configRejected(let rejection): rejection.summary
        case .netlinkOverrun(let overrun): overrun.detail
        case .netlinkResynced(let resync): "the kernel's state was read again; \(resync.corrections) corrections"
        case .hookCompleted(let completion): completion.summary
        case .journalDegraded(let change): change.summary
        case .sinkLost(let loss): loss.summary
        case .eventsOmitted(let omitted):
            "\(omitted.count) event\(omitted.count == 1 ? "" : "s") from \(omitted.firstSequence) on not kept"
        case .agentHello(let agent): "agent \(agent.version), event \(agent.sequence)"
        case .networkSnapshot(let snapshot): snapshot.state.summary
        case .probeCompleted(let check):
            "\(check.point.place)\(check.report.verdict)\(SummaryText.because(check.report.code, nil)) "
                + "in \(check.report.durationMicroseconds / 1000) ms\(check.report.transferred)"
        case .probeProgress(let progress): progress.point.place + progress.summary
        case .subscriberLagged(let lag): "too slow: what followed event \(lag.lastSequence) was not kept"
        case .unknown: ""
        }
    }
}

extension Path {
    /// `wifi wlan0`, `wwan tun0 over wwan0`, `wifi wlan0 (dead leg eth0)`, or `none (link_down wlan0)`.
    public var summary: String {
        let name = interface.map { " \($0)" } ?? ""
        guard via.isReachable else { return reason.map { "\(via) (\($0)\(name))" } ?? via.rawValue }
        let below = underlay?.interface.map { " over \($0)" } ?? ""
        return "\(via)\(name)\(below)\(SummaryText.deadLegs(deadLegs.compactMap(\.interface)))"
    }
}

extension ReachabilityState {
    /// A short description of the path, with its families and the verdicts of the probes, if any.
    public var summary: String {
        let standby = alternative.map { ", \($0.interface) works (\($0.code))" } ?? ""
        let end = standby + (isFlapping ? ", flapping" : "")
        guard path.via.isReachable else { return path.overall.summary + end }
        let families = commonFamilies
        return pathSummary + (families.isEmpty ? "" : " \(families)") + beyond + end
    }

    /// The path in a few words, or that of each family if they use different interfaces: `wifi wlan0`, or
    /// `wwan usb0 (IPv4), wired eth0 (IPv6)`.
    package var pathSummary: String {
        guard isSplit else { return path.overall.summary }
        return usablePaths.map { "\($0.path.summary) (\($0.family))" }.joined(separator: ", ")
    }

    /// `IPv4+IPv6`: the families with a usable path; empty if ``pathSummary`` has them already.
    var commonFamilies: String { isSplit ? "" : usablePaths.map(\.family).joined(separator: "+") }

    /// True if both families have a usable path, each over another interface.
    var isSplit: Bool {
        // By bytes, because a hostile name may be long.
        let names = usablePaths.map { ($0.path.interface ?? "").utf8 }
        return names.count == 2 && !names[0].elementsEqual(names[1])
    }

    /// The usable path of each family, with the verdict of the probes for that family.
    var usablePaths: [(family: String, path: Path, connectivity: Connectivity?)] {
        [
            ("IPv4", path.ipv4, connectivityByFamily?.ipv4), ("IPv6", path.ipv6, connectivityByFamily?.ipv6),
        ].compactMap { family, path, connectivity in
            guard let path, path.via.isReachable else { return nil }
            return (family: family, path: path, connectivity: connectivity)
        }
    }

    /// `, full`, or `, partial (tls_expired web)`; empty if the probes have no verdict.
    private var beyond: String {
        guard let connectivity, connectivity != .unknown || connectivityReason != nil else { return "" }
        return ", \(connectivity)" + SummaryText.because(connectivityReason, connectivityProbe)
    }
}

extension Uplink {
    /// `wifi, used, full`, or `wwan, standby, none (link_down)`.
    public var summary: String {
        "\(kind), \(isUsed ? "used" : "standby"), \(connectivity)" + SummaryText.because(reason?.code, reason?.probe)
    }
}

extension ProbeVerdict {
    /// `up`, `down (connect_refused)`, `portal (portal_redirect), log in at http://login.example/`.
    public var summary: String {
        verdict + SummaryText.because(code, nil) + (isFlapping ? ", flapping" : "")
            + (portalURL.map { ", log in at \($0)" } ?? "")
    }
}

extension ProbePoint {
    /// The vantage point of a probe: `wwan0 IPv6`; empty for the default one.
    var vantage: String { [interface, family.map(SummaryText.familyName)].compactMap(\.self).joined(separator: " ") }

    /// The same before a verdict: `wwan0 IPv6: `.
    var place: String { vantage.isEmpty ? "" : "\(vantage): " }
}

extension CertificateExpiry {
    /// `certificate CN=www.example ends in 6 days, on 2026-11-27 [7d]`.
    public var summary: String {
        let which = position == 0 ? "certificate" : "certificate \(position.magnitude + 1) of the chain,"
        let name = certificate.subject.isEmpty ? "(no subject)" : certificate.subject
        let end =
            switch daysLeft {
            case ..<0: "ended \(Self.days(Int(clamping: daysLeft.magnitude))) ago, on"
            case 0: "ends within a day, on"
            default: "ends in \(Self.days(daysLeft)), on"
            }
        let refused = isVerified ? "" : "; it is refused already"
        return "\(which) \(name) \(end) \(certificate.notAfter.description.prefix(10)) [\(threshold)]\(refused)"
    }

    static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }
}

extension ConfigurationReload {
    /// `configuration read again: 1 added (probe.web), 2 changed (settle, probe.dns)`.
    public var summary: String {
        "configuration read again: \(changes ?? "nothing changed")\(later)"
    }

    /// `1 added (probe.web), 2 changed (settle, probe.dns)`; `nil` without a change.
    var changes: String? {
        let parts = [(added, "added"), (removed, "removed"), (changed, "changed")].filter { !$0.0.isEmpty }
            .map { "\($0.0.count) \($0.1) (\(SummaryText.listed($0.0)))" }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// `; takes effect on the next start: limits`; empty if everything has taken effect.
    var later: String {
        needsRestart.isEmpty ? "" : "; takes effect on the next start: \(SummaryText.listed(needsRestart))"
    }
}

extension ConfigurationRejection {
    /// `configuration rejected: reachagent.toml:7:1: probe.web.rise: …, and 2 more errors`.
    public var summary: String {
        let further = max(0, errors.count - 1) + max(0, min(errorsOmitted ?? 0, 1 << 32))
        let rest = further == 0 ? "" : ", and \(further) more error\(further == 1 ? "" : "s")"
        return "configuration rejected: \(errors.first ?? "no error is named")\(rest)"
    }
}

extension JournalDegraded {
    /// `the journal cannot be written [journal_write_failed]; No space left on device`.
    public var summary: String {
        var parts = ["the journal \(headline) [\(code)]"]
        if let detail { parts.append(detail) }
        if let first = missingFirstSequence, let last = missingLastSequence {
            let range = "\(first) to \(last)"
            parts.append(isSkip ? "the numbers \(range) are skipped" : "events \(range) are missing from it")
        }
        if let settled { parts.append(settled.summary) }
        return parts.joined(separator: "; ")
    }

    /// The change, as a predicate of the journal.
    var headline: String {
        switch code {
        case "journal_lease_found": "skips numbers that may have been used"
        case "journal_deleted": "was changed from outside"
        case "journal_resumed": "is written again"
        default: isDegraded ? Self.headline(ofProblem: code) : "is written again"
        }
    }

    /// A problem of the journal, as a predicate.
    package static func headline(ofProblem code: String?) -> String {
        switch code {
        case "journal_sync_failed": "is not flushed to the disk"
        case "journal_stalled": "waits for its disk"
        default: "cannot be written"
        }
    }

    /// True if the missing numbers are those of a lease, of which most may never have been used.
    var isSkip: Bool { code == "journal_lease_found" }
}

extension ProbeSummary {
    /// `58 ok, 2 failed (timeout), 20.8 ms median, 41.2 ms p95`.
    public var summary: String {
        var parts = ["\(succeeded) ok"]
        if failed.total > 0 { parts.append("\(failed.total) failed (\(SummaryText.listed(failed.names)))") }
        if notChecked.total > 0 {
            parts.append("\(notChecked.total) not checked (\(SummaryText.listed(notChecked.names)))")
        }
        if let median = latency.quantile(0.5), let high = latency.quantile(0.95) {
            parts.append("\(SummaryText.latency(microseconds: median)) median")
            parts.append("\(SummaryText.latency(microseconds: high)) p95")
        }
        if let rates = transfer?.summary { parts.append(rates) }
        return point.place + parts.joined(separator: ", ")
    }
}

extension HookCompletion {
    /// `hook vpn failed: exit status 3 after 1.2 s [reachability.changed #42], 3 times in a row; wg: no such device`.
    public var summary: String {
        let event = triggerSequence.map { "\(trigger) #\($0)" } ?? trigger
        var text = "hook \(hook) \(ending.words) [\(event)]"
        if superseded > 0 { text += ", \(superseded) earlier \(superseded == 1 ? "event" : "events") dropped" }
        if failures > 1 { text += ", \(failures) times in a row" }
        if let pausedMilliseconds {
            text += ", backs off for \(SummaryText.lasting(milliseconds: pausedMilliseconds))"
        }
        if let refusal = ending.refusal { return "\(text); \(refusal.remedy)" }
        guard !ending.isSuccess, let line = SummaryText.lastLine(output ?? "") else { return text }
        return "\(text); \(line)"
    }
}

extension HookEnding {
    /// True if the hook succeeded.
    public var isSuccess: Bool { known == .succeeded }

    /// `failed: exit status 3 after 1.2 s`.
    public var words: String { head + (refusal == nil && reason == nil && !isUnsent ? after : "") + tail }

    /// The outcome; `nil` for one of a later version.
    private var known: HookOutcome? { HookOutcome(rawValue: outcome) }

    /// `true` for a request that the agent had no chance to send.
    private var isUnsent: Bool { known == .stopped && attempts == 0 }

    private var head: String {
        switch known {
        case .succeeded: "succeeded" + (httpStatus.map { ": HTTP \($0)" } ?? "")
        case .exited: "failed: exit status \(exitStatus.map(String.init) ?? "unknown")"
        case .signaled: "failed: ended by \(signal ?? "a signal")"
        case .timedOut: "failed: timed out (killed)"
        case .refused: "refused" + (refusal.map { ": \($0.path): \($0.evidence) [\($0.code)]" } ?? "")
        case .notStarted: "not started" + (reason.map { ": \($0)" } ?? "")
        case .stopped: isUnsent ? "not sent before the agent stopped" : "ended with the agent"
        case .undelivered:
            "failed: " + (httpStatus.map { "HTTP \($0)" } ?? "not delivered") + (code.map { " [\($0)]" } ?? "")
        case nil: outcome
        }
    }

    private var after: String {
        let times = attempts.flatMap { $0 > 1 ? " \($0) attempts," : nil } ?? ""
        return durationMilliseconds.map { " after\(times) \(SummaryText.lasting(milliseconds: $0))" } ?? ""
    }

    private var tail: String { known == .undelivered ? detail.map { "; \($0)" } ?? "" : "" }
}

extension ProbeSummary.Counts {
    fileprivate var names: [String] { byCode.keys.sorted() }
}
