/// A value that settles.
protocol SettlingValue: Equatable, Sendable {
    associatedtype Grade: Equatable & Sendable
    /// What of the value a consumer acts on. Only a change of this starts the waiting anew.
    var grade: Grade { get }
    /// Whether becoming `next` takes something away.
    func loses(to next: Self) -> Bool
}

/// Publishes a value once it has held for a while, and what prevailed when it does not come to rest.
///
/// Pure: time comes in as a parameter. A value that returns before its time was never published as lost. After the
/// maximum wait, three settle times, the grade that a restless value has had for the longest is published, not the one
/// that it happens to have at that moment: a link that is there but for blips is never published as lost.
struct Settler<Value: SettlingValue> {
    typealias Instant = ContinuousClock.Instant

    private struct Candidate {
        var since: Instant
        let cause: ChangeCause
        let observed: Observed
    }

    /// The value as last published.
    private(set) var settled: Value
    /// The value as last observed.
    private(set) var raw: Value
    /// How long a value must hold; may be replaced while one waits.
    var policy: SettlePolicy
    /// Whether every change has to hold as long as a loss.
    var isPatient = false
    /// Whether a value was observed.
    private(set) var isKnown = false
    /// Since when the observed value has its grade; `nil` while it is at rest.
    private var candidate: Candidate?
    /// What the value was since it became restless; `nil` while it is at rest.
    private var prevalence: Prevalence<Value>?

    init(unknown: Value, policy: SettlePolicy) {
        settled = unknown
        raw = unknown
        self.policy = policy
    }

    /// Takes a new observation; the first one settles at once.
    ///
    /// With `keepsCause` the change that began the waiting stays the cause, if one waits.
    mutating func observe(
        _ value: Value,
        cause: ChangeCause,
        observed: Observed,
        at now: Instant,
        keepsCause: Bool = false
    ) -> Change<Value>? {
        guard value != raw || !isKnown else { return tick(at: now) }
        let kept = keepsCause && raw != settled ? candidate : nil
        let new = Candidate(since: now, cause: kept?.cause ?? cause, observed: kept?.observed ?? observed)
        if value.grade != raw.grade || candidate == nil { candidate = new }
        raw = value
        if !isKnown {
            isKnown = true
            return publish(at: now)
        }
        if prevalence == nil { prevalence = restless(since: now) }
        prevalence?.enter(value, cause: new.cause, observed: new.observed, at: now)
        return tick(at: now)
    }

    /// Lets time pass.
    mutating func tick(at now: Instant) -> Change<Value>? {
        guard let candidate, var prevalence else { return nil }
        if candidate.since.duration(to: now) >= hold(to: raw) { return publish(at: now) }
        guard prevalence.began.duration(to: now) >= maximumWait(prevalence) else { return nil }
        let leader = prevalence.leader(at: now)
        guard leader.value != settled else {
            self.prevalence = raw == settled ? nil : restless(since: now)
            if raw == settled { self.candidate = nil }
            return nil
        }
        if !prevalence.isOfLoss, isPatient || settled.loses(to: leader.value) {
            prevalence.isOfLoss = true
            self.prevalence = prevalence
            guard prevalence.began.duration(to: now) >= maximumWait(prevalence) else { return nil }
        }
        let from = settled
        // What is observed now has to hold from here on: a loss is not published to be taken back at once.
        reset(settled: leader.value, raw: raw, cause: candidate.cause, observed: candidate.observed, at: now)
        return Change(from: from, to: settled, cause: leader.cause, observed: leader.observed, settled: leader.held)
    }

    /// Publishes what is observed, however short it has held.
    mutating func publish(at now: Instant) -> Change<Value>? {
        let (from, candidate) = (settled, candidate)
        settled = raw
        self.candidate = nil
        prevalence = nil
        guard let candidate, from != raw else { return nil }
        return Change(
            from: from,
            to: raw,
            cause: candidate.cause,
            observed: candidate.observed,
            settled: candidate.since.duration(to: now)
        )
    }

    /// Lets the waiting begin anew: the time before does not count.
    mutating func restart(at now: Instant) {
        candidate?.since = now
        if prevalence != nil { prevalence = restless(since: now) }
    }

    /// Takes what counts as published and as observed, apart from all settling.
    mutating func reset(settled: Value, raw: Value, cause: ChangeCause, observed: Observed, at now: Instant) {
        self.settled = settled
        self.raw = raw
        candidate = raw == settled ? nil : Candidate(since: now, cause: cause, observed: observed)
        prevalence = raw == settled ? nil : restless(since: now)
    }

    /// Whether something else than what was published is observed.
    var isPending: Bool { raw != settled }

    /// The cause of what waits; nil while nothing does.
    var pendingCause: ChangeCause? { isPending ? candidate?.cause : nil }

    /// When ``tick(at:)`` has something to do, unless an observation comes first.
    var deadline: Instant? {
        guard let candidate, let prevalence else { return nil }
        return min(candidate.since.advanced(by: hold(to: raw)), prevalence.began.advanced(by: maximumWait(prevalence)))
    }

    /// How long a value must hold.
    ///
    /// One that is back where it was is calm after the longer of the two times.
    private func hold(to value: Value) -> Duration {
        if value == settled || isPatient { return max(policy.up, policy.down) }
        return settled.loses(to: value) ? policy.down : policy.up
    }

    private func maximumWait(_ prevalence: Prevalence<Value>) -> Duration {
        (prevalence.isOfLoss ? max(policy.up, policy.down) : policy.up) * SettlePolicy.maximumWaitFactor
    }

    /// A restless time that begins now, with what is observed.
    private func restless(since now: Instant) -> Prevalence<Value>? {
        guard let candidate else { return nil }
        var prevalence = Prevalence(
            published: .init(value: settled, cause: candidate.cause, observed: candidate.observed),
            isOfLoss: isPatient || raw == settled || settled.loses(to: raw),
            at: now
        )
        prevalence.enter(raw, cause: candidate.cause, observed: candidate.observed, at: now)
        return prevalence
    }
}
