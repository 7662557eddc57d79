internal import NetlinkMonitor
internal import Probes

/// All probes at all vantages: which there are, how they fare, and what they come to together.
///
/// A check costs the same however many probes there are: standings are counted in and out of their place's tally.
struct ProbeBoard: Sendable {
    /// The rules, by name.
    private var rules: [String: ProbeRule] = [:]
    private var quorum = Quorum.all
    private(set) var vantages = Vantages.none

    /// The points in order, and with each its track.
    private(set) var points: [ProbePoint] = []
    var tracks: [ProbeTrack] = []
    private var positions: [ProbePoint: Int] = [:]
    /// The tracks of points that are not there now, and may come back: of the default path, and of interfaces that exist.
    private var dormant: [ProbePoint: ProbeTrack] = [:]

    /// The probes of each place, counted; the default path has no name.
    private var tallies: [String?: ConnectivityTally] = [:]
    /// The positions of a place's probes that are not up for a reason, in order.
    private var faulty: [String?: [Int]] = [:]
    /// The positions of a place's probes that look for portals.
    private(set) var portalChecks: [String?: [Int]] = [:]
    /// The places at which a portal answers.
    var captive: Set<String?> = []
    /// The positions of probes that are down unless a portal is found.
    var held: Set<Int> = []
    var freshLooks: Set<ProbePoint> = []
    /// Points that are not there any more, and whose last published verdict says that something is known of them.
    private var departed: [ProbePoint: Departure] = [:]

    /// A point that is gone.
    struct Departure: Sendable {
        let point: ProbePoint
        let standing: ProbeStanding
        /// Whether the configuration no longer has it.
        let isRemoved: Bool
        let observed: Observed
        var since: ContinuousClock.Instant
    }

    /// Since when the point is gone that went first, of those whose end is not published yet.
    var departedSince: ContinuousClock.Instant? { departed.values.map(\.since).min() }

    /// The points that went before a moment, or were removed, in order; each once.
    mutating func takeDepartures(before moment: ContinuousClock.Instant) -> [Departure] {
        guard !departed.isEmpty else { return [] }
        let due = departed.values.filter { $0.isRemoved || $0.since <= moment }.sorted { $0.point < $1.point }
        for departure in due {
            departed[departure.point] = nil
            dormant[departure.point]?.published = .unknown
        }
        return due
    }

    /// The machine was suspended: the time before does not count.
    mutating func restartDepartures(at now: ContinuousClock.Instant) {
        for point in departed.keys { departed[point]?.since = now }
    }

    /// Whether there is any rule.
    var isEmpty: Bool { rules.isEmpty }

    /// How each probe fares, in the order of the points.
    var records: [ProbeRecord] { tracks.map(\.record) }

    /// Takes a view of the network.
    mutating func setVantages(_ vantages: Vantages, observed: Observed) {
        guard vantages != self.vantages else { return }
        self.vantages = vantages
        arrange(observed)
    }

