internal import CheckResults
internal import NetlinkMonitor

/// The verdict on one probe at one vantage, updated check by check.
///
/// Pure: samples in, a status out. A check is a vote, or an abstention; consecutive votes make the verdict.
struct ProbeTrack: Sendable {
    /// The vote of one check about the target.
    enum Vote: Sendable, Hashable {
        case success
        case failure(FindingCode?)
        case portal(PortalEvidence)
        /// A fault of this machine.
        case unknown(FindingCode?)
        /// A portal answers at the vantage, so the check says nothing about the target.
        case behindPortal
        /// An abstention, for a measurement between good and bad.
        case none
    }

    /// The details of a status that may change without the verdict.
    struct Particulars: Sendable, Hashable {
        let code: FindingCode?
        let portalURL: String?
        let wasAnswered: Bool
        let endedOverTLS: Bool
        let leadsToThisMachine: Bool
        let isExcused: Bool
    }

    /// The probe and its vantage.
    let point: ProbePoint
    /// The rule by which its checks are judged.
    let rule: ProbeRule
    /// The paths of its packets; a change makes its verdict doubtful.
    var egresses: Vantages.Egresses

    /// The status.
    var state = ProbeState.unknown
    /// The last published status.
    var published = ProbeState.unknown
    /// The start of its verdict; nil before the first event with another one than `unknown`.
    var publishedSince: Observed?
    /// `true` if the last event about it ended a verdict: the next check is an event, whatever it finds.
    var awaitsVerdict = false
    /// The start of the verdict of the status, which a change of the path interrupts.
    var since: Observed?
    var last: ProbeSample?
    /// `true` if the last check says nothing, because the other family resolves the target's name, or may.
    private(set) var isLastExcused = false
    /// `true` once a check had an address of the target, in this family.
    private(set) var hasHadAddress = false
    /// `true` if the next check in the other family decides what the last failed lookup says: it makes no verdict before.
    var awaitsOtherFamily = false
    var streak = 0
    var isStale = false

    var failures = 0
    /// The end of the first of the consecutive checks that failed, or could not be made.
    var failingSince: ContinuousClock.Instant?
    /// The code of the last failure.
    var failureCode: FindingCode?
    var successes = 0
    var portals = 0
    var unknowns = 0
    var abstentions = 0
    /// The number of checks without success since the verdict changed to down.
    var attempts = 0
    var losses: LossWindow
    var flaps = FlapHistory()
    /// `true` if the last vote was a success; nil before the first one.
    var lastVote: Bool?
    /// `true` before a verdict if the checks show that there may be none: this machine cannot check the target, or not in this
    /// family, or what they measure is neither good nor bad.
    var isExempt = false
    /// Details that differ from the status, and the number of consecutive checks with them.
    var pending: (particulars: Particulars, count: Int)?

    /// `true` if a portal answers at the vantage, according to another probe.
    var isBehindPortal = false
    /// `true` if a portal may be the reason for the failures: they do not make the probe down meanwhile.
    var isInQuestion = false
    /// The time of the last request for a check because another probe, or this one in the other family, fails.
    var requestedAt: ContinuousClock.Instant?
    /// The time of the last request for a check because the default path fell silent.
    var doubtedAt: ContinuousClock.Instant?
    /// The minimum time between two such requests.
    static let doubtInterval: Duration = .seconds(300)

    /// Creates a track without checks.
    init(_ point: ProbePoint, rule: ProbeRule, egresses: Vantages.Egresses) {
        self.point = point
        self.rule = rule
        self.egresses = egresses
        losses = LossWindow(capacity: rule.lossWindow)
    }

    /// The record for `status`.
    var record: ProbeRecord {
        ProbeRecord(
            point: point,
            state: state,
            published: published,
            // A verdict that a recheck over another path has confirmed began when its event says.
            since: state.verdict == published.verdict ? publishedSince ?? since : since,
            last: last,
            streak: streak,
            isStale: isStale,
            expiry: rule.expiry
        )
    }

