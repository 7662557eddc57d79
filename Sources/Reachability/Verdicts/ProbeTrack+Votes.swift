internal import CheckResults
internal import NetlinkMonitor

extension ProbeTrack {
    /// Returns the vote of a check: its own result, unless a measurement or the loss overrides it.
    mutating func vote(of sample: ProbeSample) -> Vote {
        if rule.isPortalCheck, let portal = sample.portal {
            switch portal.verdict {
            case .portal:
                if rule.loss != nil { losses.add(isLost: false) }
                return .portal(portal)
            case .open: return judged(.success, sample)
            case .unclear: break
            }
        }
        if isBehindPortal, state.verdict != .portal, !isCredibleBehindPortal(sample) { return .behindPortal }
        switch sample.outcome {
        case .ok: return judged(.success, sample)
        case .failed: return judged(.failure(sample.code), sample)
        case .unknown: return .unknown(sample.code)
        }
    }

    /// Returns whether a check proves that its target answers behind a portal: without TLS the response may come from
    /// the portal.
    private func isCredibleBehindPortal(_ sample: ProbeSample) -> Bool {
        sample.outcome == .ok && (rule.usesTLS || rule.isPortalCheck)
    }

    private mutating func judged(_ own: Vote, _ sample: ProbeSample) -> Vote {
        var vote = rule.transfer?.vote(own, of: sample) ?? own
        if vote == .success, let band = rule.latency {
            let milliseconds = sample.latency / .milliseconds(1)
            if milliseconds >= band.bad {
                vote = .failure(.latencyHigh)
            } else if milliseconds > band.good {
                vote = .none
            }
        }
        guard let band = rule.loss else { return vote }
        losses.add(isLost: own != .success)
        // A target that never answers is not a lossy one: failures that the band withheld count after all.
        if own != .success, losses.lostInARow >= rule.fall {
            failures = max(failures, losses.lostInARow - 1)
            return vote
        }
        if losses.leastPercent >= band.bad { return .failure(.lossHigh) }
        // A failure by another measurement stands: only a success and the check's own failure are in the band.
        if case .failure = vote, vote != own { return vote }
        return losses.isFull && losses.leastPercent > band.good ? .none : vote
    }

    mutating func apply(_ vote: Vote) {
        if vote == .none { abstentions += 1 } else { abstentions = 0 }
        if case .unknown = vote {} else { unknowns = 0 }
        if case .portal = vote {} else { portals = 0 }
        switch vote {
        case .none: abstain()
        case .success: succeed()
        case .failure(let code): fail(code)
        case .portal(let evidence): meetPortal(evidence)
        case .unknown(let code): blameThisMachine(code)
        case .behindPortal: loseToPortal()
        }
        failingSince = failures + unknowns == 0 ? nil : failingSince ?? last?.observed.instant
    }

    /// Handles a measurement between good and bad: the verdict stays, after a change of the path that of the last event if it
    /// is `up`, since the target answers over the new path too.
    private mutating func abstain() {
        if isUnmeasured, published.verdict == .up { become(.up) }
    }

    private mutating func succeed() {
        (failures, successes) = (0, successes + 1)
        switch state.verdict {
        case .up: update(particulars(nil), after: rule.rise)
        case .unknown: become(.up)
        case .portal where last?.portal?.verdict == .open: become(.up)
        case .portal, .down: if successes >= rule.rise { become(.up) }
        }
    }

    private mutating func fail(_ code: FindingCode?) {
        (failures, successes) = (failures + 1, 0)
        failureCode = code
        if state.verdict == .down {
            attempts += 1
            update(particulars(code), after: rule.fall)
        } else if failures >= rule.fall {
            if isBehindPortal {
                loseToPortal()
            } else if !isInQuestion, !awaitsOtherFamily {
                become(.down, code: code)
            }
        }
    }

    private mutating func meetPortal(_ evidence: PortalEvidence) {
        (failures, successes, portals) = (0, 0, portals + 1)
        let code = evidence.code ?? last?.code ?? .portalContent
        if state.verdict == .portal {
            update(particulars(code, portalURL: evidence.url), after: 2)
        } else if state.verdict == .unknown || portals >= 2 {
            become(.portal, code: code, portalURL: evidence.url)
        }
    }

