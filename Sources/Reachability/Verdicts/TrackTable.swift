internal import CheckResults

/// The tracks of the current points, in order, and what is derived from them.
///
/// Points, positions and groups cannot get out of step with the tracks: ``replace(with:)`` and ``update(_:_:)`` are the
/// only ways to change any of them. An update costs the same however many tracks there are.
struct TrackTable: Sendable {
    private(set) var tracks: [ProbeTrack] = []
    /// The point of each track.
    private(set) var points: [ProbePoint] = []
    private var positions: [ProbePoint: Int] = [:]
    /// The tracks of each uplink, by name, and of the default path, by `nil`.
    private var groups: [String?: ProbeGroup] = [:]

    /// Returns the position of a point's track; nil for a point that does not exist.
    func position(of point: ProbePoint) -> Int? { positions[point] }

    /// The names of the uplinks with tracks, and `nil` for the default path if it has any.
    var interfaces: [String?] { Array(groups.keys) }

    /// Returns the tracks of an uplink, or of the default path.
    func group(of interface: String?) -> ProbeGroup { groups[interface] ?? ProbeGroup() }

    /// Replaces all tracks.
    ///
    /// - Parameter tracks: The new tracks, in the order of their points, each point once.
    mutating func replace(with tracks: [ProbeTrack]) {
        self.tracks = tracks
        let points = tracks.map(\.point)
        // The same list keeps its storage: a reader compares it for every check, which then takes constant time.
        if points != self.points {
            self.points = points
            positions = Dictionary(zip(points, points.indices), uniquingKeysWith: { first, _ in first })
        }
        groups = [:]
        for (position, track) in tracks.enumerated() {
            groups[track.point.vantage.interface, default: ProbeGroup()].add(track, at: position)
        }
    }

    /// Changes a track.
    @discardableResult
    mutating func update<Result>(_ position: Int, _ change: (inout ProbeTrack) -> Result) -> Result {
        let before = ProbeGroup.Contribution(tracks[position])
        let result = change(&tracks[position])
        let after = ProbeGroup.Contribution(tracks[position])
        guard before != after else { return result }
        let point = tracks[position].point
        groups[point.vantage.interface]?.replace(before, by: after, of: tracks[position], at: position)
        return result
    }
}

/// The tracks of one uplink, or of the default path: their tally, and the positions of those that another check's result
/// may concern.
struct ProbeGroup: Sendable, Equatable {
    private(set) var tally = ConnectivityTally()
    /// The positions of the faulty probes, in order.
    private(set) var faulty: [Int] = []
    /// The positions of the portal checks, in order.
    private(set) var portalChecks: [Int] = []
    /// The positions of the probes that will be down unless a portal is found.
    private(set) var held: Set<Int> = []
    /// The number of probes behind a portal.
    private(set) var captiveCount = 0

    /// The part of a track on which its group depends, and which its checks change.
    struct Contribution: Equatable {
        let state: ProbeState
        let isExempt: Bool
        let isFaulty: Bool
        let isHeld: Bool
        let isBehindPortal: Bool

        init(_ track: ProbeTrack) {
            state = track.state
            isExempt = track.isExempt
            isFaulty = track.state.isFaulty && !track.rule.isApart
            isHeld = track.isHeld
            isBehindPortal = track.isBehindPortal
        }
    }

    /// Adds a track behind all others.
    mutating func add(_ track: ProbeTrack, at position: Int) {
        let new = Contribution(track)
        tally.add(new.state, track.rule, track.point.vantage.families, isExempt: new.isExempt)
        if track.rule.isPortalCheck { portalChecks.append(position) }
        if new.isFaulty { faulty.append(position) }
        if new.isHeld { held.insert(position) }
        if new.isBehindPortal { captiveCount += 1 }
    }

    /// Replaces the contribution of a track.
    mutating func replace(_ old: Contribution, by new: Contribution, of track: ProbeTrack, at position: Int) {
        if old.state != new.state || old.isExempt != new.isExempt {
            tally.remove(old.state, track.rule, track.point.vantage.families, isExempt: old.isExempt)
            tally.add(new.state, track.rule, track.point.vantage.families, isExempt: new.isExempt)
        }
        if old.isFaulty != new.isFaulty { mark(position, isFaulty: new.isFaulty) }
        if new.isHeld { held.insert(position) } else { held.remove(position) }
        captiveCount += (new.isBehindPortal ? 1 : 0) - (old.isBehindPortal ? 1 : 0)
    }

    private mutating func mark(_ position: Int, isFaulty: Bool) {
        var (low, high) = (0, faulty.count)
        while low < high {
            let middle = (low + high) / 2
            if faulty[middle] < position { low = middle + 1 } else { high = middle }
        }
        if isFaulty { faulty.insert(position, at: low) } else { faulty.remove(at: low) }
    }
}

extension ProbeState {
    /// `true` if the probe is not up for a known reason.
    fileprivate var isFaulty: Bool { verdict != .up && (verdict != .unknown || code != nil) }
}
