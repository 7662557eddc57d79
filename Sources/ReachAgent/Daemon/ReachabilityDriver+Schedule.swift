internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// Passes the state machine's requests for checks to the scheduler.
extension ReachabilityDriver {
    /// Records the changes for the scheduler that follow from an input.
    ///
    /// - Parameter isReload: `true` if the input is a new configuration: rechecks are not due to a new path.
    func schedule(_ state: inout State, isReload: Bool = false) {
        let rechecks = state.machine.takeRechecks()
        let changedFamilies = state.machine.takeChangedFamilies()
        let hasNewPaths = state.machine.points != state.points || !rechecks.isEmpty
        if hasNewPaths || state.meetsPortal || isReload { refreshPortals(&state) }
        state.meetsPortal = false
        triggerDoubted(&state)
        let now = ContinuousClock.now
        // A transfer ends with the path that it started on, unless it is resumed: then it counts.
        for point in rechecks where !state.plan.isTransfer(point) { state.freshSince[point] = now }
        noteTransfers(&state)
        let points = state.machine.points
        let hasNewPoints = points != state.points
        let mayHaveNewCosts = state.hasNewPaths
        state.hasNewPaths = false
        guard hasNewPoints || !rechecks.isEmpty || state.updates.hasNewSchedule || mayHaveNewCosts else { return }
        // A transfer under way is judged by the new thresholds: its path is the same.
        noteTransfers(isReload ? [] : rechecks, in: changedFamilies, points, &state)
        // A point that is new is due at once by itself.
        let known = Set(state.points)
        state.updates.rechecks += rechecks.filter(known.contains)
        let costs = state.plan.costs(of: Set(points.map(\.vantage)), in: state.network)
        let costsOfLookups = state.plan.costsOfLookups(points, in: state.network)
        let hasNewNextHops = state.nextHops.replace(with: state.machine.nextHops)
        let hasNewCosts = costs != state.costs || costsOfLookups != state.costsOfLookups
        if hasNewPoints || hasNewNextHops || hasNewCosts { state.updates.hasNewSchedule = true }
        if hasNewPoints {
            let present = Set(points)
            state.freshSince = state.freshSince.filter { present.contains($0.key) }
            metrics.bound(to: points)
        }
        (state.points, state.costs, state.costsOfLookups) = (points, costs, costsOfLookups)
    }

    /// Rechecks the points whose checks look names up, because the configuration of the resolver has changed; safe from
    /// any thread.
    ///
    /// Only the time of their checks changes: paths and verdicts stay until the new checks complete.
    func recheckNames() {
        perform { state in
            let points = state.points.filter(state.plan.looksUpName)
            let now = ContinuousClock.now
            for point in points { state.freshSince[point] = now }
            state.updates.rechecks += points
        }
    }

    /// Makes the next hops due at once beyond which nothing answers, however recent the last check is, because it was made
    /// before the silence, and whatever began that: the next failing check may be far off.
    private func triggerDoubted(_ state: inout State) {
        let doubted = state.machine.takeDoubtedNextHops().sorted()
        state.nextHops.doubt(doubted, at: .now)
        state.updates.triggered += doubted
    }

    /// Makes the checks of the next hops due that the check of a probe triggers.
    func scheduleFirstHops(with check: CompletedCheck, _ state: inout State) {
        triggerDoubted(&state)
        state.updates.triggered += state.nextHops.trigger(with: check, costs: state.costs, at: .now)
    }

    /// Reads the portals that the networks announce; a new announcement becomes part of the plan.
    ///
    /// Called when a path has changed, when a check meets a portal, because the lease may have been recorded meanwhile, and
    /// on a reload, which may be the first to allow it.
    private func refreshPortals(_ state: inout State) {
        guard state.plan.asksNetworks else { return }
        let portals = advertisedPortals(state.machine.routedUplinks)
        guard portals != state.plan.portals else { return }
        state.plan = ConnectivityPlan(state.plan.settings, portals: portals)
        let now = ObservedTime.now
        let configuration = state.plan.machineConfiguration
        record(.announcement(configuration, observed: now), state.clock)
        publish(state.machine.configure(configuration, observed: now, isAnnouncement: true), &state, at: now)
        state.updates.hasNewSchedule = true
    }

    /// Passes the changes to the scheduler.
    func updateSchedule() {
        guard let runner = runner.withLock({ $0 }) else { return }
        scheduling.withLock { _ in
            let (updates, probes, kept) = state.withLock { state in
                let updates = state.updates.take()
                return (updates, updates.hasNewSchedule ? scheduled(state) : nil, state.plan.transfers)
            }
            let transfers = updates.transfers
            if transfers.isNew, !transfers.isAllowed { runner.allowTransfers(false) }
            if let probes { runner.setProbes(followed(probes), keeping: kept) }
            if !updates.rechecks.isEmpty { runner.recheck(updates.rechecks) }
            if !updates.triggered.isEmpty { runner.trigger(updates.triggered) }
            if !transfers.changedPaths.isEmpty { runner.pathChanged(of: transfers.changedPaths) }
            // Last: a transfer whose path has just changed is no longer due.
            if transfers.isNew, transfers.isAllowed { runner.allowTransfers(true) }
        }
    }

    /// Returns the probes to schedule.
    private func scheduled(_ state: State) -> [ScheduledProbe] {
        state.plan.schedule(
            state.points,
            costs: state.costs,
            lookups: state.costsOfLookups,
            nextHops: state.nextHops.addresses
        ) { [weak self] point in self?.state.withLock { $0.nextHops.doubts[point] } }
    }
}
