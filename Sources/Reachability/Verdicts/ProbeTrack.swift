internal import Probes

/// What the checks of one probe at one vantage come to, check by check.
///
/// Pure: samples in, a standing out. A check is a vote, or none; votes in a row make the verdict.
struct ProbeTrack: Sendable {
    /// What one check says of the target.
    enum Vote: Sendable, Hashable {
        case success
        case failure(FindingCode?)
        case portal(PortalEvidence)
        /// This machine is at fault.
        case unknown(FindingCode?)
        /// A portal answers at the vantage, so the check says nothing about the target.
        case behindPortal
        /// A measurement between good and bad.
        case none
    }

    /// What of a standing may change while the verdict stays.
    struct Particulars: Sendable, Hashable {
        let code: FindingCode?
        let portalURL: String?
    }

    /// Which probe, and from where.
    let point: ProbePoint
    /// How its checks are judged.
    let rule: ProbeRule
    /// How its packets leave; another way makes its verdict doubtful.
    var ways: Vantages.Ways

    /// How it fares.
    var standing = ProbeStanding.unknown
    /// How it was last published to fare.
    var published = ProbeStanding.unknown
    var since: Observed?
    var last: ProbeSample?
    var streak = 0
    var isStale = false

    var failures = 0
    /// The end of the first of the checks in a row that failed, or could not be made.
    var failingSince: ContinuousClock.Instant?
    /// The code of the last failure.
    var failureCode: FindingCode?
    var successes = 0
    var portals = 0
    var unknowns = 0
    var abstentions = 0
    /// Checks without success since the verdict fell.
    var attempts = 0
    var losses: LossWindow
    var flaps = FlapHistory()
    /// Whether the last vote was a success; nil before the first one.
    var lastVote: Bool?
    /// Particulars that differ from the standing's, and how many checks in a row had them.
    var pending: (particulars: Particulars, count: Int)?

    /// Whether a portal answers at the vantage, according to another probe.
    var isBehindPortal = false
    /// Whether a portal may turn out to be the reason for the failures: they do not bring the probe down meanwhile.
    var isInQuestion = false
    /// When a portal check was last asked because another probe fails.
    var asked: ContinuousClock.Instant?

    /// A track without a check.
    init(_ point: ProbePoint, rule: ProbeRule, ways: Vantages.Ways) {
        self.point = point
        self.rule = rule
        self.ways = ways
        losses = LossWindow(capacity: rule.lossWindow)
    }

    /// For `status`.
    var record: ProbeRecord {
        ProbeRecord(point: point, standing: standing, since: since, last: last, streak: streak, isStale: isStale)
    }

    /// A standing that became another one.
    struct Step: Sendable, Equatable {
        let from: ProbeStanding
        let to: ProbeStanding
    }

    /// What is to be published after a check, in order: the verdict, then that flapping started or stopped.
    struct Outcome: Sendable, Equatable {
        var verdict: Step?
        var flapping: Step?
    }

    /// Takes a completed check.
    mutating func take(_ sample: ProbeSample) -> Outcome {
        streak = sample.outcome == last?.outcome && !isStale ? streak + 1 : 1
        isStale = false
        let vote = vote(of: sample)
        last = sample
        let before = standing.verdict
        apply(vote)
        if standing.verdict != before || since == nil { since = sample.observed }
        var outcome = Outcome(verdict: takeStep())
        if noteFlapping(vote) {
            standing.isFlapping = flaps.isFlapping
            var next = published
            next.isFlapping = flaps.isFlapping
            outcome.flapping = Step(from: published, to: next)
            published = next
        }
        return outcome
    }

    /// What is to be published of the verdict; nil when that was done, or nothing is known.
    mutating func takeStep() -> Step? {
        guard standing != published, standing.verdict != .unknown || standing.code != nil else { return nil }
        defer { published = standing }
        return Step(from: published, to: standing)
    }

    /// The path changed: what is known of the one before says nothing about this one.
    mutating func lose(_ ways: Vantages.Ways, observed: Observed) {
        self.ways = ways
        if standing.verdict != .unknown { since = observed }
        standing = ProbeStanding(.unknown, isFlapping: standing.isFlapping)
        attempts = 0
        isBehindPortal = false
        forgetStreaks()
    }

    /// The machine was suspended: the verdict stands until a check says otherwise, the votes before it are void.
    mutating func suspend() { forgetStreaks() }

    mutating func forgetStreaks() {
        (failures, successes, portals, unknowns, abstentions) = (0, 0, 0, 0, 0)
        losses = LossWindow(capacity: rule.lossWindow)
        lastVote = nil
        pending = nil
        (failingSince, isInQuestion) = (nil, false)
        asked = nil
        isStale = last != nil
    }

    /// How soon the probe is due again.
    var cadence: Cadence {
        switch standing.verdict {
        case .portal: return .portal
        // The end of the portal brings a check at once.
        case _ where isBehindPortal: return .steady
        case .unknown:
            let isBeingDecided = standing.code == nil || (failures > 0 && unknowns == 0)
            return isBeingDecided ? .doubtful : .down(attempt: attempts)
        case .down: return successes > 0 || portals > 0 ? .doubtful : .down(attempt: attempts)
        case .up:
            // A measurement that stays between good and bad is not decided by asking faster.
            let isInDoubt = failures > 0 || unknowns > 0 || portals > 0
            return isInDoubt && abstentions < rule.fall ? .doubtful : .steady
        }
    }
}
