public import EventEnvelope
internal import FoundationEssentials
public import NetlinkMonitor
public import Probes
public import Reachability

extension EventDraft {
    /// `probe.changed`.
    ///
    /// The subject is the probe's name; from where it was made stands in the data.
    public init(_ point: ProbePoint, _ change: Change<ProbeStanding>) {
        self.init(.probeChanged, subject: point.probe, summary: Self.summary(of: point, change)) { json in
            point.writeMembers(to: &json)
            for (name, standing) in [("from" as StaticString, change.from), ("to", change.to)] {
                json.name(name)
                json.object { standing.writeMembers(to: &$0) }
            }
            json.member("cause", change.cause)
            json.member("observed", Timestamp(change.observed))
        }
    }

    private static func summary(of point: ProbePoint, _ change: Change<ProbeStanding>) -> String {
        SummaryText.probeChanged(
            interface: point.vantage.interface,
            family: point.vantage.family,
            from: change.from.summary,
            to: change.to.summary,
            code: change.cause.code,
            detail: change.cause.detail
        )
    }

    /// `uplink.changed`.
    ///
    /// The subject is the interface's name.
    public init(_ change: Change<Uplink>) {
        self.init(
            .uplinkChanged,
            subject: change.to.interface.name,
            summary: SummaryText.uplinkChanged(
                from: change.from.summary,
                to: change.to.summary,
                code: change.cause.code,
                detail: change.cause.detail
            )
        ) { json in
            json.name("from")
            change.from.write(to: &json)
            json.name("to")
            change.to.write(to: &json)
            json.member("cause", change.cause)
            json.member("observed", Timestamp(change.observed))
            json.member("settled_ms", change.settled.milliseconds)
        }
    }

    /// `certificate.expiring`.
    public init(_ expiry: CertificateExpiry) {
        self.init(.certificateExpiring, subject: expiry.probe, summary: expiry.summary) { json in
            json.member("probe", expiry.probe)
            json.member("threshold", expiry.threshold)
            json.member("percent_left", expiry.percentLeft)
            json.member("days_left", expiry.daysLeft)
            json.member("position", expiry.position)
            json.member("verified", expiry.certificate.isVerified)
            json.name("certificate")
            json.object { json in
                json.member("subject", expiry.certificate.subject)
                json.member("issuer", expiry.certificate.issuer)
                json.member("sha256", expiry.certificate.sha256)
                json.member("not_before", Timestamp(expiry.certificate.notBefore))
                json.member("not_after", Timestamp(expiry.certificate.notAfter))
            }
            json.member("observed", Timestamp(expiry.observed))
        }
    }

    /// `suspend.resumed`.
    public init(resumedAfter suspended: Duration, observed: Observed) {
        self.init(
            .suspendResumed,
            subject: Self.agentSubject,
            summary: SummaryText.resumed(milliseconds: suspended.milliseconds)
        ) { json in
            json.member("suspended_ms", suspended.milliseconds)
            json.member("observed", Timestamp(observed))
        }
    }

    /// `config.reloaded`.
    public init(_ reload: ConfigurationReload) {
        self.init(
            .configReloaded,
            subject: Self.agentSubject,
            summary: SummaryText.reloaded(
                added: reload.added,
                removed: reload.removed,
                changed: reload.changed,
                needsRestart: reload.needsRestart
            )
        ) { json in reload.writeMembers(to: &json) }
    }

    /// `probe.completed`; not numbered.
    ///
    /// - Parameter cadence: How soon the probe is due again.
    public init(_ check: CompletedCheck, cadence: Cadence) {
        let delay = check.due.duration(to: check.started)
        self.init(
            .probeCompleted,
            subject: check.point.probe,
            summary: SummaryText.completed(
                interface: check.point.vantage.interface,
                family: check.point.vantage.family,
                verdict: check.report.verdict.word,
                code: check.report.verdict.code?.rawValue,
                milliseconds: check.report.duration.milliseconds
            )
        ) { json in
            check.point.writeMembers(to: &json)
            json.member("cadence", cadence.word)
            if case .down(let attempt) = cadence { json.member("attempt", attempt) }
            json.member("due", Timestamp(check.report.started).advanced(by: .zero - delay))
            json.member("delay_ms", max(0, delay.milliseconds))
            json.member("shared", check.isShared)
            json.member("report", check.report)
        }
    }
}

extension Cadence {
    /// The cadence's name in the schema.
    var word: String {
        switch self {
        case .steady: "steady"
        case .doubtful: "doubtful"
        case .down: "down"
        case .portal: "portal"
        }
    }
}

extension Timestamp {
    fileprivate func advanced(by duration: Duration) -> Timestamp {
        let (sum, overflow) = microsecondsSince1970.addingReportingOverflow(duration.microseconds)
        return overflow ? self : Timestamp(microsecondsSince1970: sum)
    }
}

extension ConfigurationReload: JSONRepresentable {
    /// Writes `{"files":[…],"added":[…],"removed":[…],"changed":[…],"needs_restart":[…]}`.
    public func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }

    fileprivate func writeMembers(to json: inout JSONWriter) {
        for (name, list) in [
            ("files" as StaticString, files), ("added", added), ("removed", removed), ("changed", changed),
            ("needs_restart", needsRestart),
        ] {
            json.name(name)
            json.array(list) { $0.string($1) }
        }
    }
}
