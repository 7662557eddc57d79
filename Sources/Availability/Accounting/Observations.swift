internal import AgentEvents

/// The verdicts and uplinks according to the newest events: the evidence for attributing an outage.
struct Observations: Sendable {
    /// The maximum number of points, and of uplinks, that are kept.
    static let maximumCount = 1024

    /// The codes that only transfers have.
    private static let transferCodes: Set<String> = ["throughput_low", "added_latency_high", "transfer_stalled"]

    /// The codes of the end of a next hop: its route, or the configuration of the check, has gone.
    private static let departureCodes: Set<String> = ["no_route", "config_reloaded"]

    private(set) var verdicts = Verdicts()
    /// The points whose checks are transfers: they are hours apart, so their verdicts are no evidence about the
    /// present, and are not kept.
    private var transfers: Set<ProbePoint> = []
    /// The newest state of each uplink, by its interface.
    private(set) var uplinks: [String: (connectivity: Connectivity, reason: String?, sequence: UInt64)] = [:]
    /// The names of those over which something answers, in order: any number of silences look for the first one.
    private var uplinksUp: [String] = []

    /// Records the checks of an hour.
    mutating func note(_ summary: ScannedSummary) {
        if summary.transfer != nil { noteTransfer(summary.point) }
    }

    private mutating func noteTransfer(_ point: ProbePoint) {
        guard transfers.count < Self.maximumCount else { return }
        transfers.insert(point)
        verdicts[point] = nil
    }

    mutating func note(_ change: ProbeChange, at time: Timestamp, sequence: UInt64) {
        if let code = change.to.code, Self.transferCodes.contains(code) { noteTransfer(change.point) }
        let word = change.to.verdict
        let isKnown = word == "up" || word == "down"
        let observed = min(change.observed, time).microsecondsSince1970
        // A point ends without a route only where no packet of its family leaves by its interface any more.
        if !isKnown, change.to.code == nil, change.cause.kind == "route", change.cause.code == "no_route",
            let interface = change.point.interface
        {
            forgetNextHops(of: interface, family: change.point.family, until: observed)
        }
        // A check that found no route has a code of its own, and its next hop is still there.
        let hasDeparted = change.to.code == nil && Self.departureCodes.contains(change.cause.code)
        guard isKnown || change.point.isFirstHop && !hasDeparted, !transfers.contains(change.point) else {
            verdicts[change.point] = nil
            return
        }
        guard verdicts.count < Self.maximumCount || verdicts[change.point] != nil else { return }
        verdicts[change.point] = Verdict(
            isUp: isKnown ? word == "up" : nil,
            code: change.to.code,
            sequence: sequence,
            observed: observed
        )
    }

    /// Records the loss of the default path of a family.
    mutating func note(_ change: StateChange, at time: Timestamp) {
        let observed = min(change.observed, time).microsecondsSince1970
        let families = [
            ("ipv4", change.from.path.ipv4, change.to.path.ipv4), ("ipv6", change.from.path.ipv6, change.to.path.ipv6),
        ]
        for (family, from, to) in families {
            // For another reason, such as a rule that refuses, the route to the gateway may still be there.
            guard let interface = from?.interface, let to, to.via == .none, to.reason == "no_route" else { continue }
            forgetNextHops(of: interface, family: family, until: observed)
        }
    }

    mutating func note(_ change: UplinkChange, at time: Timestamp, sequence: UInt64) {
        let uplink = change.to
        if uplink.connectivity == .none {
            let observed = min(change.observed, time).microsecondsSince1970
            forgetNextHops(of: uplink.interface, family: nil, until: observed)
        }
        let name = uplink.interface
        guard uplinks.count < Self.maximumCount || uplinks[name] != nil else { return }
        uplinks[name] = (uplink.connectivity, uplink.reason?.code, sequence)
        uplinksUp.removeAll { $0 == name }
        guard uplink.connectivity == .full || uplink.connectivity == .partial else { return }
        uplinksUp.insert(name, at: uplinksUp.firstIndex { name < $0 } ?? uplinksUp.endIndex)
    }

    /// Forgets the next hops without a verdict at which an interface has lost its path: no check of them will end.
    ///
    /// Their own events say so only in journals of later agents: earlier ones published no end of a pending check.
    ///
    /// - Parameter family: The family of the lost path; `nil` for both.
    private mutating func forgetNextHops(of interface: String, family: String?, until observed: Int64) {
        for hop in nextHops(of: interface) where family == nil || hop.point.family == family {
            if hop.isUp == nil, hop.observed <= observed { verdicts[hop.point] = nil }
        }
    }

