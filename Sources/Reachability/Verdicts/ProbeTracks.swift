internal import CheckResults
internal import NetlinkMonitor

/// All probes at all vantages, their status, and the combined connectivity.
///
/// The cost of a check does not depend on the number of probes: each status is added to and removed from the tally of
/// its interface.
struct ProbeTracks: Sendable {
    /// The rules, by name.
    private var rules: [String: ProbeRule] = [:]
    private var quorum = Quorum.all
    private(set) var vantages = Vantages.none

    /// The points in order, each with its track.
    private(set) var points: [ProbePoint] = []
    var tracks: [ProbeTrack] = []
    private var positions: [ProbePoint: Int] = [:]
    /// The tracks of points that do not exist now, but may return: of the default path, and of existing interfaces.
    private var dormant: [ProbePoint: ProbeTrack] = [:]

    /// The tally of each uplink, by name, and of the default path, by `nil`.
    private var tallies: [String?: ConnectivityTally] = [:]
    /// The positions of the faulty probes of each uplink and the default path, in order.
    private var faulty: [String?: [Int]] = [:]
    /// The positions of the portal checks of each uplink and the default path.
    private(set) var portalChecks: [String?: [Int]] = [:]
    /// The uplinks with a portal, or the default path.
    var captive: Set<String?> = []
    /// The positions of probes that will be down unless a portal is found.
    var held: Set<Int> = []
    var rechecks: Set<ProbePoint> = []
    /// The next hops that must be checked again although their path is the same.
    var doubtedNextHops: Set<ProbePoint> = []
    /// The ends of the verdicts on next hops that others have replaced.
    var replacedNextHops: [(point: ProbePoint, step: ProbeTrack.Step)] = []
    /// Removed points whose end is not published yet.
    private var departed: [ProbePoint: Departure] = [:]

    /// A removed point.
    struct Departure: Sendable {
        let track: ProbeTrack
        /// `true` if the configuration no longer contains it.
        let isRemoved: Bool
        let observed: Observed
        var since: ContinuousClock.Instant

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
    var records: [ProbeRecord] { tracks.map(\.record) }

    /// Applies a snapshot of the network.
    mutating func setVantages(_ vantages: Vantages, observed: Observed) {
        guard vantages != self.vantages else { return }
        self.vantages = vantages
        // Without rules there are no points to update, once the last one is gone.
        if !rules.isEmpty || !tracks.isEmpty || !dormant.isEmpty { arrange(observed) }
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
        guard let position = positions[sample.point] else { return nil }
        let rule = tracks[position].rule
        let before = tracks[position].state
        questionPortals(position, sample)
        var outcome = ProbeTrack.Outcome()
        let excused = excused(sample, rule)
        restate(position) { outcome = $0.take(excused) }
        let after = tracks[position].state
        askPortals(position, at: sample.observed.instant)
        let consequences = rule.isPortalCheck ? spreadPortal(from: position, sample.observed) : []
        return Judgement(
            outcome: outcome,
            state: after,
            isChanged: before != after || !consequences.isEmpty,
            consequences: consequences,
            cadence: tracks[position].cadence,
            expiry: rule.expiry
        )
    }

    /// Changes a track, and updates the tally.
    mutating func restate(_ position: Int, _ change: (inout ProbeTrack) -> Void) {
        let before = tracks[position].state
        change(&tracks[position])
        let after = tracks[position].state
        guard before != after else { return }
        let (rule, vantage) = (tracks[position].rule, points[position].vantage)
        tallies[vantage.interface]?.remove(before, rule, vantage.families)
        tallies[vantage.interface]?.add(after, rule, vantage.families)
        guard before.isFaulty != after.isFaulty, !rule.isApart else { return }
        mark(position, in: vantage.interface, isFaulty: after.isFaulty)
    }

    /// Returns the sample without a failure for a missing address of one family, if the target may have one of the
    /// other.
    private func excused(_ sample: ProbeSample, _ rule: ProbeRule) -> ProbeSample {
        guard sample.outcome == .failed, sample.code == .dnsNoAddress, rule.families == .each else { return sample }
        var other = sample.point
        other.vantage.families = sample.point.vantage.families == .ipv4 ? .ipv6 : .ipv4
        guard let position = positions[other], tracks[position].last?.code != .dnsNoAddress else { return sample }
        var excused = sample
        excused.outcome = .unknown
        return excused
    }

