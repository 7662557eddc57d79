internal import AgentEvents

extension Accountant {
    /// The time within which other checks can reveal the cause of a new outage, in microseconds.
    private static let checkDelay: Int64 = 60_000_000

    mutating func note(_ change: StateChange, at time: Timestamp, sequence: UInt64) {
        let previous = pathTrack.state?.attribution
        let to = state(of: change.to, cause: change.cause, after: previous, sequence: sequence)
        let from = state(of: change.from, cause: nil, after: nil, sequence: sequence)
        if numbering == .selected { pathTrack.distrust(unless: from.condition, until: change.observed, time) }
        pathTrack.change(observed: change.observed, published: time, from: from, to: to)
        openPath = to.condition.isOutage ? (change, sequence) : nil
        // The path of a probe that has been down for a long time is no evidence about the time before.
        reattributeProbes(at: time, youngOnly: true)
    }

    mutating func note(_ change: UplinkChange, at time: Timestamp, sequence: UInt64) {
        let name = change.to.interface
        observations.note(change.to, sequence: sequence)
        if uplinkTracks[name] == nil {
            guard uplinkTracks.count < Self.maximumSubjects else {
                subjectsOmitted = true
                return
            }
            uplinkTracks[name] = template
        }
        let previous = uplinkTracks[name]?.state?.attribution
        let to = state(of: change.to, cause: change.cause, after: previous, sequence: sequence)
        let from = state(of: change.from, cause: nil, after: nil, sequence: sequence)
        if numbering == .selected { uplinkTracks[name]?.distrust(unless: from.condition, until: change.observed, time) }
        uplinkTracks[name]?.change(observed: change.observed, published: time, from: from, to: to)
        openUplinks[name] = to.condition.isOutage ? (change, sequence) : nil
        reattribute(at: time)
    }

    mutating func note(_ change: ProbeChange, at time: Timestamp, sequence: UInt64) {
        let point = change.point
        observations.note(change, sequence: sequence)
        if probeTracks[point] == nil {
            guard probeTracks.count < Self.maximumSubjects else {
                subjectsOmitted = true
                return
            }
            probeTracks[point] = template
        }
        var to = TrackState(condition: Condition(probe: change.to))
        if to.condition.isOutage { to.attribution = attribution(of: change, sequence) }
        let from = TrackState(condition: Condition(probe: change.from))
        probeTracks[point]?.change(observed: change.observed, published: time, from: from, to: to)
        openProbes[point] = to.condition.isOutage ? (change, sequence) : nil
        if point.isFirstHop { followFirstHop(change, at: time) }
        reattribute(at: time)
    }

    /// Reevaluates the current silences after the first hop started or stopped answering.
    ///
    /// The change concerns the whole silence if it has just started, because the check takes a while, or if nothing was
    /// known before. Otherwise it concerns the time from now on.
    private mutating func followFirstHop(_ change: ProbeChange, at time: Timestamp) {
        let observations = observations
        func follow(_ track: inout Track, _ failed: FailedState, since begin: Timestamp) {
            guard failed.connectivity == .local, let present = track.state?.attribution else { return }
            let attribution = observations.attribution(of: failed, after: nil)
            guard attribution.segment != .undetermined, attribution.segment != present.segment else { return }
            let age = change.observed.microsecondsSince1970 - begin.microsecondsSince1970
            if age <= Self.checkDelay || change.from.verdict == "unknown" {
                track.attribute(attribution)
            } else if let state = track.state {
                let to = TrackState(condition: state.condition, attribution: attribution)
                track.change(observed: change.observed, published: time, from: state, to: to)
            }
        }
        if let (open, sequence) = openPath { follow(&pathTrack, FailedState(open, sequence), since: open.observed) }
        for (name, open) in openUplinks {
            guard var track = uplinkTracks[name] else { continue }
            follow(&track, FailedState(open.change, open.sequence), since: open.change.observed)
            uplinkTracks[name] = track
        }
    }

