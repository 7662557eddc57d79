internal import Probes

/// What makes probes again and again until it is stopped.
protocol ProbeDriver: Sendable {
    /// The rounds that were left out.
    var skipped: Int { get }
    func stop()
}

/// Our scheduler as a driver.
struct ScheduledProbes: ProbeDriver {
    private let scheduler: ProbeScheduler

    init(_ probes: [ScheduledProbe], transport: any CheckTransport, log: LatenessLog) {
        // The target is one server, so its limit is the one for all.
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