    /// A change of a status.
    struct Step: Sendable, Equatable {
        let from: ProbeState
        let to: ProbeState
    }

    /// The changes to publish after a check, in order: the verdict, then the flapping.
    struct Outcome: Sendable, Equatable {
        var verdict: Step?
        var flapping: Step?
    }

    /// Handles a completed check.
    ///
    /// - Parameter isExcused: `true` if the check says nothing, because the other family resolves the target's name, or
    ///   may.
    mutating func take(_ check: ProbeSample, isExcused: Bool = false) -> Outcome {
        var sample = check
        isLastExcused = isExcused
        if check.hasFoundAddress { hasHadAddress = true }
        if isExcused {
            sample.outcome = .unknown
            // Earlier failures of a family that the target does not have are none either.
            failures = 0
        }
        streak = sample.outcome == last?.outcome && !isStale ? streak + 1 : 1
        isStale = false
        let vote = vote(of: sample)
        last = sample
        let before = state.verdict
        apply(vote)
        noteExemption(vote)
        if state.verdict != before || since == nil { since = sample.observed }
        var outcome = Outcome(verdict: takeStep(at: sample.observed))
        // An answer between good and bad confirms no failure of a former path, and no portal there: nothing would end it.
        if vote == .none, isUnmeasured { outcome.verdict = endVerdict(at: sample.observed) }
        if noteFlapping(vote) {
            state.isFlapping = flaps.isFlapping
            var next = published
            next.isFlapping = flaps.isFlapping
            outcome.flapping = Step(from: published, to: next)
            published = next
        }
        return outcome
    }

    /// Returns the change of the verdict to publish; nil when it was published, or nothing is known.
    mutating func takeStep(at observed: Observed) -> Step? {
        guard !isUnmeasured else { return nil }
        guard !state.isPublished(like: published) else {
            published = state
            return nil
        }
        awaitsVerdict = false
        return publish(at: observed)
    }

    private mutating func publish(at observed: Observed) -> Step {
        defer { published = state }
        if state.verdict != published.verdict { publishedSince = observed }
        return Step(from: published, to: state)
    }

    /// Handles a change of the path: the verdict about the old one is void.
    mutating func lose(_ egresses: Vantages.Egresses, observed: Observed) {
        self.egresses = egresses
        if state.verdict != .unknown { since = observed }
        state = ProbeState(.unknown, isFlapping: state.isFlapping)
        isExempt = false
        attempts = 0
        isBehindPortal = false
        forgetStreaks()
    }

    /// `true` while nothing is known about the path.
    var isUnmeasured: Bool { state.verdict == .unknown && state.code == nil }

    /// Returns the change to publish when the verdict is void; nil when none was published.
    mutating func endVerdict(at observed: Observed) -> Step? {
        guard published.verdict != .unknown else { return nil }
        awaitsVerdict = true
        return publish(at: observed)
    }

    /// `true` if the removal of its point is an event: a verdict was published, or the reason for having none, or for a
    /// next hop that a check is pending, which readers would rely on or wait for for good.
    var isRemovalPublished: Bool {
        !published.isPublished(like: .unknown) || rule.isFirstHop && awaitsVerdict
    }

    /// Handles a suspend: the verdict stays until the next checks, earlier votes are void.
    mutating func suspend() { forgetStreaks() }

    private mutating func forgetStreaks() {
        (failures, successes, portals, unknowns, abstentions) = (0, 0, 0, 0, 0)
        losses = LossWindow(capacity: rule.lossWindow)
        lastVote = nil
        pending = nil
        (failingSince, isInQuestion) = (nil, false)
        requestedAt = nil
        isStale = last != nil
    }

