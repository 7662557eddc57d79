internal import AgentEvents
internal import ForeignText

extension Accountant {
    /// Takes an event's place in the order of the numbers and times.
    ///
    /// - Parameter first: The first number from which none is missing: less than the event's own for omitted events.
    /// - Returns: False for an event that was added before.
    mutating func accept(
        _ sequence: UInt64,
        from first: UInt64,
        _ time: Timestamp,
        stream name: ForeignText?,
        isStart: Bool
    ) -> Bool {
        let moment = time.microsecondsSince1970
        let isOtherStream = if let name, let stream { name != stream } else { false }
        var missing: UInt64 = 0
        if let last {
            guard isOtherStream || sequence > last.sequence else {
                coverage.duplicates += 1
                return false
            }
            if !isOtherStream, numbering == .complete, first > last.sequence { missing = first - last.sequence - 1 }
        }
        if let name { stream = name }
        // The numbers of another agent: the events between them are not known.
        let isUnrelated = last == nil || isOtherStream || missing > 0
        let endsRun = isUnrelated || isStart || hasStopped
        if let last {
            let isCrash = !isUnrelated && isStart && !hasStopped
            note(missing, isOtherStream, isCrash: isCrash, endsRun: endsRun, from: last.time, to: time)
        } else {
            coverage.first = time
        }
        let start = runTime.position
        advance(to: moment, endsRun: endsRun)
        if let last, time < last.time { setBack(to: moment) }
        if endsRun {
            interrupt(from: start, until: moment, isUnrelated ? .noData : hasStopped ? .agentOff : .agentCrashed)
        }
        if isOtherStream { updateTracks { $0.number = 0 } }
        begin(sequence, time)
        return true
    }

    /// Counts the irregularities between two events.
    private mutating func note(
        _ missing: UInt64,
        _ isOtherStream: Bool,
        isCrash: Bool,
        endsRun: Bool,
        from last: Timestamp,
        to time: Timestamp
    ) {
        if isOtherStream { coverage.streams += 1 }
        let isStep = !isOtherStream && time < last
        guard isStep || isCrash || missing > 0, isOfWindow(from: last, to: time, endsRun: endsRun) else { return }
        if isStep {
            coverage.clockSteps += 1
            coverage.repeated &+= last.microsecondsSince1970 - time.microsecondsSince1970
        }
        coverage.missing &+= missing
        coverage.crashes += isCrash ? 1 : 0
    }

    /// Follows the clock to the time of an event.
    mutating func advance(to moment: Int64, endsRun: Bool) {
        let start = runTime.position
        let step = runTime.advance(to: moment, endsRun: endsRun)
        guard step.endsRun || step.isBack || step.reason != nil else { return }
        updateTracks {
            if step.endsRun { $0.endRun(at: start) }
            if step.isBack { $0.rewind(to: moment) }
            if let reason = step.reason { $0.gap(from: start, to: moment, reason) }
        }
    }

    /// Returns whether an irregularity between two events counts: events before and after the window are added, too, and one
    /// among these does not.
    ///
    /// One of the two times is in the window, or all of it lies between them. But a run that starts at an earlier time
    /// repeats nothing, and the years between a time of a clock that was not set and one of a clock that was have not passed.
    private func isOfWindow(from last: Timestamp, to time: Timestamp, endsRun: Bool) -> Bool {
        let range = window.start..<window.end
        if range.contains(last) || range.contains(time) { return true }
        guard last <= time || !endsRun else { return false }
        let (earlier, later) = (min(last, time), max(last, time))
        let isSet = earlier >= .earliestPlausible
        return isSet && earlier < range.lowerBound && range.upperBound <= later
    }

    private mutating func begin(_ sequence: UInt64, _ time: Timestamp) {
        last = (sequence, time)
        hasStopped = false
        coverage.events += 1
        coverage.last = time
    }

    /// Ends the known time: it is unknown between two moments, and then each state waits for its next change.
    private mutating func interrupt(from start: Int64, until moment: Int64, _ reason: Condition.UnknownReason) {
        updateTracks {
            $0.gap(from: min(start, moment), to: moment, reason)
            $0.forget(at: moment)
        }
        observations.forget()
        openPath = nil
        openUplinks = [:]
        openProbes = [:]
        uplinkPresence.endRun()
        probePresence.endRun()
    }
}
