extension AgentEvent.Content {
    /// The event for people, in one line, with text as strangers wrote it; empty for ``unknown`` content.
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
