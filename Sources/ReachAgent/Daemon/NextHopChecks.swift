internal import NetlinkMonitor
internal import Probes

/// The next hops to check, and the times of the checks that others trigger.
///
/// A time is forgotten with its next hop.
struct NextHopChecks: Sendable {
    /// The gateway of each point.
    private(set) var addresses: [ProbePoint: IPAddress] = [:]
    /// The times at which checks were last triggered.
    private var triggered: [ProbePoint: ContinuousClock.Instant] = [:]
    /// The times since which nothing beyond the next hops answers, or last did not.
    private(set) var doubts: [ProbePoint: ContinuousClock.Instant] = [:]

    /// Replaces the next hops, and returns whether they differ.
    mutating func replace(with addresses: [ProbePoint: IPAddress]) -> Bool {
        guard addresses != self.addresses else { return false }
        self.addresses = addresses
        triggered = triggered.filter { addresses[$0.key] != nil }
        doubts = doubts.filter { addresses[$0.key] != nil }
        return true
    }

    /// Records that nothing answers beyond some next hops, whose checks are triggered at once.
    mutating func doubt(_ points: [ProbePoint], at now: ContinuousClock.Instant) {
        for point in points { (triggered[point], doubts[point]) = (now, now) }
    }

    /// Returns the points to check along with another check, in order, and records the time.
    mutating func trigger(
        with check: CompletedCheck,
        costs: [Vantage: LinkCost],
        at now: ContinuousClock.Instant
    ) -> [ProbePoint] {
        guard !addresses.isEmpty else { return [] }
        return FirstHop.due(addresses.keys.sorted(), with: check, costs: costs, requested: &triggered, at: now)
    }
}
