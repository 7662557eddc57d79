internal import Probes
internal import Reachability

/// The updates about transfers that are to be passed to the scheduler.
struct TransferUpdates: Sendable {
    /// `true` while transfers may start, as last passed to the scheduler.
    var isAllowed = false
    /// `true` while the scheduler does not have that.
    var isNew = false
    /// The vantages of transfers whose path has changed, each with only the families whose path has.
    var changedPaths: Set<Vantage> = []

    /// `true` if there is an update to pass on.
    var isPending: Bool { isNew || !changedPaths.isEmpty }
}

extension ConnectivityPlan {
    /// Returns whether transfers may start.
    ///
    /// If no probe is required, the connectivity may stay unknown forever, and a path is enough.
    func allowsTransfers(in state: ReachabilityState) -> Bool {
        guard !transfers.isEmpty else { return false }
        if state.connectivity == .full { return true }
        return !hasRequiredProbes && state.connectivity == .unknown && state.via.isReachable
    }
}

extension ReachabilityDriver {
    /// The interface over which checks from a vantage leave now; that of IPv4 if they may use either family.
    func egress(of vantage: Vantage) -> String? {
        if let interface = vantage.interface { return interface }
        return state.withLock { $0.machine.state.paths(in: vantage.families).first?.interface?.name }
    }

    /// The present cost of a vantage's link; nil without a path.
    func cost(of vantage: Vantage) -> LinkCost? {
        state.withLock { $0.plan.costs(of: [vantage], in: $0.network)[vantage] }
    }

    /// The present cost of a point's checks; nil without a path.
    func cost(of point: ProbePoint) -> LinkCost? {
        state.withLock { $0.plan.cost(of: point, in: $0.network) }
    }

    /// Records whether transfers may start.
    func noteTransfers(_ state: inout State) {
        let isAllowed = state.plan.allowsTransfers(in: state.machine.state)
        guard isAllowed != state.updates.transfers.isAllowed else { return }
        (state.updates.transfers.isAllowed, state.updates.transfers.isNew) = (isAllowed, true)
    }

    /// Records the transfers whose path has changed, or is gone.
    ///
    /// - Parameters:
    ///   - rechecks: The points to recheck.
    ///   - changedFamilies: The families whose path has changed, of these points; those of the vantage if it has none.
    ///   - points: The current points.
    func noteTransfers(
        _ rechecks: [ProbePoint],
        in changedFamilies: [ProbePoint: AddressFamilies],
        _ points: [ProbePoint],
        _ state: inout State
    ) {
        guard !state.plan.transfers.isEmpty else { return }
        let present = points == state.points ? nil : Set(points)
        let gone = present.map { present in state.points.filter { !present.contains($0) } } ?? []
        for point in rechecks + gone where state.plan.isTransfer(point) {
            let families = changedFamilies[point] ?? point.vantage.families
            let vantage = Vantage(interface: point.vantage.interface, families: families)
            state.updates.transfers.changedPaths.insert(vantage)
        }
    }

    /// Returns the probes with the progress of their transfers published.
    func followed(_ probes: [ScheduledProbe]) -> [ScheduledProbe] {
        probes.map { scheduled in
            guard scheduled.probe.transfer != nil else { return scheduled }
            var scheduled = scheduled
            let point = scheduled.point
            scheduled.probe.transfer?.progress = { [weak self] in self?.show($0, of: point) }
            return scheduled
        }
    }
}
