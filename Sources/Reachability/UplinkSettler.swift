internal import NetlinkMonitor

/// Settles the state of each uplink by itself.
///
/// An interface without a default route is an uplink that is `none`: what appears was that before, and what vanishes
/// becomes it, and is forgotten once that is published.
struct UplinkSettler: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var settlers: [UInt32: Settler<Uplink>] = [:]
    private var isKnown = false
    /// How long a change must hold.
    private(set) var policy: SettlePolicy

    /// Settles nothing yet.
    init(policy: SettlePolicy) { self.policy = policy }

    /// The uplinks as last published, by index; not those that are gone.
    var settled: [Uplink] {
        settlers.values.map(\.settled).filter { !$0.isAbsent }.sorted { $0.interface.index < $1.interface.index }
    }

    /// Takes another policy, also for what waits.
    mutating func setPolicy(_ policy: SettlePolicy) {
        self.policy = policy
        for index in settlers.keys { settlers[index]?.policy = policy }
    }

    /// Takes the uplinks that there are now; those of the first time are published with the state, and not by themselves.
    mutating func observe(
        _ uplinks: [Uplink],
        observed: Observed,
        cause: (Uplink) -> ChangeCause
    ) -> [Change<Uplink>] {
        let now = observed.instant
        var changes: [Change<Uplink>] = []
        let present = Dictionary(uplinks.map { ($0.interface.index, $0) }, uniquingKeysWith: { first, _ in first })
        let gone = settlers.filter { present[$0.key] == nil }.map { $0.value.raw.absent }
        for uplink in (uplinks + gone).sorted(by: { $0.interface.index < $1.interface.index }) {
            let index = uplink.interface.index
            if settlers[index] == nil {
                var settler = Settler(unknown: uplink.absent, policy: policy)
                _ = settler.observe(isKnown ? uplink.absent : uplink, cause: .start, observed: observed, at: now)
                settlers[index] = settler
            }
            let because = cause(uplink)
            if let change = settlers[index]?.observe(uplink, cause: because, observed: observed, at: now) {
                changes.append(change)
            }
        }
        isKnown = true
        forget()
        return changes
    }

    /// Lets time pass.
    mutating func tick(at now: Instant) -> [Change<Uplink>] {
        let changes = settlers.keys.sorted().compactMap { settlers[$0]?.tick(at: now) }
        if !changes.isEmpty { forget() }
        return changes
    }

    /// Lets the waiting begin anew: the time before does not count.
    mutating func restart(at now: Instant) {
        for index in settlers.keys { settlers[index]?.restart(at: now) }
    }

    /// When ``tick(at:)`` has something to do, unless an observation comes first.
    var deadline: Instant? { settlers.values.compactMap(\.deadline).min() }

    private mutating func forget() {
        settlers = settlers.filter { !$0.value.settled.isAbsent || $0.value.isPending || $0.value.deadline != nil }
    }
}

extension Uplink: SettlingValue {
    struct Grade: Equatable, Sendable {
        let connectivity: Connectivity
        let isUsed: Bool
    }

    var grade: Grade { Grade(connectivity: connectivity, isUsed: isUsed) }

    func loses(to next: Uplink) -> Bool {
        guard let goodness = connectivity.goodness else { return next.connectivity == .none }
        return next.connectivity.goodness.map { $0 < goodness } ?? (connectivity != .none)
    }

    /// The interface without a default route.
    var absent: Uplink {
        let reason = ConnectivityReason(code: ReasonCode.noRoute.rawValue)
        return Uplink(interface: interface, connectivity: .none, reason: reason, isUsed: false)
    }

    /// Whether the interface has no default route.
    var isAbsent: Bool { connectivity == .none && reason?.code == ReasonCode.noRoute.rawValue && !isUsed }
}
