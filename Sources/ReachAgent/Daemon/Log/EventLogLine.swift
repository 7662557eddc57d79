internal import AgentEvents
internal import Logging

/// An event as a message of the log.
enum EventLogLine {
    /// Returns the level of an event; `nil` for one that is logged where it was made, or never.
    static func level(of event: Event) -> Logger.Level? {
        switch event.type {
        case .agentStarted, .agentStopping, .suspendResumed: .notice
        case .reachabilityChanged, .targetChanged: isLoss(event) ? .warning : .notice
        case .uplinkChanged: levelOfUplink(event)
        case .probeChanged: levelOfProbe(event)
        case .certificateExpiring, .netlinkOverrun, .sinkLost: .warning
        case .netlinkResynced: .info
        case .pathChanged, .probeSummary: .debug
        case .configReloaded, .configRejected, .hookCompleted, .journalDegraded: nil
        case .agentHello, .networkSnapshot, .probeCompleted, .probeProgress, .subscriberLagged, .eventsOmitted: nil
        }
    }

    /// Returns the message, with its subject in front: `probe web: up → down (tls_expired); ended 2026-11-20`.
    static func text(of event: Event) -> String {
        switch event.type {
        case .reachabilityChanged: "reachability: \(event.summary)"
        case .targetChanged: "target \(event.subject): \(event.summary)"
        case .uplinkChanged: "uplink \(event.subject): \(event.summary)"
        case .probeChanged, .probeSummary, .certificateExpiring: "probe \(event.subject): \(event.summary)"
        case .sinkLost: "sink \(event.subject): \(event.summary)"
        case .pathChanged where event.subject == AgentEvent.defaultSubject: "path: \(event.summary)"
        case .pathChanged: "path of target \(event.subject): \(event.summary)"
        default: event.summary
        }
    }

    // MARK: Losses

    /// True when less can be reached than before.
    private static func isLoss(_ event: Event) -> Bool {
        switch event.value.content {
        case .reachabilityChanged(let change), .targetChanged(let change):
            (change.to.worth ?? 0) < (change.from.worth ?? 0)
        default: false
        }
    }

    /// An uplink that is or was in use is news with the default path's own event; a standby has no other.
    private static func levelOfUplink(_ event: Event) -> Logger.Level {
        guard case .uplinkChanged(let change) = event.value.content, !change.from.isUsed, !change.to.isUsed,
            change.from.connectivity != change.to.connectivity
        else { return .debug }
        let order: [Connectivity] = [.none, .local, .portal, .partial, .unknown, .full]
        guard let before = order.firstIndex(of: change.from.connectivity),
            let after = order.firstIndex(of: change.to.connectivity)
        else { return .notice }
        return after < before && change.to.connectivity != .unknown ? .warning : .notice
    }

    /// The first verdict is news only when it is a bad one: thousands of probes may begin at the same time.
    private static func levelOfProbe(_ event: Event) -> Logger.Level {
        guard case .probeChanged(let change) = event.value.content else { return .warning }
        return switch (change.from.verdict, change.to.verdict) {
        case ("unknown", "up"), (_, "unknown"): .info
        case (_, "up"): .notice
        default: .warning
        }
    }
}
