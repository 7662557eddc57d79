internal import AgentEvents

// The times of the status and of the retained state are for readers who subtract them from the present time of day: once
// that was set, their age would be wrong by the step, which is decades on a machine that starts in 1970.
extension ShippingEngine {
    /// The smallest difference of both clocks that counts as a step: the time of day is also slewed, and the clocks are not
    /// read at the same instant.
    private static let smallestStep = Duration.seconds(1)

    /// Moves the times of the status and of the state together with a time of day that was set, so that their ages remain.
    mutating func followClock(_ now: Moment) {
        let elapsed = clocks.instant.duration(to: now.instant)
        let step = now.time.sinceEpoch - clocks.time.sinceEpoch - elapsed
        guard step >= Self.smallestStep || step <= .zero - Self.smallestStep else { return }
        clocks = now
        status.since = status.since?.moved(by: step)
        status.acknowledgedTime = status.acknowledgedTime?.moved(by: step)
        // While the agent is absent, the broker retains that nothing is known.
        let isRetained = retained == machine.payload
        machine.since = machine.since?.moved(by: step)
        if isRetained { retain(machine.payload) }
        reportDue = now.instant
    }
}

extension Timestamp {
    fileprivate var sinceEpoch: Duration { .microseconds(microsecondsSince1970) }

    fileprivate func moved(by step: Duration) -> Timestamp {
        Timestamp(microsecondsSince1970: (sinceEpoch + step).microseconds)
    }
}
