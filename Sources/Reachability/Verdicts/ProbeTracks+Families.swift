internal import CheckResults
internal import NetlinkMonitor

/// The checks of a probe in each of the two families.
///
/// A name may have addresses of one family only. Not every zone and resolver says so plainly: some deny the name, or
/// answer with an error, when asked for the family that it lacks (RFC 4074).
extension ProbeTracks {
    /// Returns whether a failed lookup says nothing about the target and this family, because the same check in the
    /// other family has found, or may still find, an address.
    func excuses(_ sample: ProbeSample) -> Bool {
        guard let code = sample.lookupCode, let position = table.position(of: sample.point),
            let otherPoint = pointInOtherFamily(of: position)
        else { return false }
        let other = counterpart(of: position)
        // Without a path in the other family, no check can show that the name still has an address there: one that it had
        // in this family is gone.
        if other == nil, table.tracks[position].hasHadAddress { return false }
        // The other family may have had a path before.
        let last = (other ?? dormant[otherPoint])?.last
        switch code {
        // The name exists, but with an address of neither family if the other one was denied too.
        case .dnsNoAddress:
            return sample.outcome == .failed && ![.dnsNoAddress, .dnsNXDomain].contains(last?.lookupCode)
        // The name may have gone since: only its last check proves that it exists.
        case .dnsNXDomain: return sample.outcome == .failed && last?.hasFoundAddress == true
        case _ where code.isResolverFault:
            // A resolver that has failed since the other family's check is no fault of this family alone.
            guard other != nil, let last, let since = table.tracks[position].failingSince else { return false }
            return last.hasFoundAddress && last.observed.instant >= since
        default: return false
        }
    }

    /// Determines whether a failed lookup awaits the other family's check, before it is judged.
    mutating func questionOtherFamily(_ position: Int, _ sample: ProbeSample) {
        let isAwaited = awaitsOtherFamily(position, sample)
        table.update(position) { $0.awaitsOtherFamily = isAwaited }
    }

    /// Requests the other family's check that a failed lookup awaits: by itself it may be an interval away.
    mutating func askOtherFamily(_ position: Int, at now: ContinuousClock.Instant) {
        guard table.tracks[position].awaitsOtherFamily, let other = counterpart(of: position),
            other.mayBeAsked(at: now), let asked = table.position(of: other.point)
        else { return }
        table.update(asked) { $0.requestedAt = now }
        rechecks.insert(other.point)
    }

    /// Judges the failed lookups in the other family that awaited this check, unless it excuses them.
    mutating func releaseOtherFamily(from position: Int, _ observed: Observed) -> [Consequence] {
        guard let other = counterpart(of: position), other.awaitsOtherFamily, let last = other.last,
            let waiting = table.position(of: other.point), !awaitsOtherFamily(waiting, last), !excuses(last)
        else { return [] }
        let step = table.update(waiting) { track in
            track.releaseLookups(observed: observed)
            return track.takeStep(at: observed)
        }
        return step.map { [Consequence(point: other.point, step: $0, cause: ChangeCause(last, state: $0.to))] } ?? []
    }

    /// Returns whether only the next check in the other family can tell a fault of the resolver, or a name that is gone,
    /// from a family that the name lacks.
    private func awaitsOtherFamily(_ position: Int, _ sample: ProbeSample) -> Bool {
        guard let code = sample.lookupCode, code.isResolverFault || code == .dnsNXDomain,
            !table.tracks[position].rule.isApart, !table.tracks[position].isBehindPortal,
            let other = counterpart(of: position)
        else { return false }
        guard let last = other.last, !other.isStale else { return true }
        let since = table.tracks[position].failingSince ?? sample.observed.instant
        // A check that found no address has decided already: nothing resolves the name.
        return code.isResolverFault && last.hasFoundAddress && last.observed.instant < since
    }

    /// Returns the same probe at the same vantage in the other family; nil if it is not checked once in each, or if the
    /// other family has no path there.
    private func counterpart(of position: Int) -> ProbeTrack? {
        pointInOtherFamily(of: position).flatMap(table.position).map { table.tracks[$0] }
    }

    /// Returns the point in the other family; nil if the probe is not checked once in each.
    private func pointInOtherFamily(of position: Int) -> ProbePoint? {
        guard table.tracks[position].rule.families == .each else { return nil }
        var point = table.points[position]
        switch point.vantage.families {
        case .ipv4: point.vantage.families = .ipv6
        case .ipv6: point.vantage.families = .ipv4
        case .any: return nil
        }
        return point
    }
}

extension ProbeSample {
    /// The code of a failure in which the lookup of the target's name may have failed.
    ///
    /// A DNS check's own query fails with the codes of a lookup too, but only once the name server has an address: its
    /// silence or its denial in one family is the server's fault.
    fileprivate var lookupCode: FindingCode? { outcome == .ok || phase == .query ? nil : code }

    /// `true` if the check certainly had an address of its target.
    var hasFoundAddress: Bool {
        switch outcome {
        case .ok: true
        case .failed: phase == .query || phase != .resolve && code.map { $0.evidence != .nothing } == true
        case .unknown: false
        }
    }
}
