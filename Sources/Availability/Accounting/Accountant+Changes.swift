internal import AgentEvents

extension Accountant {
    /// The time within which other checks can reveal the cause of a new outage, in microseconds.
    static let checkDelay: Int64 = 60_000_000

    /// - Parameter isRestated: True for no change, but a state that an event about missing ones has.
    mutating func note(_ change: StateChange, at time: Timestamp, sequence: UInt64, isRestated: Bool = false) {
        observations.note(change, at: time)
        let previous = pathTrack.state?.attribution
        var failed = FailedState(change.to, cause: isRestated ? nil : change.cause, sequence: sequence)
        let isContinued = failed.begin(at: min(change.observed, time), continuing: openPath)
        let to = state(Condition(change.to), failed, after: previous, isContinued: isContinued)
        var from = state(Condition(change.from), FailedState(change.from, cause: nil, sequence: sequence), after: nil)
        if isRestated { from = beforeRestated(from) }
        if numbering == .selected { pathTrack.distrust(unless: from.condition, until: change.observed, time) }
        if isContinued, pathTrack.state?.condition == to.condition {
            pathTrack.follow(failed, by: observations, change.observed, time)
        } else {
            pathTrack.change(observed: change.observed, published: time, from: from, to: to)
        }
        pathTrack.number = sequence
        openPath = to.condition.isOutage ? failed : nil
        // The path of a probe that has been down for a long time is no evidence about the time before.
        reattributeProbes(at: time, youngOnly: true)
    }

    /// - Parameter isRestated: True for no change, but a state that an event about missing ones has.
    mutating func note(_ change: UplinkChange, at time: Timestamp, sequence: UInt64, isRestated: Bool = false) {
        let name = change.to.interface
        observations.note(change, at: time, sequence: sequence)
        let isPresent = change.to.connectivity != .none
        guard accounts(forUplink: name, isPresent: isPresent, at: min(change.observed, time)) else {
            return reattribute(observed: change.observed, at: time)
        }
        let previous = uplinkTracks[name]?.state?.attribution
        var failed = FailedState(change.to, cause: isRestated ? nil : change.cause, sequence: sequence)
        // The event of an uplink does not name its underlay, but that of the default path over it does, and precedes it.
        if failed.lacksUnderlay, let openPath, openPath.lacksUnderlay, openPath.interface == name {
            failed.underlay = openPath.underlay
        }
        let isContinued = failed.begin(at: min(change.observed, time), continuing: openUplinks[name])
        let to = state(Condition(change.to.connectivity), failed, after: previous, isContinued: isContinued)
        let before = FailedState(change.from, cause: nil, sequence: sequence)
        var from = state(Condition(change.from.connectivity), before, after: nil)
        if isRestated { from = beforeRestated(from) }
        if numbering == .selected { uplinkTracks[name]?.distrust(unless: from.condition, until: change.observed, time) }
        if isContinued, uplinkTracks[name]?.state?.condition == to.condition {
            uplinkTracks[name]?.follow(failed, by: observations, change.observed, time)
        } else {
            uplinkTracks[name]?.change(observed: change.observed, published: time, from: from, to: to)
        }
        uplinkTracks[name]?.number = sequence
        openUplinks[name] = to.condition.isOutage ? failed : nil
        reattribute(observed: change.observed, at: time)
    }

    mutating func note(_ change: ProbeChange, at time: Timestamp, sequence: UInt64) {
        let point = change.point
        observations.note(change, at: time, sequence: sequence)
        let isPresent = change.to.verdict != "unknown"
        guard accounts(for: point, isPresent: isPresent, at: min(change.observed, time)) else {
            return reattribute(observed: change.observed, at: time)
        }
        var to = TrackState(condition: Condition(probe: change.to))
        if to.condition.isOutage { to.attribution = attribution(of: change, sequence, observations.targetsUp) }
        let from = TrackState(condition: Condition(probe: change.from))
        probeTracks[point]?.change(observed: change.observed, published: time, from: from, to: to)
        probeTracks[point]?.number = sequence
        openProbes[point] = to.condition.isOutage ? (change, sequence) : nil
        reattribute(observed: change.observed, at: time)
    }

    /// Reevaluates the current silences and losses of tunnels, and the outages of probes, with new evidence.
    private mutating func reattribute(observed: Timestamp, at time: Timestamp) {
        if let openPath { pathTrack.follow(openPath, by: observations, observed, time) }
        for (name, open) in openUplinks { uplinkTracks[name]?.follow(open, by: observations, observed, time) }
        reattributeProbes(at: time, youngOnly: false)
    }

    /// Starts the current silences over after a suspend, whose evidence is from before it.
    mutating func restartSilences(at moment: Int64) {
        if var open = openPath, open.connectivity == .local {
            open.since = moment
            openPath = open
            pathTrack.attribute(observations.attribution(of: open, after: nil))
        }
        for (name, var open) in openUplinks where open.connectivity == .local {
            open.since = moment
            openUplinks[name] = open
            uplinkTracks[name]?.attribute(observations.attribution(of: open, after: nil))
        }
    }

    /// Follows a clock that was set back.
    mutating func setBack(to moment: Int64) {
        observations.age()
        openPath?.setBack(to: moment)
        for name in openUplinks.keys { openUplinks[name]?.setBack(to: moment) }
    }

    /// Reevaluates the outages of probes: the undetermined ones, and the young ones of a target while another target
    /// was up, which may only have been checked later.
    private mutating func reattributeProbes(at time: Timestamp, youngOnly: Bool) {
        guard !openProbes.isEmpty else { return }
        let targets = observations.targetsUp
        for (point, open) in openProbes {
            let age = time.microsecondsSince1970 - open.change.observed.microsecondsSince1970
            let segment = probeTracks[point]?.state?.attribution?.segment
            let isYoung = age <= Self.checkDelay
            guard segment == .undetermined && (isYoung || !youngOnly) || segment == .target && isYoung else { continue }
            let attribution = attribution(of: open.change, open.sequence, targets)
            if attribution.segment != segment { probeTracks[point]?.attribute(attribution) }
        }
    }

