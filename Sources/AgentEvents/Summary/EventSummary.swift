/// An event for people: its subject, the headline, and the detail, with unescaped text.
package struct EventSummary: Sendable, Hashable {
    /// The direction of a change.
    package enum Tone: String, Sendable, Hashable {
        /// Less works than before.
        case loss
        /// More works than before.
        case recovery
        /// Something needs attention.
        case trouble
        /// None of these.
        case neutral
    }

    /// The subject with its kind: `reachability`, `uplink wlan0`, `probe web`.
    package var subject: String
    /// The headline: `wifi wlan0 → none (link_down)`.
    package var headline: String
    /// The rest, such as `no carrier`, without repeating the headline.
    package var detail = ""
    package var tone = Tone.neutral

    /// Creates the headline of an event; `nil` for content that this version does not know, and for names and codes longer
    /// than any.
    package init?(_ event: AgentEvent) {
        guard event.content.hasShortWords else { return nil }
        switch event.content {
        case .unknown: return nil
        case .pathChanged(let change), .reachabilityChanged(let change), .targetChanged(let change):
            self.init(change, of: Self.subject(of: event))
        case .uplinkChanged(let change): self.init(change)
        case .probeChanged(let change): self.init(change)
        case .probeCompleted(let check): self.init(check)
        case .probeProgress(let progress):
            self.init(subject: "check \(progress.point.probe)", headline: progress.summary + Self.place(progress.point))
        case .certificateExpiring(let expiry): self.init(expiry)
        case .hookCompleted(let completion): self.init(completion)
        case .agentStarted(let agent):
            self.init(subject: "agent", headline: "started", detail: "version \(agent.version)")
        case .agentStopping(let end): self.init(subject: "agent", headline: "stopping (\(end.reason))")
        case .suspendResumed(let suspend):
            let time = SummaryText.lasting(milliseconds: suspend.suspendedMilliseconds)
            self.init(subject: "machine", headline: "resumed after \(time) of suspend")
        case .configReloaded(let reload):
            let detail = (reload.changes ?? "without changes") + reload.later
            self.init(subject: "config", headline: "reloaded", detail: detail)
        case .configRejected(let rejection):
            self.init(subject: "config", headline: rejection.summary, tone: .trouble)
        case .netlinkOverrun(let overrun):
            self.init(subject: "netlink", headline: "overrun", detail: overrun.detail, tone: .trouble)
        case .netlinkResynced(let resync):
            let count = resync.corrections == 1 ? "1 correction" : "\(resync.corrections) corrections"
            self.init(subject: "netlink", headline: "resynchronized", detail: count, tone: .recovery)
        case .journalDegraded(let change): self.init(change)
        case .sinkLost(let loss):
            self.init(subject: "sink \(loss.sink)", headline: loss.summary, tone: .loss)
        default: self.init(subject: Self.subject(of: event), headline: event.content.summary)
        }
    }

    package init(subject: String, headline: String, detail: String = "", tone: Tone = .neutral) {
        self.subject = subject
        self.headline = headline
        self.detail = detail
        self.tone = tone
    }

    /// Returns the first part of the type, and the subject unless the type contains it already.
    package static func subject(of event: AgentEvent) -> String {
        let family = Substring(EventType.shortName(of: event.type).utf8.prefix { $0 != UInt8(ascii: ".") })
        return event.isGeneral ? String(family) : "\(family) \(event.subject)"
    }

    /// Adds the cause's code and interface to a headline, unless it has them already: `none → wwan wwan0
    /// [route_added]`.
    static func adding(_ cause: ChangeCause, to headline: String) -> String {
        guard !headline.contains(word: cause.code), !repeated.contains(cause.code) else { return headline }
        let interface = cause.interface.flatMap { headline.contains(word: $0) ? nil : " \($0)" } ?? ""
        return "\(headline) [\(cause.code)\(interface)]"
    }

    /// The codes that add nothing to the change itself.
    private static let repeated: Set = ["initial", "recovered", "flapping_started", "flapping_stopped"]
}

extension String {
    /// Returns true if the text contains a word delimited by spaces or brackets.
    fileprivate func contains(word: String) -> Bool {
        split { " ()[],;".contains($0 as Character) }.contains { $0 == word }
    }
}

extension EventSummary {
    private init(_ change: UplinkChange) {
        let (from, to) = (change.from, change.to)
        var headline: [String] = []
        if from.connectivity != to.connectivity {
            headline.append(
                "\(from.connectivity) → \(to.connectivity)" + SummaryText.because(to.reason?.code, to.reason?.probe)
            )
        } else if from.reason != to.reason || from.isUsed == to.isUsed {
            headline.append("\(to.connectivity)" + SummaryText.because(to.reason?.code, to.reason?.probe))
        }
        if from.isUsed != to.isUsed { headline.append("\(Self.role(from)) → \(Self.role(to))") }
        if from.isUsed == to.isUsed { headline.append(Self.role(to)) }
        self.init(
            subject: "uplink \(to.interface)",
            headline: Self.adding(change.cause, to: headline.joined(separator: ", ")),
            detail: change.cause.detail ?? "",
            tone: Tone(from: from.connectivity.worth, to: to.connectivity.worth)
        )
    }

