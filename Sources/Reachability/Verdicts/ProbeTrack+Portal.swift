internal import NetlinkMonitor
internal import Probes

/// A probe at a vantage at which another one looks for portals.
extension ProbeTrack {
    /// Whether only the question for a portal keeps failures, or lookups that fail, from becoming the verdict.
    var isHeld: Bool {
        guard isInQuestion, !isBehindPortal, standing.verdict != .down else { return false }
        return failures >= rule.fall || (unknowns >= rule.fall && last?.code?.isResolverFault == true)
    }

    /// Whether this portal check may still say that a portal is the reason for failures that began at a moment.
    ///
    /// A check that began before has seen another network. One that meets neither a portal nor the open Internet is
    /// repeated, until the retries of the portal check are used up.
    func mayFindPortal(since moment: ContinuousClock.Instant) -> Bool {
        if portals > 0 { return true }
        guard hasAnswered(since: moment), let last else { return true }
        if last.outcome == .ok || last.portal?.verdict == .open { return false }
        let isUndecided = standing.verdict == .up || (standing.verdict == .unknown && standing.code == nil)
        return isUndecided && max(failures, unknowns) < rule.fall
    }

    /// Whether a check that began at a moment or later is over.
    func hasAnswered(since moment: ContinuousClock.Instant) -> Bool {
        guard let last, !isStale else { return false }
        return last.observed.instant - last.latency >= moment
    }

    /// Whether the last check, and the last request for one, are long enough ago for another request.
    func mayBeAsked(at now: ContinuousClock.Instant) -> Bool {
        // A check that is missing is on its way.
        guard let last, !isStale else { return false }
        if let asked, last.observed.instant < asked { return false }
        return last.observed.instant + .seconds(1) <= now
    }

    /// A portal answers at the vantage: failures that may be its doing are void, and so is a verdict made of them.
    mutating func enterPortal(observed: Observed) {
        isBehindPortal = true
        guard standing.verdict != .portal, standing.verdict == .down || failures > 0 || unknowns > 0 else { return }
        if standing.verdict != .unknown { since = observed }
        loseToPortal()
    }

    /// The portal is gone: what was measured behind it says nothing.
    ///
    /// - Returns: Whether the probe has to be checked at once.
    mutating func leavePortal(observed: Observed) -> Bool {
        isBehindPortal = false
        guard standing.verdict == .unknown || failures > 0 else { return false }
        if standing.verdict == .unknown {
            standing = ProbeStanding(.unknown, isFlapping: standing.isFlapping)
            since = observed
        }
        attempts = 0
        forgetStreaks()
        return true
    }

    /// No portal is the reason for the failures.
    mutating func release(observed: Observed) {
        guard isHeld else { return }
        isInQuestion = false
        if failures >= rule.fall || standing.verdict != .unknown { since = observed }
        if failures >= rule.fall { become(.down, code: failureCode) } else { become(.unknown, code: last?.code) }
    }

    mutating func loseToPortal() {
        (failures, successes, unknowns) = (0, 0, 0)
        (failingSince, isInQuestion) = (nil, false)
        become(.unknown, code: .behindPortal)
    }
}