    /// The result of a check.
    struct Judgement {
        let outcome: ProbeTrack.Outcome
        let state: ProbeState
        let isChanged: Bool
        /// The effects on other probes.
        let consequences: [Consequence]
        let cadence: Cadence
        let expiry: ExpiryPolicy
    }

    /// Handles a suspend of the machine.
    mutating func suspend() {
        for position in tracks.indices { tracks[position].suspend() }
        for point in dormant.keys { dormant[point]?.suspend() }
        rechecks.formUnion(points)
    }

    /// Takes the points to recheck at once, in order; each once.
    mutating func takeRechecks() -> [ProbePoint] {
        defer { rechecks = [] }
        return rechecks.filter { positions[$0] != nil }.sorted()
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
        let tally = tallies[uplink] ?? ConnectivityTally()
        // Behind a portal nearly all probes are faulty, and only portal checks are informative.
        let positions = tally.meetsPortal ? portalChecks[uplink] : faulty[uplink]
        let probes = (positions ?? []).lazy.map { position in
            ProbeView(
                name: points[position].probe,
                isRequired: tracks[position].rule.isRequired,
                state: tracks[position].state
            )
        }
        return ConnectivityVerdict(tally, egresses: egresses, quorum: quorum, probes: probes)
    }

    private mutating func mark(_ position: Int, in uplink: String?, isFaulty: Bool) {
        var positions = faulty.removeValue(forKey: uplink) ?? []
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] < position { low = middle + 1 } else { high = middle }
        }
        let isThere = low < positions.count && positions[low] == position
        if isFaulty, !isThere { positions.insert(position, at: low) }
        if !isFaulty, isThere { positions.remove(at: low) }
        faulty[uplink] = positions
    }
}

extension ProbeTracks {
    /// Determines the current points, and which of them are new or have another path.
    private mutating func arrange(_ observed: Observed) {
        var known = dormant
        for track in tracks { known[track.point] = track }
        let wanted = rules.values.flatMap { rule in
            vantages.points(rule).map { (rule: rule, point: $0.point, egresses: $0.egresses) }
        }
        .sorted { $0.point < $1.point }
        let before = positions
        tracks = wanted.map { wanted in
            let last = known.removeValue(forKey: wanted.point)
            guard var track = last, track.rule == wanted.rule else {
                rechecks.insert(wanted.point)
                var track = ProbeTrack(wanted.point, rule: wanted.rule, egresses: wanted.egresses)
                // The next verdict is compared with the last published one.
                if let last = last ?? departed[wanted.point]?.track {
                    (track.published, track.awaitsVerdict) = (last.published, last.awaitsVerdict)
                }
                return track
            }
            if before[wanted.point] == nil || track.egresses != wanted.egresses {
                let isReplaced = track.rule.isFirstHop && track.egresses != wanted.egresses
                track.lose(wanted.egresses, observed: observed)
                if isReplaced, let step = track.endVerdict() { replacedNextHops.append((wanted.point, step)) }
                rechecks.insert(wanted.point)
            }
            return track
        }
        points = tracks.map(\.point)
        positions = Dictionary(zip(points, points.indices), uniquingKeysWith: { first, _ in first })
        for (point, track) in known where track.isRemovalPublished && departed[point] == nil {
            departed[point] = Departure(
                track: track,
                isRemoved: rules[point.probe] != track.rule,
                observed: observed,
                since: observed.instant
            )
        }
        departed = departed.filter { positions[$0.key] == nil }
        dormant = known.filter { point, track in
            rules[point.probe] == track.rule && (point.vantage.interface.map(vantages.names.contains) ?? true)
        }
        rechecks = rechecks.filter { positions[$0] != nil }
        count()
        for interface in captive.union(portalChecks.keys) { reconcilePortals(at: interface, observed) }
    }

    private mutating func count() {
        tallies = [:]
        faulty = [:]
        portalChecks = [:]
        held = []
        for (position, track) in tracks.enumerated() {
            let vantage = track.point.vantage
            tallies[vantage.interface, default: ConnectivityTally()]
                .add(track.state, track.rule, vantage.families)
            if track.rule.isPortalCheck { portalChecks[vantage.interface, default: []].append(position) }
            if track.isHeld { held.insert(position) }
            guard track.state.isFaulty, !track.rule.isApart else { continue }
            faulty[vantage.interface, default: []].append(position)
        }
    }
}

extension ProbeState {
    /// `true` if the probe is not up for a known reason.
    fileprivate var isFaulty: Bool { verdict != .up && (verdict != .unknown || code != nil) }
}
