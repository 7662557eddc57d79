internal import NetlinkMonitor

/// A value that can settle.
protocol SettlingValue: Equatable, Sendable {
    associatedtype Grade: Equatable & Sendable
    /// The relevant part of the value. Only a change of the grade restarts the wait.
    var grade: Grade { get }
    /// Returns whether a change to `next` is a loss.
    func loses(to next: Self) -> Bool
    /// Returns whether events show this value as another one, although they differ.
    func isPublished(like other: Self) -> Bool
}

extension SettlingValue {
    func isPublished(like other: Self) -> Bool { self == other }
}

/// Publishes a value once it has held for a while, and the prevalent one if it keeps fluctuating.
///
/// Pure: time is a parameter. A value that returns in time was never published as lost. After the maximum wait, three
/// settle times, the grade that has had the most time is published, not the current one: a link that is up except for
/// blips is never published as lost.
struct Settler<Value: SettlingValue> {
    typealias Instant = ContinuousClock.Instant

    private struct Candidate {
        var since: Instant
        let cause: ChangeCause
        let observed: Observed
    }

    /// The last published value.
    private(set) var settled: Value
    /// The last observed value.
    private(set) var raw: Value
    /// The policy, which may be replaced during a wait.
    var policy: SettlePolicy
    /// `true` if every change must hold as long as a loss.
    var isPatient = false
    /// `true` once a value was observed.
    private(set) var isKnown = false
    /// The observed value and the start of its grade; `nil` while settled.
    private var candidate: Candidate?
    /// The history of the fluctuating value; `nil` while settled.
    private var prevalence: Prevalence<Value>?

    init(unknown: Value, policy: SettlePolicy) {
        settled = unknown
        raw = unknown
        self.policy = policy
    }

    /// Handles a new observation; the first one settles at once.
    ///
    /// The cause is the change that began the pending grade, or, in the published grade, the last one.
    /// With `keepsCause` the change that started a pending wait remains the cause.
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
        // A change that is no event is not the beginning of one.
        let isSilent = raw != settled && raw.isPublished(like: settled)
        if value.grade != raw.grade || candidate == nil || isSilent {
            candidate = new
        } else if value.grade == settled.grade, let since = candidate?.since {
            // Only details have changed, and a later change may undo an earlier one: two names that are swapped.
            candidate = Candidate(since: since, cause: new.cause, observed: new.observed)
        }
        raw = value
        if !isKnown {
            isKnown = true
            return publish(at: now)
        }
        if prevalence == nil { prevalence = restless(since: now) }
        prevalence?.enter(value, cause: new.cause, observed: new.observed, at: now)
        return tick(at: now)
    }

    /// Advances the time.
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
        // The current value must hold from now on: a loss is not published only to be reverted at once.
        reset(settled: leader.value, raw: raw, cause: candidate.cause, observed: candidate.observed, at: now)
        return Change(from: from, to: settled, cause: leader.cause, observed: leader.observed, settled: leader.held)
    }

    /// Publishes the observed value, however briefly it has held.
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

    /// Restarts the wait: the time before does not count.
    mutating func restart(at now: Instant) {
        candidate?.since = now
        if prevalence != nil { prevalence = restless(since: now) }
    }

    /// Sets the published and the observed value without settling.
    mutating func reset(settled: Value, raw: Value, cause: ChangeCause, observed: Observed, at now: Instant) {
        self.settled = settled
        self.raw = raw
        candidate = raw == settled ? nil : Candidate(since: now, cause: cause, observed: observed)
        prevalence = raw == settled ? nil : restless(since: now)
    }

    /// `true` if the observed value differs from the published one.
    var isPending: Bool { raw != settled }

    /// The cause of the pending change; nil without one.
    var pendingCause: ChangeCause? { isPending ? candidate?.cause : nil }

    /// The time at which ``tick(at:)`` must be called, unless an observation comes first.
    var deadline: Instant? {
        guard let candidate, let prevalence else { return nil }
        return min(candidate.since.advanced(by: hold(to: raw)), prevalence.began.advanced(by: maximumWait(prevalence)))
    }

    /// Returns the time for which a value must hold.
    ///
    /// A value that has returned is calm after the longer of the two times.
    private func hold(to value: Value) -> Duration {
        if value == settled || isPatient { return max(policy.up, policy.down) }
        return settled.loses(to: value) ? policy.down : policy.up
    }

    private func maximumWait(_ prevalence: Prevalence<Value>) -> Duration {
        (prevalence.isOfLoss ? max(policy.up, policy.down) : policy.up) * SettlePolicy.maximumWaitFactor
    }

    /// Returns a new history that starts now, with the observed value.
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

/// The time that a fluctuating value has spent in each grade since it started to fluctuate.
///
/// The published grade comes first, so that a tie changes nothing.
private struct Prevalence<Value: SettlingValue>: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The total time of one grade, with the newest value of that grade and its cause.
    struct Share: Sendable {
        var value: Value
        var cause: ChangeCause
        var observed: Observed
        var held = Duration.zero
    }

    /// The maximum number of grades; beyond it, those with the least time are dropped.
    static var capacity: Int { 16 }

    let began: Instant
    /// `true` if the maximum wait is that of a loss.
    var isOfLoss: Bool
    private var counted: Instant
    private var shares: [Share]
    private var current = 0

    /// Creates a record that begins with the published value.
    init(published: Share, isOfLoss: Bool, at now: Instant) {
        began = now
        counted = now
        shares = [published]
        self.isOfLoss = isOfLoss
    }

    /// Records a new current value; in the published grade its cause too.
    mutating func enter(_ value: Value, cause: ChangeCause, observed: Observed, at now: Instant) {
        count(to: now)
        if shares[current].value.grade == value.grade {
            shares[current].value = value
            if current == 0 { (shares[0].cause, shares[0].observed) = (cause, observed) }
            return
        }
        if let known = shares.firstIndex(where: { $0.value.grade == value.grade }) {
            shares[known] = Share(value: value, cause: cause, observed: observed, held: shares[known].held)
            current = known
            return
        }
        if shares.count == Self.capacity, let least = shares.indices.dropFirst().min(by: { held($0) < held($1) }) {
            shares.remove(at: least)
        }
        shares.append(Share(value: value, cause: cause, observed: observed))
        current = shares.count - 1
    }

    /// Returns the grade with the most time; the first one of equals.
    mutating func leader(at now: Instant) -> Share {
        count(to: now)
        return shares.reduce(shares[0]) { $1.held > $0.held ? $1 : $0 }
    }

    private func held(_ index: Int) -> Duration { shares[index].held }

    private mutating func count(to now: Instant) {
        guard now > counted else { return }
        shares[current].held += counted.duration(to: now)
        counted = now
    }
}