    private static func role(_ uplink: Uplink) -> String { uplink.isUsed ? "active" : "standby" }

    private init(_ change: ProbeChange) {
        let (from, to) = (change.from, change.to)
        var headline = from.verdict == to.verdict ? to.verdict : "\(from.verdict) → \(to.verdict)"
        headline += SummaryText.because(to.code, nil)
        if from.isFlapping != to.isFlapping { headline += to.isFlapping ? ", flapping" : ", no longer flapping" }
        let portal = to.portalURL.map { "log in at \($0)" }
        self.init(
            subject: "probe \(change.point.probe)",
            headline: Self.adding(change.cause, to: headline + Self.place(change.point)),
            detail: [change.cause.detail, portal].compactMap(\.self).joined(separator: "; "),
            tone: Tone(from: Self.worth(from), to: Self.worth(to))
        )
    }

    /// Creates the headline of a completed check.
    private init(_ check: CompletedCheck) {
        let report = check.report
        let verdict = report.verdict + SummaryText.because(report.code, nil)
        self.init(
            subject: "check \(check.point.probe)",
            headline:
                "\(verdict) in \(report.durationMicroseconds / 1000) ms\(Self.place(check.point))\(report.transferred)",
            tone: report.verdict == "ok" ? .neutral : .trouble
        )
    }

    /// Returns ` over wwan0 IPv6`; empty for a probe over the default path in any family.
    private static func place(_ point: ProbePoint) -> String {
        point.vantage.isEmpty ? "" : " over \(point.vantage)"
    }

    private static func worth(_ verdict: ProbeVerdict) -> Int? {
        switch verdict.verdict {
        case "up": verdict.isFlapping ? 2 : 3
        case "portal": 1
        case "unknown": nil
        default: 0
        }
    }

    private init(_ expiry: CertificateExpiry) {
        let subject = expiry.certificate.subject.isEmpty ? "(no subject)" : expiry.certificate.subject
        let which = expiry.position == 0 ? "certificate" : "certificate \(expiry.position.magnitude + 1) of the chain"
        let when =
            switch expiry.daysLeft {
            case ..<0: "expired \(CertificateExpiry.days(Int(clamping: expiry.daysLeft.magnitude))) ago"
            case 0: "expires within a day"
            default: "expires in \(CertificateExpiry.days(expiry.daysLeft))"
            }
        let end = String(expiry.certificate.notAfter.description.prefix(10))
        self.init(
            subject: "probe \(expiry.probe)",
            headline: "\(which) \(when), on \(end)",
            detail: subject + (expiry.isVerified ? "" : "; not trusted already"),
            tone: expiry.daysLeft < 0 ? .loss : .trouble
        )
    }

    private init(_ completion: HookCompletion) {
        let event = completion.triggerSequence.map { "\(completion.trigger) #\($0)" } ?? completion.trigger
        var parts = ["for \(event)"]
        if completion.failures > 1 { parts.append("\(completion.failures) times in a row") }
        if completion.superseded > 0 {
            parts.append("\(completion.superseded) earlier \(completion.superseded == 1 ? "event" : "events") skipped")
        }
        if let paused = completion.pausedMilliseconds {
            parts.append("retries in \(SummaryText.lasting(milliseconds: paused))")
        }
        var detail = parts.joined(separator: ", ")
        if let refusal = completion.ending.refusal {
            detail += "; \(refusal.remedy)"
        } else if !completion.ending.isSuccess, let line = SummaryText.lastLine(completion.output ?? "") {
            detail += "; \(line)"
        }
        self.init(
            subject: "hook \(completion.hook)",
            headline: completion.ending.words,
            detail: detail,
            tone: completion.ending.isSuccess || completion.ending.outcome == "stopped" ? .neutral : .trouble
        )
    }

    private init(_ change: JournalDegraded) {
        var detail = change.detail.map { [$0] } ?? []
        if let first = change.missingFirstSequence, let last = change.missingLastSequence {
            let range = "#\(first) to #\(last)"
            detail.append(change.isSkip ? "the numbers \(range) are skipped" : "it lacks the events \(range)")
        }
        if let settled = change.settled { detail.append(settled.summary) }
        let isPast = change.isSkip || change.code == "journal_deleted"
        self.init(
            subject: "journal",
            headline: "\(change.headline) [\(change.code)]",
            detail: detail.joined(separator: "; "),
            tone: change.isDegraded ? .loss : isPast ? .trouble : .recovery
        )
    }
}
