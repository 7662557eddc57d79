internal import EventEnvelope
internal import EventSchema
internal import Logging

/// An event as a message of the log.
enum EventLogLine {
    /// How important an event is; `nil` for one that is logged by whoever made it, or never.
    static func level(of event: Event) -> Logger.Level? {
        switch event.type {
        case .agentStarted, .agentStopping, .suspendResumed: .notice
        case .reachabilityChanged, .targetChanged: isLoss(event) ? .warning : .notice
        case .uplinkChanged: levelOfUplink(event)
        case .probeChanged: levelOfProbe(event)
        case .certificateExpiring, .netlinkOverrun: .warning
        case .netlinkResynced: .info
        case .pathChanged: .debug
        case .configReloaded, .hookCompleted, .journalDegraded: nil
        case .agentHello, .networkSnapshot, .probeCompleted, .subscriberLagged: nil
        }
    }

    /// What it says, with what it is about in front: `probe web: up → down (tls_expired); ended 2026-11-20`.
    static func text(of event: Event) -> String {
        switch event.type {
        case .reachabilityChanged: "reachability: \(event.summary)"
        case .targetChanged: "target \(event.subject): \(event.summary)"
        case .uplinkChanged: "uplink \(event.subject): \(event.summary)"
        case .probeChanged, .certificateExpiring: "probe \(event.subject): \(event.summary)"
        case .pathChanged where event.subject == EventDraft.defaultSubject: "path: \(event.summary)"
        case .pathChanged: "path of target \(event.subject): \(event.summary)"
        default: event.summary
        }
    }

    // MARK: What is a loss

    /// Whether less can be reached than before.
    private static func isLoss(_ event: Event) -> Bool { worth("to", of: event) < worth("from", of: event) }

    /// How much of the world a state reaches.
    private static func worth(_ side: String, of event: Event) -> Int {
        let via = value(of: "via", at: side, of: event)
        guard let via, via != "none", via != "unknown" else { return 0 }
        switch value(of: "connectivity", at: side, of: event) {
        case "none", "local": return 1
        case "portal": return 2
        case "partial": return 3
        default: return 4
        }
    }

    /// An uplink that is or was in use is news with the default path's own event; a standby has no other.
    private static func levelOfUplink(_ event: Event) -> Logger.Level {
        guard event.line.firstRange(of: Array(#""used":true"#.utf8)) == nil else { return .debug }
        let order = ["none", "local", "portal", "partial", "unknown", "full"]
        guard let from = value(of: "connectivity", at: "from", of: event),
            let to = value(of: "connectivity", at: "to", of: event), from != to
        else { return .debug }
        guard let before = order.firstIndex(of: from), let after = order.firstIndex(of: to) else { return .notice }
        return after < before && to != "unknown" ? .warning : .notice
    }

    /// The first verdict is news only when it is a bad one: thousands of probes may begin at the same time.
    private static func levelOfProbe(_ event: Event) -> Logger.Level {
        switch (value(of: "verdict", at: "from", of: event), value(of: "verdict", at: "to", of: event)) {
        case ("unknown", "up"), (_, "unknown"): .info
        case (_, "up"): .notice
        default: .warning
        }
    }

    /// A word of one of the two states that stand in an event's line.
    ///
    /// The line is one that this process has written, and this happens while it publishes: the word is looked up where it
    /// stands, and the line is not parsed. A text in it cannot look like that, for its quotes are escaped.
    private static func value(of member: String, at side: String, of event: Event) -> String? {
        let line = event.line[...]
        guard let state = line.firstRange(of: Array("\"\(side)\":{\"".utf8)),
            let start = line[state.upperBound...].prefix(128).firstRange(of: Array("\(member)\":\"".utf8)),
            let end = line[start.upperBound...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return String(decoding: line[start.upperBound..<end], as: UTF8.self)
    }
}
