extension EventType {
    /// The meaning of an event of this type, for people: the list that docs/events.md and reachagent-events(7) are made from.
    public var meaning: String {
        switch self {
        case .agentStarted: "The agent is ready; the first event of a run."
        case .agentStopping: "The agent is about to end; the last event of a run."
        case .pathChanged: "A path changed: every edge, at once, for the default path and for each target."
        case .reachabilityChanged: "The default path changed, and the change has held for the settle time."
        case .targetChanged: "The same for a target."
        case .uplinkChanged: "The same for an uplink: an interface with a default route, or bound by a probe."
        case .probeChanged: "What a probe's checks come to changed, over one path and in one family."
        case .probeSummary: "The checks of a probe within an hour: counts by result, and a histogram of their latency."
        case .certificateExpiring: "A certificate that a probe saw comes to its end; once for each threshold."
        case .suspendResumed: "The machine was suspended, and for how long."
        case .configReloaded: "The configuration was read again, and what is different."
        case .configRejected: "A reload was rejected, with the errors; the earlier configuration stays in effect."
        case .netlinkOverrun: "Messages of the kernel's were lost, or could not be read."
        case .netlinkResynced: "After such a loss everything was read again, and this was different."
        case .hookCompleted: "A run of a hook is over, or could not begin: how it ended, and what it wrote."
        case .journalDegraded: "The journal cannot be written, or can be written again; which events it does not have."
        case .sinkLost: "Events left the journal before a sink had shipped them: its broker never gets them."
        case .eventsOmitted: "In the place of events that were recorded, and are older than `journal_age`."
        case .agentHello: "The first line on a socket: who speaks, and the number that the events go on from."
        case .networkSnapshot: "The whole state: the second line on a socket, and what `run --once` prints."
        case .probeCompleted: "A check is over, with its whole report; for subscribers that ask for it."
        case .probeProgress: "The progress of a transfer, at most ten a second; for subscribers that ask for it."
        case .subscriberLagged: "The reader was too slow; events are missing after `last_seq`."
        }
    }
}
