internal import CheckResults
internal import NetlinkMonitor

/// All probes at all vantages, their status, and the combined connectivity.
///
/// The cost of a check does not depend on the number of probes: see ``TrackTable``.
struct ProbeTracks: Sendable {
    /// The rules, by name.
    private var rules: [String: ProbeRule] = [:]
    private var quorum = Quorum.all
    private(set) var vantages = Vantages.none

    /// The tracks of the current points.
    var table = TrackTable()
    /// The tracks of points that do not exist now, but may return: of the default path, and of existing interfaces.
    private(set) var dormant: [ProbePoint: ProbeTrack] = [:]

    /// The points to recheck at once.
    var rechecks: Set<ProbePoint> = []
    /// The families whose path has changed, of the points that had one before.
    private var changedFamilies: [ProbePoint: AddressFamilies] = [:]
    /// The next hops that must be checked again although their path is the same.
    var doubtedNextHops: Set<ProbePoint> = []
    /// The ends of the verdicts on next hops that others have replaced.
    var replacedNextHops: [(point: ProbePoint, step: ProbeTrack.Step)] = []
    /// Removed points, and those with another check, whose end is not published yet.
    private var departed: [ProbePoint: Departure] = [:]

    /// A removed point.
    struct Departure: Sendable {
        let track: ProbeTrack
        /// `true` if the configuration no longer contains it, or has another check for it.
        let isRemoved: Bool
        let observed: Observed
        var since: ContinuousClock.Instant

        init(_ track: ProbeTrack, isRemoved: Bool, _ observed: Observed) {
            (self.track, self.isRemoved, self.observed) = (track, isRemoved, observed)
            since = observed.instant
        }

        var point: ProbePoint { track.point }
    }

    /// The time of the first removal whose end is not published yet.
    var departedSince: ContinuousClock.Instant? { departed.values.map(\.since).min() }

    /// Takes the points removed before an instant, or from the configuration, in order; each once.
    mutating func takeDepartures(before moment: ContinuousClock.Instant) -> [Departure] {
        guard !departed.isEmpty else { return [] }
        let due = departed.values.filter { $0.isRemoved || $0.since <= moment }.sorted { $0.point < $1.point }
        for departure in due {
            departed[departure.point] = nil
            dormant[departure.point]?.published = .unknown
            dormant[departure.point]?.publishedSince = departure.observed
            dormant[departure.point]?.awaitsVerdict = false
        }
        return due
    }

    /// Restarts the wait after a suspend: the time before does not count.
    mutating func restartDepartures(at now: ContinuousClock.Instant) {
        for point in departed.keys { departed[point]?.since = now }
    }

    /// `true` if there are no rules.
    var isEmpty: Bool { rules.isEmpty }

    /// The status of each probe, in the order of the points.
    var records: [ProbeRecord] { table.tracks.map(\.record) }

    /// The status of each removed point whose end is not published yet.
    var departedRecords: [ProbeRecord] {
        departed.values.map { departure in
            var record = departure.track.record
            record.isStale = true
            return record
        }
    }

    /// Applies a snapshot of the network.
    mutating func setVantages(_ vantages: Vantages, observed: Observed) {
        guard vantages != self.vantages else { return }
        self.vantages = vantages
        // Without rules there are no points to update, once the last one is gone.
        if !rules.isEmpty || !table.tracks.isEmpty || !dormant.isEmpty { arrange(observed) }
    }