    private mutating func blameThisMachine(_ code: FindingCode?) {
        unknowns += 1
        if state.verdict == .unknown, state.code != nil {
            attempts += 1
            if !awaitsOtherFamily { update(particulars(code ?? state.code), after: rule.fall) }
        } else if unknowns >= rule.fall, !isHeld, !awaitsOtherFamily {
            become(.unknown, code: code ?? .resourcesExhausted)
        } else if state.verdict == .down {
            attempts += 1
        }
    }

    /// Determines whether the connectivity must not wait for a first verdict, which may never come.
    ///
    /// Checks of a target that has failed before wait for its verdict: after `fall` of them there is one.
    mutating func noteExemption(_ vote: Vote) {
        guard isUnmeasured else {
            isExempt = false
            return
        }
        switch vote {
        case .unknown(let code):
            if failures == 0, isLastExcused || code?.leavesPathOpen == true { isExempt = true }
        case .none:
            if last?.outcome == .ok || abstentions >= rule.fall { isExempt = true }
        case .failure: isExempt = false
        case .success, .portal, .behindPortal: break
        }
    }

    mutating func become(_ verdict: ProbeState.Verdict, code: FindingCode? = nil, portalURL: String? = nil) {
        state = ProbeState(verdict, isFlapping: state.isFlapping)
        state.particulars = particulars(code, portalURL: portalURL)
        attempts = 0
        pending = nil
    }

    /// Returns the details of checks with this code, with the evidence of the last one that the code does not show.
    ///
    /// A check that times out after the handshake has the same code as one without any answer, and an answer of this
    /// machine that of the target.
    private func particulars(_ code: FindingCode?, portalURL: String? = nil) -> Particulars {
        let isOfLast = state.verdict != .portal && last?.code == code
        return Particulars(
            code: code,
            portalURL: portalURL,
            wasAnswered: isOfLast && code != nil && last?.wasAnswered == true,
            endedOverTLS: isOfLast && last?.endedOverTLS == true,
            // The code of a measurement is not that of the last check, whose address is the same.
            leadsToThisMachine: last?.leadsToThisMachine == true,
            isExcused: isLastExcused && state.verdict == .unknown && last?.code == code
        )
    }

    /// Updates the details of an unchanged verdict after this number of consecutive checks: a target with alternating
    /// failures must not cause an event for every check.
    private mutating func update(_ particulars: Particulars, after count: Int) {
        guard particulars != state.particulars else {
            pending = nil
            return
        }
        let seen = pending?.particulars == particulars ? (pending?.count ?? 0) + 1 : 1
        pending = (particulars, seen)
        guard seen >= count else { return }
        state.particulars = particulars
        pending = nil
    }

    /// - Returns: `true` if flapping started or stopped.
    mutating func noteFlapping(_ vote: Vote) -> Bool {
        let isSuccess: Bool
        switch vote {
        case .success: isSuccess = true
        case .failure, .portal: isSuccess = false
        case .none, .unknown, .behindPortal: return false
        }
        defer { lastVote = isSuccess }
        guard let lastVote else { return false }
        return flaps.add(isChange: lastVote != isSuccess)
    }
}

/// The lost checks among the last ones.
struct LossWindow: Sendable, Hashable {
    /// The maximum capacity of a window.
    static let largest = 10_000

    private let capacity: Int
    private var lost: [Bool] = []
    private var next = 0
    private var count = 0
    /// The number of consecutive lost checks up to the newest one.
    private(set) var lostInARow = 0

    /// Creates an empty window; a capacity below 1 counts as 1.
    init(capacity: Int) { self.capacity = min(max(1, capacity), Self.largest) }

    /// Adds a check.
    mutating func add(isLost: Bool) {
        lostInARow = isLost ? lostInARow + 1 : 0
        if isLost { count += 1 }
        guard lost.count == capacity else {
            lost.append(isLost)
            return
        }
        if lost[next] { count -= 1 }
        lost[next] = isLost
        next = (next + 1) % capacity
    }

    /// `true` once the window is full.
    var isFull: Bool { lost.count == capacity }

    /// The lost checks in percent of the whole window: missing checks count as not lost.
    var leastPercent: Double { Double(count) * 100 / Double(capacity) }
}
