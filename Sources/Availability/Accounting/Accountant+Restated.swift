internal import AgentEvents

extension Accountant {
    /// Notes the settled states that an event about missing ones has, as far as they are not known.
    ///
    /// - Parameter code: The event's code.
    mutating func note(_ settled: SettledStates, code: String, at time: Timestamp, sequence: UInt64) {
        let cause = ChangeCause(kind: "journal", code: code)
        // The verdicts first: they are the evidence about the path.
        for probe in settled.probes.prefix(countsProbes ? Self.maximumSubjects : 0) {
            let (point, verdict) = (probe.point, probe.verdict)
            let isKnown = probeTracks[point]?.confirm(Condition(probe: verdict), sequence)
            guard isKnown == false || isKnown == nil && verdict.verdict != "unknown" else { continue }
            let change = ProbeChange(point: point, from: verdict, to: verdict, cause: cause, observed: time)
            note(change, at: time, sequence: sequence)
        }
        if !pathTrack.confirm(Condition(settled.state), sequence) {
            let path = StateChange(from: settled.state, to: settled.state, cause: cause, observed: time)
            note(path, at: time, sequence: sequence, isRestated: true)
        }
        for uplink in settled.uplinks.prefix(Self.maximumSubjects) {
            let condition = Condition(uplink.connectivity)
            let isKnown = uplinkTracks[uplink.interface]?.confirm(condition, sequence)
            // An uplink without a verdict is no subject before its first event.
            guard isKnown == false || isKnown == nil && uplink.connectivity != .unknown else { continue }
            let change = UplinkChange(from: uplink, to: uplink, cause: cause, observed: time, settledMilliseconds: 0)
            note(change, at: time, sequence: sequence, isRestated: true)
        }
    }

    /// Returns the state before a restated one, if none is known.
    ///
    /// - Parameter state: The restated one, which has held since the missing events where no other one is missing: a change
    ///   of it would be known.
    func beforeRestated(_ state: TrackState) -> TrackState {
        numbering == .complete ? state : TrackState(condition: .unknown(.noData))
    }
}
