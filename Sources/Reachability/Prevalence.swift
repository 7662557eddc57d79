internal import NetlinkMonitor

/// How long a restless value has been of each grade since it became restless.
///
/// The grade as last published comes first, so that a tie changes nothing.
struct Prevalence<Value: SettlingValue>: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The time that one grade has had, with the newest value of that grade and what led to it.
    struct Share: Sendable {
        var value: Value
        var cause: ChangeCause
        var observed: Observed
        var held = Duration.zero
    }

    /// How many grades are told apart; of more, those with the least time are forgotten.
    static var capacity: Int { 16 }

    let began: Instant
    /// Whether the maximum wait is that of a loss.
    var isOfLoss: Bool
    private var counted: Instant
    private var shares: [Share]
    private var current = 0

    /// Begins with the published value.
    init(published: Share, isOfLoss: Bool, at now: Instant) {
        began = now
        counted = now
        shares = [published]
        self.isOfLoss = isOfLoss
    }

    /// Takes that the value is another one from now on.
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

    /// The grade that has had the most time; of equals the first.
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
