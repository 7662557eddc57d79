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
        guard !tracks[position].rule.isFirstHop else { return [] }
        let vantage = points[position].vantage
        return (portalChecks[vantage.interface] ?? []).filter {
            $0 != position && points[$0].vantage.families.overlaps(vantage.families)
        }
    }

    /// Determines whether a portal may be the reason for a probe's failures, before another check of it is judged.
    mutating func questionPortals(_ position: Int, _ sample: ProbeSample) {
        let since = tracks[position].failingSince ?? sample.observed.instant
        let isInQuestion = portalChecks(beside: position).contains { tracks[$0].mayFindPortal(since: since) }
        tracks[position].isInQuestion = isInQuestion
    }

    /// Requests the portal checks that have not run since a probe began to fail.
    mutating func askPortals(_ position: Int, at now: ContinuousClock.Instant) {
        let track = tracks[position]
        if track.isHeld { held.insert(position) } else { held.remove(position) }
        guard let since = track.failingSince, track.state.verdict != .down, !track.isBehindPortal else { return }
        for check in portalChecks(beside: position)
        where !tracks[check].hasAnswered(since: since) && tracks[check].mayBeAsked(at: now) {
            tracks[check].requestedAt = now
            rechecks.insert(points[check])
        }
    }

    /// Applies the result of a portal check to the probes at its vantage.
    mutating func spreadPortal(from check: Int, _ observed: Observed) -> [Consequence] {
        let interface = points[check].vantage.interface
        var consequences: [Consequence] = []
        let cause = ChangeCause(
            kind: .probe,
            code: FindingCode.behindPortal.rawValue,
            interface: interface,
            detail: "probe '\(points[check])': \((tracks[check].state.code ?? .portalContent).rawValue)"
        )
        for position in reconcilePortals(at: interface, observed) {
            guard let step = tracks[position].takeStep() else { continue }
            consequences.append(Consequence(point: points[position], step: step, cause: cause))
        }
        for position in held.sorted() where points[position].vantage.interface == interface {
            guard let last = tracks[position].last, let since = tracks[position].failingSince,
                !portalChecks(beside: position).contains(where: { tracks[$0].mayFindPortal(since: since) })
            else { continue }
            held.remove(position)
            restate(position) { $0.release(observed: observed) }
            guard let step = tracks[position].takeStep() else { continue }
            let cause = ChangeCause(last, state: step.to)
            consequences.append(Consequence(point: points[position], step: step, cause: cause))
        }
        return consequences
    }

    /// Determines which probes of an uplink, or of the default path, are behind a portal now.
    ///
    /// - Returns: The positions of the probes for which that has changed.
    @discardableResult
    mutating func reconcilePortals(at interface: String?, _ observed: Observed) -> [Int] {
        // Without a portal, before and now, there is nothing to do.
        let isCaptive = portalChecks[interface]?.contains { tracks[$0].state.verdict == .portal } ?? false
        guard isCaptive || captive.contains(interface) else { return [] }
        if isCaptive { captive.insert(interface) } else { captive.remove(interface) }
        return points.indices.filter { position in
            guard points[position].vantage.interface == interface else { return false }
            let isBehind = portalChecks(beside: position).contains { tracks[$0].state.verdict == .portal }
            guard isBehind != tracks[position].isBehindPortal else { return false }
            held.remove(position)
            var isDoubtful = false
            restate(position) { track in
                if isBehind {
                    track.enterPortal(observed: observed)
                } else {
                    isDoubtful = track.leavePortal(observed: observed)
                }
            }
            if isDoubtful { rechecks.insert(points[position]) }
            return true
        }
    }
}

extension AddressFamilies {
    /// Returns whether the two have a family in common.
    fileprivate func overlaps(_ other: AddressFamilies) -> Bool { self == other || self == .any || other == .any }
}
