internal import AgentEvents
internal import ForeignText
internal import Logging
internal import NotificationBus

/// Logs published events: a line for every change, with its reason.
///
/// Events are logged on the publishing thread: the log never blocks, so this needs no thread of its own.
final class EventLog: Sendable {
    private let delivery: EventDelivery

    /// - Parameter isPrinted: Whether events are printed anyway; then they are logged only if the log's level is
    ///   `debug` or lower.
    init(bus: NotificationBus<Event>, logger: Logger, isPrinted: Bool) {
        delivery = EventDelivery(bus: bus) { event in
            guard !isPrinted || logger.logLevel <= .debug, let level = EventLogLine.level(of: event),
                level >= logger.logLevel
            else { return }
            logger.log(level: level, "\(EventLogLine.text(of: event))")
        }
    }

    /// Subscribes: events published from now on are logged, until the bus is finished.
    func start() { delivery.start() }
}

/// Logs the outcome of a hook's run, with its output.
struct HookLog: Sendable {
    /// The maximum length of a line of a hook's output in the log, in characters.
    private static let longestLine = 1024

    private let logger = AgentLogger.make()

    func note(_ completion: HookCompletion) {
        let isSuccess = completion.ending.isSuccess
        logger.log(level: isSuccess ? .info : .warning, "\(completion.summary)")
        // The output of a hook is worth reading, also after success.
        let level: Logger.Level = isSuccess ? .notice : .warning
        for line in Self.outputLines(of: completion) {
            let text = ForeignText.shown(line, limit: Self.longestLine)
            logger.log(level: level, "hook \(completion.hook): \(text)")
        }
    }

    /// Returns the lines of the output; none if the summary, which ends with the last line of a failure, has all of it.
    static func outputLines(of completion: HookCompletion) -> [String] {
        let lines = (completion.output ?? "").split(whereSeparator: \.isNewline)
        if lines.count == 1, let line = lines.first?.drop(while: \.isWhitespace),
            completion.summary.hasSuffix("; \(line)")
        {
            return []
        }
        return lines.map(String.init)
    }
}

/// An event as a message of the log.
enum EventLogLine {
    /// Returns the level of an event; `nil` for one that is logged by its source, or never.
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

    /// The level of an uplink's event: an active uplink is reported by the event of the default path, a standby only
    /// here.
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

    /// The level of a probe's event: a first verdict matters only if it is bad, as thousands of probes may start
    /// together.
    private static func levelOfProbe(_ event: Event) -> Logger.Level {
        guard case .probeChanged(let change) = event.value.content else { return .warning }
        return switch (change.from.verdict, change.to.verdict) {
        case ("unknown", "up"), (_, "unknown"): .info
        case (_, "up"): .notice
        default: .warning
        }
    }
}