    /// The cadence of the probe.
    var cadence: Cadence {
        switch state.verdict {
        case .portal: return .portal
        // The end of the portal triggers a check at once.
        case _ where isBehindPortal: return .steady
        case .unknown where isUndecidable: return .steady
        case .unknown:
            let isBeingDecided = state.code == nil || (failures > 0 && unknowns == 0)
            return isBeingDecided ? .doubtful : .down(attempt: attempts)
        case .down where isUndecidable: return .steady
        case .down: return successes > 0 || portals > 0 ? .doubtful : .down(attempt: attempts)
        case .up:
            // A measurement that stays between good and bad is not resolved by faster checks.
            let isInDoubt = failures > 0 || unknowns > 0 || portals > 0
            return isInDoubt && abstentions < rule.fall ? .doubtful : .steady
        }
    }

    /// `true` while transfers stay between good and bad, which faster ones do not resolve.
    private var isUndecidable: Bool { rule.transfer != nil && abstentions >= rule.fall }
}

/// A probe at a vantage with portal checks.
extension ProbeTrack {
    /// `true` if failures, or failed lookups, would be the verdict but for a pending portal check.
    var isHeld: Bool {
        guard isInQuestion, !isBehindPortal, !awaitsOtherFamily, state.verdict != .down else { return false }
        return failures >= rule.fall || (unknowns >= rule.fall && last?.code?.isResolverFault == true && !isLastExcused)
    }

    /// Returns whether this portal check may still find a portal as the reason for failures since an instant.
    ///
    /// A check that started before has tested another network. One that finds neither a portal nor the open Internet is
    /// repeated, until the retries of the portal check are used up.
    func mayFindPortal(since moment: ContinuousClock.Instant) -> Bool {
        if portals > 0 { return true }
        guard hasAnswered(since: moment), let last else { return true }
        if last.outcome == .ok || last.portal?.verdict == .open { return false }
        let isUndecided = state.verdict == .up || (state.verdict == .unknown && state.code == nil)
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
        if let requestedAt, last.observed.instant < requestedAt { return false }
        return last.observed.instant + .seconds(1) <= now
    }

    /// Returns whether a silence over the default path makes the verdict doubtful.
    func mayBeDoubted(at now: ContinuousClock.Instant) -> Bool {
        state.verdict == .up && doubtedAt.map { $0 + Self.doubtInterval <= now } ?? true
    }

    /// Enters a portal: failures that it may have caused are void, and so is a verdict based on them.
    mutating func enterPortal(observed: Observed) {
        isBehindPortal = true
        guard state.verdict != .portal, state.verdict == .down || failures > 0 || unknowns > 0 else { return }
        if state.verdict != .unknown { since = observed }
        loseToPortal()
    }

    /// Leaves a portal: results from behind it are void.
    ///
    /// - Returns: `true` if the probe must be checked at once.
    mutating func leavePortal(observed: Observed) -> Bool {
        (isBehindPortal, isExempt) = (false, false)
        // The next check determines again whether a portal may be the reason.
        isInQuestion = false
        guard state.verdict == .unknown || failures > 0 else { return false }
        if state.verdict == .unknown {
            state = ProbeState(.unknown, isFlapping: state.isFlapping)
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
        if failures >= rule.fall || state.verdict != .unknown { since = observed }
        if failures >= rule.fall { become(.down, code: failureCode) } else { become(.unknown, code: last?.code) }
    }

    /// Accepts the failed lookups, because the other family's check found no address either.
    mutating func releaseLookups(observed: Observed) {
        awaitsOtherFamily = false
        guard !isInQuestion, !isBehindPortal else { return }
        let before = state.verdict
        if unknowns >= rule.fall, before != .unknown || state.code == nil {
            become(.unknown, code: last?.code)
        } else if unknowns == 0, failures >= rule.fall, before != .down {
            become(.down, code: failureCode)
        }
        if state.verdict != before { since = observed }
    }

    mutating func loseToPortal() {
        (failures, successes, unknowns) = (0, 0, 0)
        (failingSince, isInQuestion) = (nil, false)
        become(.unknown, code: .behindPortal)
    }
}