    /// Returns the attribution of a probe's verdict, considering the outage of its path unless that started long after it.
    private func attribution(
        of change: ProbeChange,
        _ sequence: UInt64,
        _ targets: Observations.TargetsUp
    ) -> Attribution {
        let interface = change.point.interface
        let path = interface.map { uplinkTracks[$0]?.state } ?? pathTrack.state
        let open = interface.map { openUplinks[$0] } ?? openPath
        let isLater = open.map { $0.beginning > change.observed.microsecondsSince1970 + Self.checkDelay } ?? false
        return observations.attribution(
            of: change,
            path: isLater ? nil : path?.attribution,
            targets: targets,
            sequence: sequence
        )
    }

    /// - Parameter isContinued: True for a silence that continues another one: what was decided stays.
    private func state(
        _ condition: Condition,
        _ failed: FailedState,
        after previous: Attribution?,
        isContinued: Bool = false
    ) -> TrackState {
        guard condition.isOutage else { return TrackState(condition: condition) }
        var attribution = observations.attribution(of: failed, after: previous)
        if isContinued, let previous, attribution.isLoss(after: previous), previous.segment != .undetermined {
            attribution = previous
        }
        return TrackState(condition: condition, attribution: attribution)
    }
}

extension Track {
    /// Reevaluates a silence that continues, for whatever reason now, or the loss of a tunnel whose underlay may be known
    /// to be down only afterwards.
    ///
    /// New evidence concerns the whole silence if nothing was known about it and it has just started, because a check takes
    /// a while. Otherwise it concerns the time from now on: the time before keeps the segment of its own evidence. Missing
    /// evidence changes nothing, but a gateway that answers is no longer at fault.
    fileprivate mutating func follow(
        _ failed: FailedState,
        by observations: Observations,
        _ observed: Timestamp,
        _ time: Timestamp
    ) {
        guard let state, let present = state.attribution,
            failed.connectivity == .local || failed.lacksUnderlay && present.segment == .undetermined
        else { return }
        let attribution = observations.attribution(of: failed, after: nil)
        let age = max(min(observed, time).microsecondsSince1970, failed.since) - failed.since
        if present.segment == .undetermined, attribution.segment == .undetermined || age <= Accountant.checkDelay {
            attribute(attribution)
            return
        }
        guard attribution.segment != present.segment, !attribution.isLoss(after: present) else { return }
        let to = TrackState(condition: state.condition, attribution: attribution)
        change(observed: observed, published: time, from: state, to: to)
    }
}

extension Attribution {
    /// Returns whether a silence is undetermined for lack of the evidence that decided it before: a gateway that answers is
    /// no longer at fault, even if nothing else is.
    fileprivate func isLoss(after previous: Attribution) -> Bool {
        segment == .undetermined && !(previous.segment == .firstHop && missing == [.secondTarget])
    }
}

extension FailedState {
    /// Sets the beginning: that of the outage so far where one silence follows another over the same interface.
    ///
    /// - Returns: True for a silence that continues the outage so far.
    fileprivate mutating func begin(at moment: Timestamp, continuing open: FailedState?) -> Bool {
        (since, beginning) = (moment.microsecondsSince1970, moment.microsecondsSince1970)
        guard let open, open.connectivity == .local, connectivity == .local, open.interface == interface,
            open.uplink == uplink
        else { return false }
        (since, beginning) = (open.since, open.beginning)
        return true
    }

    /// Follows a clock that was set back.
    fileprivate mutating func setBack(to moment: Int64) {
        (since, beginning) = (min(since, moment), min(beginning, moment))
    }

    fileprivate init(_ state: ReachabilityState, cause: ChangeCause?, sequence: UInt64) {
        let isPathless = state.via == .none
        self.init(
            connectivity: isPathless ? .none : state.connectivity ?? .unknown,
            reason: isPathless ? state.reason ?? state.path.reason : state.connectivityReason,
            probe: state.connectivityProbe,
            interface: state.path.interface,
            underlay: state.path.underlay,
            kind: state.path.kind,
            cause: cause,
            isDefault: true,
            sequence: sequence
        )
    }

    fileprivate init(_ uplink: Uplink, cause: ChangeCause?, sequence: UInt64) {
        self.init(
            connectivity: uplink.connectivity,
            reason: uplink.reason?.code,
            probe: uplink.reason?.probe,
            interface: uplink.interface,
            kind: uplink.kind,
            cause: cause,
            isDefault: false,
            sequence: sequence
        )
    }
}

extension Condition {
    init(_ state: ReachabilityState) {
        if state.via == .none {
            self = .none
        } else if state.via == .unknown {
            self = .unknown(.noData)
        } else {
            self.init(state.connectivity ?? .unknown)
        }
    }

    init(_ connectivity: Connectivity) {
        switch connectivity {
        case .full: self = .full
        case .partial: self = .partial
        case .portal: self = .portal
        case .local: self = .local
        case .none: self = .none
        case .unknown: self = .unknown(.noProbe)
        // A value of a later version.
        default: self = .unknown(.noData)
        }
    }

    init(probe verdict: ProbeVerdict) {
        switch verdict.verdict {
        case "up": self = .full
        case "down": self = .none
        case "portal": self = .portal
        case "unknown": self = .unknown(.notChecked)
        // A value of a later version.
        default: self = .unknown(.noData)
        }
    }
}
