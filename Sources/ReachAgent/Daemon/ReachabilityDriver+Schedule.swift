internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// Passes the state machine's requests for checks to the scheduler.
extension ReachabilityDriver {
    /// Records the checks that the state machine wants.
    func schedule(_ state: inout State) {
        let rechecks = state.machine.takeRechecks()
        var points = state.machine.points
        if points != state.points || !rechecks.isEmpty || state.meetsPortal, refreshPortals(&state) {
            points = state.machine.points
        }
        state.meetsPortal = false
        triggerDoubted(&state)
        defer { state.isConfiguring = false }
        let now = ContinuousClock.now
        // A transfer ends with the path that it started on, unless it is resumed: then it counts.
        for point in rechecks where !state.plan.isTransfer(point) { state.freshSince[point] = now }
        noteTransfers(&state)
        if points != state.points || !rechecks.isEmpty || state.hasNewSchedule {
            let costs = state.plan.costs(of: Set(points.map(\.vantage)), in: state.network)
            // A transfer under way is judged by the new thresholds: its path is the same.
            noteTransfers(state.isConfiguring ? [] : rechecks, points, &state)
            // A point that is new is due at once by itself.
            let known = Set(state.points)
            state.rechecks += rechecks.filter(known.contains)
            let nextHops = state.machine.nextHops
            if points != state.points || costs != state.costs || nextHops != state.nextHops {
                state.hasNewSchedule = true
            }
            if nextHops != state.nextHops {
                state.nextHops = nextHops
                state.nextHopChecks = state.nextHopChecks.filter { nextHops[$0.key] != nil }
                state.nextHopDoubts = state.nextHopDoubts.filter { nextHops[$0.key] != nil }
            }
            if points != state.points, !state.freshSince.isEmpty {
                let present = Set(points)
                state.freshSince = state.freshSince.filter { present.contains($0.key) }
            }
            if points != state.points { metrics.bound(to: points) }
            state.points = points
            state.costs = costs
        }
    }

    /// Makes the next hops due at once beyond which nothing answers, however recent the last check is, because it was made
    /// before the silence, and whatever began that: the next failing check may be far off.
    private func triggerDoubted(_ state: inout State) {
        let doubted = state.machine.takeDoubtedNextHops().sorted()
        let now = ContinuousClock.now
        for point in doubted { (state.nextHopChecks[point], state.nextHopDoubts[point]) = (now, now) }
        state.triggered += doubted
    }

    /// Makes the checks of the next hops due that the check of a probe triggers.
    func scheduleFirstHops(with check: CompletedCheck, _ state: inout State) {
        triggerDoubted(&state)
        guard !state.nextHops.isEmpty else { return }
        state.triggered += FirstHop.due(
            state.nextHops.keys.sorted(),
            with: check,
            costs: state.costs,
            requested: &state.nextHopChecks,
            at: .now
        )
    }

    /// Reads the portals that the networks announce; a new announcement becomes part of the plan.
    ///
    /// Called when a path has changed, and when a check meets a portal: the lease may have been recorded meanwhile.
    private func refreshPortals(_ state: inout State) -> Bool {
        guard state.plan.asksNetworks else { return false }
        let portals = advertisedPortals(state.machine.routedUplinks)
        guard portals != state.plan.portals else { return false }
        state.plan = ConnectivityPlan(state.plan.settings, portals: portals)
        let now = ObservedTime.now
        let configuration = state.plan.machineConfiguration
        record(.configuration(configuration, observed: now))
        publish(state.machine.configure(configuration, observed: now), &state, at: now)
        state.hasNewSchedule = true
        return true
    }

    func updateSchedule() {
        guard let runner = runner.withLock({ $0 }) else { return }
        scheduling.withLock { _ in
            let (probes, kept, rechecks, triggered, transfers) = state.withLock { state in
                defer {
                    state.hasNewSchedule = false
                    (state.rechecks, state.triggered) = ([], [])
                    (state.transfers.isNew, state.transfers.changedPaths) = (false, [])
                }
                let probes =
                    state.hasNewSchedule
                    ? state.plan.schedule(state.points, costs: state.costs, nextHops: state.nextHops) {
                        [weak self] point in self?.state.withLock { $0.nextHopDoubts[point] }
                    } : nil
                return (probes, state.plan.transfers, state.rechecks, state.triggered, state.transfers)
            }
            if transfers.isNew, !transfers.isAllowed { runner.allowTransfers(false) }
            if let probes { runner.setProbes(followed(probes), keeping: kept) }
            if !rechecks.isEmpty { runner.recheck(rechecks) }
            if !triggered.isEmpty { runner.trigger(triggered) }
            if !transfers.changedPaths.isEmpty { runner.pathChanged(of: transfers.changedPaths) }
            // Last: a transfer whose path has just changed is no longer due.
            if transfers.isNew, transfers.isAllowed { runner.allowTransfers(true) }
        }
    }
}
