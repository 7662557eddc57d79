public import EventEnvelope
public import Probes
public import Reachability

extension EventDraft {
    /// `probe.changed`.
    public init(_ point: ProbePoint, _ change: Change<ProbeStanding>) {
        self.init(.probeChanged, subject: point.description, summary: "") { json in
            json.member("probe", point.probe)
        }
    }

    /// `certificate.expiring`.
    public init(_ expiry: CertificateExpiry) {
        self.init(.certificateExpiring, subject: expiry.probe, summary: "") { json in
            json.member("threshold", expiry.threshold)
        }
    }

    /// `suspend.resumed`.
    public init(resumedAfter suspended: Duration, observed: Observed) {
        self.init(.suspendResumed, subject: Self.agentSubject, summary: "") { json in
            json.member("suspended_ms", suspended.milliseconds)
        }
    }

    /// `config.reloaded`.
    public init(_ reload: ConfigurationReload) {
        self.init(.configReloaded, subject: Self.agentSubject, summary: "") { json in
            json.name("files")
            json.array(reload.files) { $0.string($1) }
        }
    }

    /// `probe.completed`; not numbered.
    public init(_ check: CompletedCheck, cadence: Cadence) {
        self.init(.probeCompleted, subject: check.point.description, summary: "") { json in
            json.member("probe", check.point.probe)
        }
    }
}
