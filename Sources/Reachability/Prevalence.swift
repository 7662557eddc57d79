internal import NetlinkMonitor

/// The time that a fluctuating value has spent in each grade since it began to fluctuate.
///
/// The published grade comes first, so that a tie changes nothing.
struct Prevalence<Value: SettlingValue>: Sendable {
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

    /// Records a new current value.
    mutating func enter(_ value: Value, cause: ChangeCause, observed: Observed, at now: Instant) {
        count(to: now)
        if shares[current].value.grade == value.grade {
            shares[current].value = value
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
