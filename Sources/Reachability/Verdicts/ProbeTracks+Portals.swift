internal import CheckResults
internal import NetlinkMonitor

/// The probes that are behind a portal, or may be.
///
/// Behind a portal a failed check proves nothing about its target. So that the order of checks has no effect, a failing
/// probe triggers the portal checks of its vantage, and is not down before those have used up their retries.
extension ProbeTracks {
    /// A probe whose status another probe's check has changed.
    struct Consequence {
        let point: ProbePoint
        let step: ProbeTrack.Step
        let cause: ChangeCause
    }

    /// Returns the portal checks at the vantage of a probe, other than itself; none for a next hop, which is not behind
    /// the portal.
    private func portalChecks(beside position: Int) -> [Int] {
        guard !table.tracks[position].rule.isFirstHop else { return [] }
        let vantage = table.tracks[position].point.vantage
        return table.group(of: vantage.interface).portalChecks.filter {
            $0 != position && table.tracks[$0].point.vantage.families.overlaps(vantage.families)
        }
    }

    /// Returns whether a portal check at the vantage of a probe may still find a portal as the reason for failures since
    /// an instant.
    private func mayFindPortal(beside position: Int, since moment: ContinuousClock.Instant) -> Bool {
        portalChecks(beside: position).contains { table.tracks[$0].mayFindPortal(since: moment) }
    }

    /// Determines whether a portal may be the reason for a probe's failures, before another check of it is judged.
    mutating func questionPortals(_ position: Int, _ sample: ProbeSample) {
        let since = table.tracks[position].failingSince ?? sample.observed.instant
        let isInQuestion = mayFindPortal(beside: position, since: since)
        table.update(position) { $0.isInQuestion = isInQuestion }
    }

    /// Requests the portal checks that have not run since a probe began to fail.
    mutating func askPortals(_ position: Int, at now: ContinuousClock.Instant) {
        let track = table.tracks[position]
        guard let since = track.failingSince, track.state.verdict != .down, !track.isBehindPortal else { return }
        for check in portalChecks(beside: position)
        where !table.tracks[check].hasAnswered(since: since) && table.tracks[check].mayBeAsked(at: now) {
            table.update(check) { $0.requestedAt = now }
            rechecks.insert(table.points[check])
        }
    }

    /// Applies the result of a portal check to the probes at its vantage.
    mutating func spreadPortal(from check: Int, _ observed: Observed) -> [Consequence] {
        let point = table.points[check]
        let interface = point.vantage.interface
        var consequences: [Consequence] = []
        let cause = ChangeCause(
            kind: .probe,
            code: FindingCode.behindPortal.rawValue,
            interface: interface,
            detail: "probe '\(point)': \((table.tracks[check].state.code ?? .portalContent).rawValue)"
        )
        for position in reconcilePortals(at: interface, observed) {
            guard let step = table.update(position, { $0.takeStep(at: observed) }) else { continue }
            consequences.append(Consequence(point: table.points[position], step: step, cause: cause))
        }
        for position in table.group(of: interface).held.sorted() {
            guard let last = table.tracks[position].last, let since = table.tracks[position].failingSince,
                !mayFindPortal(beside: position, since: since)
            else { continue }
            let step = table.update(position) { track in
                track.release(observed: observed)
                return track.takeStep(at: observed)
            }
            guard let step else { continue }
            let cause = ChangeCause(last, state: step.to)
            consequences.append(Consequence(point: table.points[position], step: step, cause: cause))
        }
        return consequences
    }

    /// Determines which probes of an uplink, or of the default path, are behind a portal now.
    ///
    /// - Returns: The positions of the probes for which that has changed.
    @discardableResult
    mutating func reconcilePortals(at interface: String?, _ observed: Observed) -> [Int] {
        let hasPortal = table.group(of: interface).portalChecks.contains { table.tracks[$0].state.verdict == .portal }
        // Without a portal, before and now, there is nothing to do.
        guard hasPortal || table.group(of: interface).captiveCount > 0 else { return [] }
        return table.points.indices.filter { position in
            guard table.points[position].vantage.interface == interface else { return false }
            let isBehind = portalChecks(beside: position).contains { table.tracks[$0].state.verdict == .portal }
            guard isBehind != table.tracks[position].isBehindPortal else { return false }
            let isDoubtful = table.update(position) { track in
                if !isBehind { return track.leavePortal(observed: observed) }
                track.enterPortal(observed: observed)
                return false
            }
            if isDoubtful { rechecks.insert(table.points[position]) }
            return true
        }
    }
}

extension AddressFamilies {
    /// Returns whether the two have a family in common.
    fileprivate func overlaps(_ other: AddressFamilies) -> Bool { self == other || self == .any || other == .any }
}
