internal import CheckResults
internal import NetlinkMonitor

/// The next hops, and the ends of verdicts that are no longer evidence about them.
extension ProbeTracks {
    /// The gateway of each point of the check of next hops.
    var nextHops: [ProbePoint: IPAddress] {
        table.tracks.reduce(into: [:]) { hops, track in
            guard track.rule.isFirstHop, let gateway = (track.egresses.ipv4 ?? track.egresses.ipv6)?.gateway else {
                return
            }
            hops[track.point] = gateway
        }
    }

    /// Ends the verdict `up` on the next hops of an uplink, or of those that the default path uses, when nothing beyond
    /// them answers any more.
    ///
    /// It is from before the silence, and confirming it would leave no event. A next hop that is down is checked every
    /// 10 to 30 s by itself.
    ///
    /// - Parameter interface: The uplink; `nil` for the default path.
    mutating func doubtNextHops(
        of interface: String?,
        observed: Observed
    ) -> [(point: ProbePoint, step: ProbeTrack.Step)] {
        let concerned = vantages.uplinks.filter { interface == nil ? $0.isUsed : $0.interface.name == interface }
        let names = Set(concerned.map(\.interface.name))
        return table.tracks.indices.compactMap { position in
            let track = table.tracks[position]
            guard track.rule.isFirstHop, track.point.vantage.interface.map(names.contains) ?? false else { return nil }
            doubtedNextHops.insert(track.point)
            // Also one that is published after a short loss of the path ended it: it would be confirmed without an event.
            guard track.state.verdict == .up || track.published.verdict == .up else { return nil }
            let step = table.update(position) { track in
                track.lose(track.egresses, observed: observed)
                return track.endVerdict(at: observed)
            }
            return step.map { (track.point, $0) }
        }
    }

    /// Takes the next hops to check at once, each once.
    mutating func takeDoubtedNextHops() -> Set<ProbePoint> {
        defer { doubtedNextHops = [] }
        return doubtedNextHops
    }

    /// Takes the ends of the verdicts on replaced next hops, in order.
    mutating func takeReplacedNextHops() -> [(point: ProbePoint, step: ProbeTrack.Step)] {
        defer { replacedNextHops = [] }
        return replacedNextHops
    }
}
