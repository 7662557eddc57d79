internal import CheckResults
internal import NetlinkMonitor

/// A probe at a vantage with portal checks.
extension ProbeTrack {
    /// `true` if failures, or failed lookups, would be the verdict but for a pending portal check.
    var isHeld: Bool {
        guard isInQuestion, !isBehindPortal, standing.verdict != .down else { return false }
        return failures >= rule.fall || (unknowns >= rule.fall && last?.code?.isResolverFault == true)
    }

    /// Returns whether this portal check may still find a portal as the reason for failures since an instant.
    ///
    /// A check that started before has tested another network. One that finds neither a portal nor the open Internet is
    /// repeated, until the retries of the portal check are used up.
    func mayFindPortal(since moment: ContinuousClock.Instant) -> Bool {
        if portals > 0 { return true }
        guard hasAnswered(since: moment), let last else { return true }
        if last.outcome == .ok || last.portal?.verdict == .open { return false }
        let isUndecided = standing.verdict == .up || (standing.verdict == .unknown && standing.code == nil)
        return isUndecided && max(failures, unknowns) < rule.fall
    }

    /// Returns whether a check that started at an instant or later has completed.
    func hasAnswered(since moment: ContinuousClock.Instant) -> Bool {
        guard let last, !isStale else { return false }
        return last.observed.instant - last.latency >= moment
    }

    /// Returns whether the last check, and the last request for one, allow another request.
    func mayBeAsked(at now: ContinuousClock.Instant) -> Bool {
        // A missing check is already pending.
        guard let last, !isStale else { return false }
        if let asked, last.observed.instant < asked { return false }
        return last.observed.instant + .seconds(1) <= now
    }

    /// Enters a portal: failures that it may have caused are void, and so is a verdict based on them.
    mutating func enterPortal(observed: Observed) {
        isBehindPortal = true
        guard standing.verdict != .portal, standing.verdict == .down || failures > 0 || unknowns > 0 else { return }
        if standing.verdict != .unknown { since = observed }
        loseToPortal()
    }

    /// Leaves a portal: results from behind it are void.
    ///
    /// - Returns: Whether the probe must be checked at once.
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

    /// Accepts the failures, because no portal is their reason.
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
