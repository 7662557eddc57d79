/// A value that settles.
protocol SettlingValue: Equatable, Sendable {
    associatedtype Grade: Equatable & Sendable
    /// What of the value a consumer acts on. Only a change of this starts the waiting anew.
    var grade: Grade { get }
    /// Whether becoming `next` takes something away.
    func loses(to next: Self) -> Bool
}

/// Publishes a value once it has held for a while, and in any case after a maximum wait.
///
/// Pure: time comes in as a parameter. A value that returns before its time was never published as lost. A value that
/// does not come to rest is published all the same: after three settle times whatever differs from the published value
/// goes out, at once or, if the value is just as published at that moment, with its next edge.
struct Settler<Value: SettlingValue> {
    typealias Instant = ContinuousClock.Instant

    /// What became settled, and after how long.
    struct Settled: Equatable {
        let from: Value
        let to: Value
        let cause: ChangeCause
        let observed: Observed
        let waited: Duration
    }

    /// The value as last published.
    private(set) var settled: Value
    /// The value as last observed.
    private(set) var raw: Value
    /// How long a value must hold; may be replaced while one waits.
    var policy: SettlePolicy
    /// Whether a value was observed.
    private(set) var isKnown = false
    /// When the observed value last changed its grade; `nil` while nothing waits.
    private var candidate: (since: Instant, cause: ChangeCause, observed: Observed)?
    /// When the value began to be restless.
    private var restlessSince: Instant?

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
    ) -> Settled? {
        let (cause, observed) =
            if keepsCause, let candidate, raw != settled { (candidate.cause, candidate.observed) } else {
                (cause, observed)
            }
        let isNewGrade = value.grade != raw.grade
        let isNew = value != raw
        raw = value
        if !isKnown {
            isKnown = true
            candidate = (now, cause, observed)
            return publish(at: now)
        }
        if isNew {
            if isNewGrade || candidate == nil { candidate = (now, cause, observed) }
            restlessSince = restlessSince ?? now
        }
        return tick(at: now)
    }

    /// Lets time pass.
    mutating func tick(at now: Instant) -> Settled? {
        guard let candidate, let restlessSince else { return nil }
        if candidate.since.duration(to: now) >= hold {
            self.restlessSince = nil
            return publish(at: now)
        }
        guard raw != settled, restlessSince.duration(to: now) >= longestWait else { return nil }
        self.restlessSince = now
        return publish(at: now)
    }

    /// Lets the waiting begin anew: the time before does not count.
    mutating func restart(at now: Instant) {
        candidate?.since = now
        if restlessSince != nil { restlessSince = now }
    }

    /// Changes the published and the observed value alike, apart from all settling.
    mutating func amend(_ change: (Value) -> Value) {
        settled = change(settled)
        raw = change(raw)
    }

    /// The cause of what waits; nil while nothing does.
    var pendingCause: ChangeCause? { raw == settled ? nil : candidate?.cause }

    /// When ``tick(at:)`` has something to do, unless an observation comes first.
    var deadline: Instant? {
        guard let candidate, let restlessSince else { return nil }
        let settles = candidate.since.advanced(by: hold)
        return raw == settled ? settles : min(settles, restlessSince.advanced(by: longestWait))
    }

    /// How long the value must hold.
    ///
    /// One that is back where it was is calm after the longer of the two times.
    private var hold: Duration {
        if raw == settled { return max(policy.up, policy.down) }
        return settled.loses(to: raw) ? policy.down : policy.up
    }

    private var longestWait: Duration { hold * SettlePolicy.maximumWaitFactor }

    private mutating func publish(at now: Instant) -> Settled? {
        defer {
            settled = raw
            candidate = restlessSince == nil ? nil : candidate
        }
        guard let candidate, raw != settled else { return nil }
        return Settled(
            from: settled,
            to: raw,
            cause: candidate.cause,
            observed: candidate.observed,
            waited: candidate.since.duration(to: now)
        )
    }
}