    /// Reevaluates the undetermined outages with the new evidence.
    private mutating func reattribute(at time: Timestamp) {
        if let (change, sequence) = openPath, pathTrack.isUndetermined {
            pathTrack.attribute(
                observations.attribution(of: FailedState(change, sequence), after: nil)
            )
        }
        for (name, open) in openUplinks where uplinkTracks[name]?.isUndetermined == true {
            uplinkTracks[name]?.attribute(
                observations.attribution(of: FailedState(open.change, open.sequence), after: nil)
            )
        }
        reattributeProbes(at: time, youngOnly: false)
    }

    /// Reevaluates the outages of probes: the undetermined ones, and the young ones of a target while another target
    /// was up, which may only have been checked later.
    private mutating func reattributeProbes(at time: Timestamp, youngOnly: Bool) {
        for (point, open) in openProbes {
            let age = time.microsecondsSince1970 - open.change.observed.microsecondsSince1970
            let segment = probeTracks[point]?.state?.attribution?.segment
            let isYoung = age <= Self.checkDelay
            guard segment == .undetermined && (isYoung || !youngOnly) || segment == .target && isYoung else { continue }
            let attribution = attribution(of: open.change, open.sequence)
            if attribution.segment != segment { probeTracks[point]?.attribute(attribution) }
        }
    }

    /// Returns the attribution of a probe's verdict, considering the outage of its path.
    private func attribution(of change: ProbeChange, _ sequence: UInt64) -> Attribution {
        let path = change.point.interface.map { uplinkTracks[$0]?.state } ?? pathTrack.state
        return observations.attribution(of: change, path: path?.attribution, sequence: sequence)
    }

    private func state(
        of state: ReachabilityState,
        cause: ChangeCause?,
        after previous: Attribution?,
        sequence: UInt64
    ) -> TrackState {
        let condition = Condition(state)
        guard condition.isOutage else { return TrackState(condition: condition) }
        let failed = FailedState(state, cause: cause, sequence: sequence)
        return TrackState(condition: condition, attribution: observations.attribution(of: failed, after: previous))
    }

    private func state(
        of uplink: Uplink,
        cause: ChangeCause?,
        after previous: Attribution?,
        sequence: UInt64
    ) -> TrackState {
        let condition = Condition(uplink.connectivity)
        guard condition.isOutage else { return TrackState(condition: condition) }
        let failed = FailedState(uplink, cause: cause, sequence: sequence)
        return TrackState(condition: condition, attribution: observations.attribution(of: failed, after: previous))
    }
}

extension Track {
    fileprivate var isUndetermined: Bool { state?.attribution?.segment == .undetermined }
}

extension FailedState {
    fileprivate init(_ state: ReachabilityState, cause: ChangeCause?, sequence: UInt64) {
        let isPathless = state.via == .none
        self.init(
            connectivity: isPathless ? .none : state.connectivity ?? .unknown,
            reason: isPathless ? state.reason ?? state.path.reason : state.connectivityReason,
            probe: state.connectivityProbe,
            interface: state.path.interface,
            uplink: state.path.underlay?.interface,
            kind: state.path.kind,
            cause: cause,
            isDefault: true,
            sequence: sequence
        )
    }

    fileprivate init(_ change: StateChange, _ sequence: UInt64) {
        self.init(change.to, cause: change.cause, sequence: sequence)
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

    fileprivate init(_ change: UplinkChange, _ sequence: UInt64) {
        self.init(change.to, cause: change.cause, sequence: sequence)
    }
}

extension Condition {
    fileprivate init(_ state: ReachabilityState) {
        if state.via == .none {
            self = .none
        } else if state.via == .unknown {
            self = .unknown(.noData)
        } else {
            self.init(state.connectivity ?? .unknown)
        }
    }

    fileprivate init(_ connectivity: Connectivity) {
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

    fileprivate init(probe verdict: ProbeVerdict) {
        switch verdict.verdict {
        case "up": self = .full
        case "down": self = .none
        case "portal": self = .portal
        default: self = .unknown(.noData)
        }
    }
}