    /// Takes other rules; tracks of rules that are the same go on.
    mutating func setRules(_ rules: [ProbeRule], quorum: Quorum, observed: Observed?) {
        self.quorum = quorum
        let rules = Dictionary(rules.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        guard rules != self.rules else { return }
        self.rules = rules
        if let observed { arrange(observed) }
    }

    /// Takes a completed check; nil for a point that is not there.
    mutating func take(_ sample: ProbeSample) -> Judgement? {
        guard let position = positions[sample.point] else { return nil }
        let rule = tracks[position].rule
        let before = tracks[position].standing
        questionPortals(position, sample)
        var outcome = ProbeTrack.Outcome()
        let excused = excused(sample, rule)
        restate(position) { outcome = $0.take(excused) }
        let after = tracks[position].standing
        askPortals(position, at: sample.observed.instant)
        let consequences = rule.isPortalCheck ? spreadPortal(from: position, sample.observed) : []
        return Judgement(
            outcome: outcome,
            standing: after,
            isChanged: before != after || !consequences.isEmpty,
            consequences: consequences,
            cadence: tracks[position].cadence,
            expiry: rule.expiry
        )
    }

    /// Changes a track, and counts its standing anew.
    mutating func restate(_ position: Int, _ change: (inout ProbeTrack) -> Void) {
        let before = tracks[position].standing
        change(&tracks[position])
        let after = tracks[position].standing
        guard before != after else { return }
        let (rule, vantage) = (tracks[position].rule, points[position].vantage)
        tallies[vantage.interface]?.remove(before, rule, vantage.families)
        tallies[vantage.interface]?.add(after, rule, vantage.families)
        if before.isFaulty != after.isFaulty { mark(position, in: vantage.interface, isFaulty: after.isFaulty) }
    }

    /// A target that has no address of one family does not fail in it, as long as it may have one of the other.
    private func excused(_ sample: ProbeSample, _ rule: ProbeRule) -> ProbeSample {
        guard sample.outcome == .failed, sample.code == .dnsNoAddress, rule.families == .each else { return sample }
        var other = sample.point
        other.vantage.families = sample.point.vantage.families == .ipv4 ? .ipv6 : .ipv4
        guard let position = positions[other], tracks[position].last?.code != .dnsNoAddress else { return sample }
        var excused = sample
        excused.outcome = .unknown
        return excused
    }

    /// What came of a check.
    struct Judgement {
        let outcome: ProbeTrack.Outcome
        let standing: ProbeStanding
        let isChanged: Bool
        /// What became of other probes.
        let consequences: [Consequence]
        let cadence: Cadence
        let expiry: ExpiryPolicy
    }

    /// The machine was suspended.
    mutating func suspend() {
        for position in tracks.indices { tracks[position].suspend() }
        for point in dormant.keys { dormant[point]?.suspend() }
        freshLooks.formUnion(points)
    }

    /// The points that are to be looked at at once, in order; each once.
    mutating func takeFreshLooks() -> [ProbePoint] {
        defer { freshLooks = [] }
        return freshLooks.filter { positions[$0] != nil }.sorted()
    }

    /// What the probes over the default path come to.
    var connectivity: ConnectivityVerdict { isEmpty ? .unknown : verdict(nil, ways: vantages.defaults) }

    /// The interfaces with a default route, by index.
    var uplinks: [Uplink] {
        let byDefault = connectivity
        return vantages.places.map { place in
            var verdict = verdict(place.interface.name, ways: place.ways)
            // The network is asked about its portal over the default path where that leads through the interface.
            if place.ways.share(vantages.defaults), verdict.connectivity == .portal, verdict.reason?.portalURL == nil {
                verdict.reason?.portalURL = byDefault.reason?.portalURL
            }
            return Uplink(
                interface: place.interface,
                connectivity: verdict.connectivity,
                reason: place.obstacle.map { ConnectivityReason(code: $0.rawValue) } ?? verdict.reason,
                isUsed: place.isUsed
            )
        }
    }

    private func verdict(_ place: String?, ways: Vantages.Ways) -> ConnectivityVerdict {
        let tally = tallies[place] ?? ConnectivityTally()
        // Behind a portal as good as all are faulty, and only those that meet it have something to say.
        let positions = tally.meetsPortal ? portalChecks[place] : faulty[place]
        let probes = (positions ?? []).lazy.map { position in
            ProbeView(
                name: points[position].probe,
                isRequired: tracks[position].rule.isRequired,
                standing: tracks[position].standing
            )
        }
        return ConnectivityVerdict(tally, ways: ways, quorum: quorum, probes: probes)
    }

    private mutating func mark(_ position: Int, in place: String?, isFaulty: Bool) {
        var positions = faulty.removeValue(forKey: place) ?? []
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] < position { low = middle + 1 } else { high = middle }
        }
        let isThere = low < positions.count && positions[low] == position
        if isFaulty, !isThere { positions.insert(position, at: low) }
        if !isFaulty, isThere { positions.remove(at: low) }
        faulty[place] = positions
    }
}

extension ProbeBoard {
    /// Finds out which points there are now, and which of them are new or have another way.
    private mutating func arrange(_ observed: Observed) {
        var known = dormant
        for track in tracks { known[track.point] = track }
        let wanted = rules.values.flatMap { rule in
            vantages.points(rule).map { (rule: rule, point: $0.point, ways: $0.ways) }
        }
        .sorted { $0.point < $1.point }
        let before = positions
        let standings = known.mapValues(\.published)
        tracks = wanted.map { wanted in
            guard var track = known.removeValue(forKey: wanted.point), track.rule == wanted.rule else {
                freshLooks.insert(wanted.point)
                var track = ProbeTrack(wanted.point, rule: wanted.rule, ways: wanted.ways)
                // What was published last is what the next verdict differs from.
                track.published = standings[wanted.point] ?? departed[wanted.point]?.standing ?? .unknown
                return track
            }
            if before[wanted.point] == nil || track.ways != wanted.ways {
                track.lose(wanted.ways, observed: observed)
                freshLooks.insert(wanted.point)
            }
            return track
        }
        points = tracks.map(\.point)
        positions = Dictionary(zip(points, points.indices), uniquingKeysWith: { first, _ in first })
        for (point, track) in known where track.published.verdict != .unknown && departed[point] == nil {
            departed[point] = Departure(
                point: point,
                standing: track.published,
                isRemoved: rules[point.probe] != track.rule,
                observed: observed,
                since: observed.instant
            )
        }
        departed = departed.filter { positions[$0.key] == nil }
        dormant = known.filter { point, track in
            rules[point.probe] == track.rule && (point.vantage.interface.map(vantages.names.contains) ?? true)
        }
        freshLooks = freshLooks.filter { positions[$0] != nil }
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
                .add(track.standing, track.rule, vantage.families)
            if track.rule.isPortalCheck { portalChecks[vantage.interface, default: []].append(position) }
            if track.isHeld { held.insert(position) }
            if track.standing.isFaulty { faulty[vantage.interface, default: []].append(position) }
        }
    }
}

extension ProbeStanding {
    /// It is not up, and the reason is known.
    fileprivate var isFaulty: Bool { verdict != .up && (verdict != .unknown || code != nil) }
}
