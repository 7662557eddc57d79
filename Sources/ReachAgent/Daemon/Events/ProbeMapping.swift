internal import AgentEvents
internal import FoundationEssentials
internal import NetlinkMonitor
internal import Probes
internal import Reachability

// Probes, their verdicts and their certificates as values of the schema.

extension Vantage {
    /// The family, unless it is any.
    var family: String? { families == .any ? nil : families.rawValue }
}

extension AgentEvents.ProbePoint {
    init(_ point: Probes.ProbePoint) {
        self.init(probe: point.probe, interface: point.vantage.interface, family: point.vantage.family)
    }
}

extension AgentStatus.ProbeStatus {
    private static let maximumNames = 8

    /// Creates the status of a probe that has no path to be checked over.
    init(waiting rule: ProbeRule) {
        self.init(probe: rule.name, verdict: "unknown")
        let family =
            switch rule.families {
            case .ipv4: "IPv4 "
            case .ipv6: "IPv6 "
            case .any, .each: ""
            }
        var missing = "no \(family)path"
        if case .matching(let names) = rule.interfaces {
            missing += " over " + names.prefix(Self.maximumNames).joined(separator: " or ")
            if names.count > Self.maximumNames { missing += " or \(names.count - Self.maximumNames) more" }
        }
        detail = missing
    }
}

extension ProbeVerdict {
    init(_ state: ProbeState) {
        self.init(
            verdict: state.verdict.rawValue,
            code: state.code?.rawValue,
            portalURL: state.portalURL,
            isFlapping: state.isFlapping
        )
    }
}

extension ProbeChange {
    init(_ point: Probes.ProbePoint, _ change: Change<ProbeState>) {
        self.init(
            point: AgentEvents.ProbePoint(point),
            from: ProbeVerdict(change.from),
            to: ProbeVerdict(change.to),
            cause: AgentEvents.ChangeCause(change.cause),
            observed: Timestamp(change.observed)
        )
    }
}

extension AgentEvents.CertificateExpiry {
    init(_ expiry: Reachability.CertificateExpiry) {
        self.init(
            probe: expiry.probe,
            threshold: expiry.threshold,
            percentLeft: expiry.percentLeft,
            daysLeft: expiry.daysLeft,
            position: expiry.position,
            isVerified: expiry.certificate.isVerified,
            certificate: Certificate(
                subject: expiry.certificate.subject,
                issuer: expiry.certificate.issuer,
                sha256: expiry.certificate.sha256,
                notBefore: Timestamp(expiry.certificate.notBefore),
                notAfter: Timestamp(expiry.certificate.notAfter)
            ),
            observed: Timestamp(expiry.observed)
        )
    }
}

extension AgentEvents.CompletedCheck {
    /// - Parameter cadence: The time after which the probe is due again.
    init(_ check: Probes.CompletedCheck, cadence: Cadence) {
        let delay = check.due.duration(to: check.started)
        let (word, attempt): (String, Int?) =
            switch cadence {
            case .steady: ("steady", nil)
            case .doubtful: ("doubtful", nil)
            case .down(let attempt): ("down", attempt)
            case .portal: ("portal", nil)
            }
        self.init(
            point: AgentEvents.ProbePoint(check.point),
            cadence: word,
            attempt: attempt,
            due: Timestamp(check.report.started).advanced(by: .zero - delay),
            delayMilliseconds: max(0, delay.milliseconds),
            isShared: check.isShared,
            report: AgentEvents.CheckReport(check.report)
        )
    }
}

extension Timestamp {
    fileprivate func advanced(by duration: Duration) -> Timestamp {
        let (sum, overflow) = microsecondsSince1970.addingReportingOverflow(duration.microseconds)
        return overflow ? self : Timestamp(microsecondsSince1970: sum)
    }
}

extension AgentEvents.NetworkSnapshot.ProbeVerdict {
    init(_ record: ProbeRecord) {
        self.init(
            point: AgentEvents.ProbePoint(record.point),
            verdict: AgentEvents.ProbeVerdict(record.published),
            isStale: record.isStale,
            // A status that is not published began later than the verdict that is.
            since: record.state == record.published ? record.since.map { Timestamp($0) } : nil
        )
    }
}

extension AgentStatus.ProbeStatus {
    init(_ record: ProbeRecord, now: ObservedTime) {
        let state = record.state
        self.init(probe: record.point.probe, verdict: state.verdict.rawValue)
        interface = record.point.vantage.interface
        family = record.point.vantage.family
        code = state.code?.rawValue
        portalURL = state.portalURL
        isFlapping = state.isFlapping
        isStale = record.isStale
        since = record.since.map { Timestamp($0) }
        forMilliseconds = record.since?.milliseconds(until: now)
        streak = record.streak
        guard let check = record.last else { return }
        last = Timestamp(check.observed, at: now)
        lastOutcome = check.outcome.rawValue
        latencyMilliseconds = check.latency.milliseconds
        if check.outcome != .ok {
            if check.code != state.code { lastCode = check.code?.rawValue }
            detail = check.detail
            phase = check.phase?.rawValue
            peer = check.peer
        }
        certificate = record.expiringCertificate(at: now).map { certificate, threshold in
            AgentStatus.ExpiringCertificate(
                subject: certificate.subject,
                notAfter: Timestamp(certificate.notAfter),
                daysLeft: certificate.daysLeft(at: Timestamp(now).date),
                threshold: threshold
            )
        }
        pins = check.pins?.entries.map { entry in
            Pin(pin: entry.pin, isMatched: entry.isMatched, isBackup: entry.isBackup ? true : nil)
        }
    }
}

extension AgentStatus.Schedule {
    init(_ counters: ScheduleStatistics) {
        self.init(
            checks: counters.checks,
            shared: counters.shared,
            skipped: counters.skipped,
            refused: counters.refused,
            longestDelayMilliseconds: counters.longestDelay.milliseconds,
            bytes: counters.bytes,
            bytesPerDay: counters.bytesPerDay.isEmpty ? nil : counters.bytesPerDay
        )
    }
}