    mutating func forget() { (verdicts, uplinks, uplinksUp) = (Verdicts(), [:], []) }

    /// Makes all verdicts older than any outage: the clock was set back, and their times mean nothing.
    mutating func age() { verdicts.age() }

    /// Attributes the silence of everything beyond a path to the first hop or to the network behind it.
    ///
    /// - Parameters:
    ///   - since: The beginning of the silence, in microseconds since 1970.
    ///   - interface: The egress interface; points bound to it count, and for the default path those that are not
    ///     bound.
    ///   - uplink: The interface on the link to the first hop: for a tunnel, that of its underlay.
    func silence(
        since: Int64,
        over interface: String?,
        uplink: String?,
        isDefault: Bool,
        code: String
    ) -> Attribution {
        var paths: Set<String?> = isDefault ? [nil] : []
        if let interface { paths.insert(interface) }
        var attribution = Attribution(segment: .undetermined, code: code, interface: interface, evidence: [])
        let down = verdicts.sorted(over: paths).filter { $0.isUp == false && !$0.point.isFirstHop }
        let targets = Set(down.map(\.point.probe))
        let elsewhere = verdicts.targetUp(elsewhereThan: [interface, uplink])
        let otherUplink = uplinksUp.first { $0 != interface && $0 != uplink }

        let firstHop = firstHop(of: uplink, since: since, families: down.map(\.point.family))
        if let firstHop { attribution.evidence.append(firstHop.evidence) }
        attribution.evidence += down.prefix(2).map(\.evidence)
        if let elsewhere { attribution.evidence.append(elsewhere) }
        if let otherUplink, let state = uplinks[otherUplink] {
            attribution.evidence.append(
                Evidence(
                    kind: .uplinkUp,
                    code: state.connectivity.rawValue,
                    subject: otherUplink,
                    sequence: state.sequence
                )
            )
        }
        guard let firstHop else {
            attribution.missing = [.firstHop]
            return attribution
        }
        guard firstHop.isUp == true else {
            attribution.segment = .firstHop
            return attribution
        }
        guard targets.count >= 2 || elsewhere != nil || otherUplink != nil else {
            attribution.missing = [.secondTarget]
            return attribution
        }
        attribution.segment = .provider
        return attribution
    }

    /// Returns the verdict on an uplink's gateway that is evidence about a silence; `nil` without one.
    ///
    /// The gateway of a family in which targets are silent counts first: one that answers in the other family alone carries
    /// none of their packets. Where its checks are unclear, or there is none, the other one counts, which mostly is the same
    /// device; while its check is pending, none does, because that of the other family may be faster.
    ///
    /// - Parameter families: The families of the silent targets; `nil` for a target in any family.
    private func firstHop(of uplink: String?, since: Int64, families: [String?]) -> Fact? {
        let hops = nextHops(of: uplink)
        guard !families.contains(nil) else { return firstHop(among: hops, since: since) }
        let concerned = hops.filter { families.contains($0.point.family) }
        if let deciding = firstHop(among: concerned, since: since) { return deciding }
        return concerned.contains { $0.isPending } ? nil : firstHop(among: hops, since: since)
    }

    /// Returns the verdicts on an uplink's gateways, sorted by event number.
    private func nextHops(of uplink: String?) -> [Fact] {
        verdicts.sorted(over: [uplink]).filter(\.point.isFirstHop)
    }

    /// Returns the deciding one of an uplink's gateways.
    ///
    /// A gateway that answers in one family is reachable for both, but an answer from before the silence proves nothing. A
    /// gateway that is down is checked every 10 to 30 s, and the verdict holds until it answers or a check is unclear; one
    /// that preceded the silence by far is not its cause if the gateway of the other family may answer.
    private func firstHop(among hops: [Fact], since: Int64) -> Fact? {
        if let answering = hops.first(where: { $0.isUp == true && $0.observed >= since }) { return answering }
        let silent = hops.filter { $0.isUp == false }
        guard silent.count < hops.count else { return silent.first }
        let earliest = max(since, .min + Accountant.checkDelay) - Accountant.checkDelay
        return silent.first { $0.observed >= earliest }
    }
}
