internal import Probes

/// A driver that repeats probes until it is stopped.
protocol ProbeDriver: Sendable {
    /// The number of skipped rounds.
    var skipped: Int { get }
    func stop()
}

/// This project's scheduler as a driver.
struct ScheduledProbes: ProbeDriver {
    private let scheduler: ProbeScheduler

    init(_ probes: [ScheduledProbe], transport: any CheckTransport, log: LatenessLog) {
        // The target is one server, so the limit per target equals the limit for all.
        let limits = ScheduleLimits(checks: 256, checksPerTarget: 256)
        scheduler = ProbeScheduler(transport: transport, limits: limits) { check in
            log.record(check.started - check.due, isFailure: check.report.verdict != .ok)
            return .steady
        }
        scheduler.setProbes(probes)
        scheduler.start()
    }

    var skipped: Int { Int(clamping: scheduler.statistics.skipped) }

    func stop() { scheduler.stop() }
}