    /// Replaces the rules; tracks with unchanged rules are kept.
    mutating func setRules(_ rules: [ProbeRule], quorum: Quorum, observed: Observed?) {
        self.quorum = quorum
        let rules = Dictionary(rules.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        guard rules != self.rules else { return }
        self.rules = rules
        if let observed { arrange(observed) }
    }

    /// Handles a completed check; nil for a point that does not exist.
    mutating func take(_ sample: ProbeSample) -> Judgement? {
        guard let position = table.position(of: sample.point) else { return nil }
        let rule = table.tracks[position].rule
        let (before, wasExempt) = (table.tracks[position].state, table.tracks[position].isExempt)
        questionPortals(position, sample)
        questionOtherFamily(position, sample)
        let isExcused = excuses(sample)
        let outcome = table.update(position) { $0.take(sample, isExcused: isExcused) }
        let after = table.tracks[position].state
        askPortals(position, at: sample.observed.instant)
        askOtherFamily(position, at: sample.observed.instant)
        // First: the portal of the portal check in the other family may end with it.
        var consequences = releaseOtherFamily(from: position, sample.observed)
        if rule.isPortalCheck { consequences += spreadPortal(from: position, sample.observed) }
        return Judgement(
            outcome: outcome,
            state: after,
            isChanged: before != after || wasExempt != table.tracks[position].isExempt || !consequences.isEmpty,
            consequences: consequences,
            isAnswered: sample.outcome == .ok && sample.leadsToThisMachine != true && after.verdict == .up
                && rule.reachesBeyond,
            cadence: table.tracks[position].cadence,
            expiry: rule.expiry
        )
    }

    /// The result of a check.
    struct Judgement {
        let outcome: ProbeTrack.Outcome
        let state: ProbeState
        let isChanged: Bool
        /// The effects on other probes.
        let consequences: [Consequence]
        /// `true` if something beyond the first hop has answered as expected.
        let isAnswered: Bool
        let cadence: Cadence
        let expiry: ExpiryPolicy
    }

    /// Handles a suspend of the machine.
    mutating func suspend() {
        for position in table.tracks.indices { table.update(position) { $0.suspend() } }
        for point in dormant.keys { dormant[point]?.suspend() }
        rechecks.formUnion(table.points)
    }

    /// Requests checks of the probes that are up over the uplinks other than the default path's: they are from before a
    /// silence over that, and by themselves the next ones may be an interval away.
    ///
    /// Each once in ``ProbeTrack/doubtInterval``: over a metered link these checks have no other limit, and a default path
    /// that falls silent again and again would use up its budget.
    ///
    /// - Parameter used: The interface of the default path.
    mutating func doubtUplinks(besides used: PathInterface?, at now: ContinuousClock.Instant) {
        let others = vantages.uplinks.filter { !$0.isBoundOnly && $0.interface.index != used?.index }
        let names = Set(others.map(\.interface.name))
        for position in table.tracks.indices {
            let track = table.tracks[position]
            guard track.rule.reachesBeyond, track.mayBeDoubted(at: now),
                track.point.vantage.interface.map(names.contains) == true
            else { continue }
            table.update(position) { $0.doubtedAt = now }
            rechecks.insert(track.point)
        }
    }

    /// Takes the points to recheck at once, in order; each once.
    mutating func takeRechecks() -> [ProbePoint] {
        defer { rechecks = [] }
        return rechecks.filter { table.position(of: $0) != nil }.sorted()
    }

    /// Takes the families whose path has changed, of the points that had one before; each once.
    mutating func takeChangedFamilies() -> [ProbePoint: AddressFamilies] {
        defer { changedFamilies = [:] }
        return changedFamilies
    }

    /// The combined result of the probes over the default path.
    var connectivity: ConnectivityVerdict { isEmpty ? .unknown : verdict(nil, egresses: vantages.defaults) }

    /// The uplinks, by index.
    var uplinks: [Uplink] {
        let byDefault = connectivity
        return vantages.uplinks.map { uplink in
            var verdict = verdict(uplink.interface.name, egresses: uplink.egresses)
            // The network's portal API is queried over the default path if that uses this interface.
            if uplink.egresses.share(vantages.defaults), verdict.connectivity == .portal,
                verdict.reason?.portalURL == nil
            {
                verdict.reason?.portalURL = byDefault.reason?.portalURL
            }
            // A check without a route proves nothing about its target, but is conclusive for an interface without one.
            if uplink.isBoundOnly, verdict.connectivity == .unknown, verdict.reason?.code == ReasonCode.noRoute.rawValue
            {
                verdict.connectivity = .none
            }
            return Uplink(
                interface: uplink.interface,
                connectivity: verdict.connectivity,
                reason: uplink.obstacle.map { ConnectivityReason(code: $0.rawValue) } ?? verdict.reason,
                isUsed: uplink.isUsed,
                isBoundOnly: uplink.isBoundOnly,
                underlay: uplink.underlay
            )
        }
    }

    private func verdict(_ uplink: String?, egresses: Vantages.Egresses) -> ConnectivityVerdict {
        let group = table.group(of: uplink)
        // Behind a portal nearly all probes are faulty, and only portal checks are informative.
        let positions = group.tally.meetsPortal ? group.portalChecks : group.faulty
        let probes = positions.lazy.map { position in
            let track = table.tracks[position]
            return ProbeView(name: track.point.probe, isRequired: track.rule.isRequired, state: track.state)
        }
        return ConnectivityVerdict(group.tally, egresses: egresses, quorum: quorum, probes: probes)
    }
}

extension ProbeTracks {
    /// Determines the current points, and which of them are new or have another path.
    private mutating func arrange(_ observed: Observed) {
        var known = dormant
        for track in table.tracks { known[track.point] = track }
        let wanted = rules.values.flatMap { rule in
            vantages.points(rule).map { (rule: rule, point: $0.point, egresses: $0.egresses) }
        }
        .sorted { $0.point < $1.point }
        let tracks = wanted.map { wanted in
            let last = known.removeValue(forKey: wanted.point)
            guard var track = last, track.rule == wanted.rule else {
                rechecks.insert(wanted.point)
                var track = ProbeTrack(wanted.point, rule: wanted.rule, egresses: wanted.egresses)
                guard let last = last ?? departed[wanted.point]?.track else { return track }
                if last.rule.check != wanted.rule.check, last.isRemovalPublished {
                    // A verdict on another target says nothing about this one.
                    departed[wanted.point] = Departure(last, isRemoved: true, observed)
                } else {
                    // The next verdict is compared with the last published one.
                    (track.published, track.publishedSince) = (last.published, last.publishedSince)
                    track.awaitsVerdict = last.awaitsVerdict
                }
                return track
            }
            if table.position(of: wanted.point) == nil || track.egresses != wanted.egresses {
                let isReplaced = track.rule.isFirstHop && track.egresses != wanted.egresses
                if table.position(of: wanted.point) != nil {
                    noteChange(of: wanted.point, track.egresses.changedFamilies(in: wanted.egresses))
                }
                track.lose(wanted.egresses, observed: observed)
                if isReplaced, let step = track.endVerdict(at: observed) {
                    replacedNextHops.append((wanted.point, step))
                }
                rechecks.insert(wanted.point)
            }
            return track
        }
        table.replace(with: tracks)
        for (point, track) in known where track.isRemovalPublished && departed[point] == nil {
            departed[point] = Departure(track, isRemoved: rules[point.probe] != track.rule, observed)
        }
        departed = departed.filter { $0.value.isRemoved || table.position(of: $0.key) == nil }
        dormant = known.filter { point, track in
            rules[point.probe] == track.rule && (point.vantage.interface.map(vantages.names.contains) ?? true)
        }
        rechecks = rechecks.filter { table.position(of: $0) != nil }
        changedFamilies = changedFamilies.filter { table.position(of: $0.key) != nil }
        for interface in table.interfaces { reconcilePortals(at: interface, observed) }
    }

    private mutating func noteChange(of point: ProbePoint, _ families: AddressFamilies) {
        let before = changedFamilies[point] ?? families
        changedFamilies[point] = before == families ? families : .any
    }
}
