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
    private(set) var standing = ProbeStanding.unknown
    /// How it was last published to fare.
    private(set) var published = ProbeStanding.unknown
    private(set) var since: Observed?
    private(set) var last: ProbeSample?
    private(set) var streak = 0
    private(set) var isStale = false

    private var failures = 0
    private var successes = 0
    private var portals = 0
    private var unknowns = 0
    private var abstentions = 0
    /// Checks without success since the verdict fell.
    private var attempts = 0
    private var losses: LossWindow
    private var flaps = FlapHistory()
    /// Whether the last vote was a success; nil before the first one.
    private var lastVote: Bool?
    /// Particulars that differ from the standing's, and how many checks in a row had them.
    private var pending: (particulars: Particulars, count: Int)?

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
        var outcome = Outcome()
        if standing != published, standing.verdict != .unknown || standing.code != nil {
            outcome.verdict = Step(from: published, to: standing)
            published = standing
        }
        if noteFlapping(vote) {
            standing.isFlapping = flaps.isFlapping
            var next = published
            next.isFlapping = flaps.isFlapping
            outcome.flapping = Step(from: published, to: next)
            published = next
        }
        return outcome
    }

    /// The path changed: what is known of the one before says nothing about this one.
    mutating func lose(_ ways: Vantages.Ways, observed: Observed) {
        self.ways = ways
        if standing.verdict != .unknown { since = observed }
        standing = ProbeStanding(.unknown, isFlapping: standing.isFlapping)
        attempts = 0
        forgetStreaks()
    }

    /// The machine was suspended: the verdict stands until a check says otherwise, the votes before it are void.
    mutating func suspend() { forgetStreaks() }

    private mutating func forgetStreaks() {
        (failures, successes, portals, unknowns, abstentions) = (0, 0, 0, 0, 0)
        losses = LossWindow(capacity: rule.lossWindow)
        lastVote = nil
        pending = nil
        isStale = last != nil
    }

    /// How soon the probe is due again.
    var cadence: Cadence {
        switch standing.verdict {
        case .portal: return .portal
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

extension ProbeTrack {
    /// What a check says: its own word, unless the latency or the loss says more.
    private mutating func vote(of sample: ProbeSample) -> Vote {
        if rule.isPortalCheck, let portal = sample.portal {
            switch portal.verdict {
            case .portal:
                if rule.loss != nil { losses.add(isLost: false) }
                return .portal(portal)
            case .open: return judged(.success, sample)
            case .unclear: break
            }
        }
        switch sample.outcome {
        case .ok: return judged(.success, sample)
        case .failed: return judged(.failure(sample.code), sample)
        case .unknown: return .unknown(sample.code)
        }
    }

    private mutating func judged(_ own: Vote, _ sample: ProbeSample) -> Vote {
        var vote = own
        if own == .success, let band = rule.latency {
            let milliseconds = sample.latency / .milliseconds(1)
            if milliseconds >= band.bad {
                vote = .failure(.latencyHigh)
            } else if milliseconds > band.good {
                vote = .none
            }
        }
        guard let band = rule.loss else { return vote }
        losses.add(isLost: own != .success)
        // A target that does not answer at all is not a lossy one: what the band kept from counting counts after all.
        if own != .success, losses.lostInARow >= rule.fall {
            failures = max(failures, losses.lostInARow - 1)
            return vote
        }
        if losses.leastPercent >= band.bad { return .failure(.lossHigh) }
        return losses.isFull && losses.leastPercent > band.good ? .none : vote
    }

    private mutating func apply(_ vote: Vote) {
        if vote == .none { abstentions += 1 } else { abstentions = 0 }
        if case .unknown = vote {} else { unknowns = 0 }
        if case .portal = vote {} else { portals = 0 }
        switch vote {
        case .none: break
        case .success: succeed()
        case .failure(let code): fail(code)
        case .portal(let evidence): meetPortal(evidence)
        case .unknown(let code): blameThisMachine(code)
        }
    }

    private mutating func succeed() {
        (failures, successes) = (0, successes + 1)
        switch standing.verdict {
        case .up: break
        case .unknown: become(.up)
        case .portal where last?.portal?.verdict == .open: become(.up)
        case .portal, .down: if successes >= rule.rise { become(.up) }
        }
    }

    private mutating func fail(_ code: FindingCode?) {
        (failures, successes) = (failures + 1, 0)
        if standing.verdict == .down {
            attempts += 1
            update(Particulars(code: code, portalURL: nil), after: rule.fall)
        } else if failures >= rule.fall {
            become(.down, code: code)
        }
    }

    private mutating func meetPortal(_ evidence: PortalEvidence) {
        (failures, successes, portals) = (0, 0, portals + 1)
        let code = evidence.code ?? last?.code ?? .portalContent
        if standing.verdict == .portal {
            update(Particulars(code: code, portalURL: evidence.url), after: 2)
        } else if standing.verdict == .unknown || portals >= 2 {
            become(.portal, code: code, portalURL: evidence.url)
        }
    }

    private mutating func blameThisMachine(_ code: FindingCode?) {
        unknowns += 1
        if standing.verdict == .unknown, standing.code != nil {
            attempts += 1
            update(Particulars(code: code ?? standing.code, portalURL: nil), after: rule.fall)
        } else if unknowns >= rule.fall {
            become(.unknown, code: code ?? .resourcesExhausted)
        } else if standing.verdict == .down {
            attempts += 1
        }
    }

    private mutating func become(_ verdict: ProbeStanding.Verdict, code: FindingCode? = nil, portalURL: String? = nil) {
        standing = ProbeStanding(verdict, code: code, portalURL: portalURL, isFlapping: standing.isFlapping)
        attempts = 0
        pending = nil
    }

    /// Other particulars of the same verdict count when they come back so often in a row: a target that fails now in this
    /// way and now in that is no news with every check.
    private mutating func update(_ particulars: Particulars, after count: Int) {
        guard particulars != Particulars(code: standing.code, portalURL: standing.portalURL) else {
            pending = nil
            return
        }
        let seen = pending?.particulars == particulars ? (pending?.count ?? 0) + 1 : 1
        pending = (particulars, seen)
        guard seen >= count else { return }
        standing.code = particulars.code
        standing.portalURL = particulars.portalURL
        pending = nil
    }

    /// - Returns: Whether flapping started or stopped.
    private mutating func noteFlapping(_ vote: Vote) -> Bool {
        let isSuccess: Bool
        switch vote {
        case .success: isSuccess = true
        case .failure, .portal: isSuccess = false
        case .none, .unknown: return false
        }
        defer { lastVote = isSuccess }
        guard let lastVote else { return false }
        return flaps.add(isChange: lastVote != isSuccess)
    }
}
