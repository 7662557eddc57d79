internal import Reachability

/// The maximum values in an input, which rule out arithmetic overflow.
///
/// Far beyond anything that an agent records; a recording is untrusted.
enum InputBounds {
    /// The maximum duration, and the maximum distance of a date from the year 2001: more than 10,000 years.
    static let maximumSeconds: Double = 400_000_000_000
    /// The maximum time of a wait or an operation: 100 years.
    static let longestDuration: Duration = .seconds(100 * 366 * 86_400)
    /// The maximum number of checks, percents or days.
    static let maximumCount = 1_000_000

    static func check(_ duration: Duration, _ name: String) throws(LineFault) {
        guard duration <= longestDuration, duration >= .zero - longestDuration else {
            throw .damaged("'\(name)' is longer than a hundred years")
        }
    }

    static func check(_ count: Int, from least: Int, _ name: String) throws(LineFault) {
        guard (least...maximumCount).contains(count) else { throw .damaged("'\(name)' is out of bounds") }
    }
}

extension ProbeSample {
    func checkBounds() throws(LineFault) {
        try InputBounds.check(latency, "latency")
        if let addedLatency { try InputBounds.check(addedLatency, "addedLatency") }
        guard throughput.map({ $0.isFinite && $0 >= 0 }) ?? true else {
            throw .damaged("'throughput' is out of bounds")
        }
    }
}

extension MachineConfiguration {
    /// Returns the configuration rebuilt with the checks of its parts' initializers.
    func checked() throws(LineFault) -> MachineConfiguration {
        try InputBounds.check(settle.up, "settle.up")
        try InputBounds.check(settle.down, "settle.down")
        var checked = self
        checked.settle = SettlePolicy(up: settle.up, down: settle.down)
        for probe in probes { try probe.checkBounds() }
        if case .atLeast(let count) = quorum { try InputBounds.check(count, from: 0, "quorum") }
        return checked
    }
}

extension ProbeRule {
    fileprivate func checkBounds() throws(LineFault) {
        try InputBounds.check(fall, from: 1, "fall")
        try InputBounds.check(rise, from: 1, "rise")
        try InputBounds.check(lossWindow, from: 1, "lossWindow")
        for band in [latency, loss, transfer?.addedLatency] {
            guard let band else { continue }
            guard DeadBand(good: band.good, bad: band.bad) != nil else { throw .damaged("a dead band is none") }
        }
        if let band = transfer?.throughput, ThroughputBand(good: band.good, bad: band.bad) == nil {
            throw .damaged("a dead band is none")
        }
        for number in expiry.lifetimePercents + expiry.days { try InputBounds.check(number, from: 0, "expiry") }
        let ordered = ExpiryPolicy(lifetimePercents: expiry.lifetimePercents, days: expiry.days)
        guard ordered == expiry else { throw .damaged("'expiry' is not in order") }
    }
}
