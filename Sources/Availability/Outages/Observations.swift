internal import AgentEvents

/// The verdicts and uplinks as the newest events have them: what an outage can be put down to.
struct Observations: Sendable {
    /// The maximum number of points and of uplinks that are remembered.
    static let maximumCount = 1024

    private struct Verdict: Sendable {
        var isUp: Bool
        var code: String
        var sequence: UInt64
    }

    private var verdicts: [ProbePoint: Verdict] = [:]
    private var uplinks: [String: (connectivity: Connectivity, sequence: UInt64)] = [:]

    mutating func note(_ change: ProbeChange, sequence: UInt64) {
        let word = change.to.verdict
        guard word == "up" || word == "down" else {
            verdicts[change.point] = nil
            return
        }
        guard verdicts.count < Self.maximumCount || verdicts[change.point] != nil else { return }
        verdicts[change.point] = Verdict(isUp: word == "up", code: change.to.code ?? word, sequence: sequence)
    }

    mutating func note(_ uplink: Uplink, sequence: UInt64) {
        guard uplinks.count < Self.maximumCount || uplinks[uplink.interface] != nil else { return }
        uplinks[uplink.interface] = (uplink.connectivity, sequence)
    }

    mutating func forget() { self = Observations() }

    /// Puts the silence of everything beyond a path down to the first hop or to the network behind it.
    ///
    /// - Parameters:
    ///   - interface: The egress interface; points bound to it count, and for the default path those that are bound to
    ///     none.
    ///   - uplink: The interface on the link to the first hop: for a tunnel that of its underlay.
    func silence(over interface: String?, uplink: String?, isDefault: Bool, code: String) -> Attribution {
        func isOver(_ point: ProbePoint) -> Bool {
            point.interface == nil ? isDefault : point.interface == interface
        }
        let over = sorted { isOver($0) }
        var attribution = Attribution(segment: .undetermined, code: code, interface: interface, evidence: [])
        let down = over.filter { !$0.isUp && !$0.point.isFirstHop }
        let targets = Set(down.map(\.point.probe))
        let elsewhere = sorted { point in
            guard let other = point.interface, !point.isFirstHop else { return false }
            return other != interface && other != uplink
        }.filter(\.isUp)
        let otherUplink = uplinks.filter { name, state in
            name != interface && name != uplink && (state.connectivity == .full || state.connectivity == .partial)
        }.min { $0.key < $1.key }

        // A gateway that answers in one family is there for both.
        let firstHops = sorted { $0.isFirstHop && $0.interface == uplink }
        let firstHop = firstHops.first(where: \.isUp) ?? firstHops.first
        if let firstHop { attribution.evidence.append(firstHop.evidence) }
        attribution.evidence += down.prefix(2).map(\.evidence)
        attribution.evidence += elsewhere.prefix(1).map(\.evidence)
        if let otherUplink {
            attribution.evidence.append(
                Evidence(
                    kind: .uplinkUp,
                    code: otherUplink.value.connectivity.rawValue,
                    subject: otherUplink.key,
                    sequence: otherUplink.value.sequence
                )
            )
        }
        guard let firstHop else {
            attribution.missing = [.firstHop]
            return attribution
        }
        guard firstHop.isUp else {
            attribution.segment = .firstHop
            return attribution
        }
        guard targets.count >= 2 || !elsewhere.isEmpty || otherUplink != nil else {
            attribution.missing = [.secondTarget]
            return attribution
        }
        attribution.segment = .provider
        return attribution
    }

    /// A probe at another target that is up over the same path.
    func otherTarget(than point: ProbePoint) -> Evidence? {
        sorted { other in
            other.probe != point.probe && !other.isFirstHop && other.interface == point.interface
                && (other.family == point.family || other.family == nil)
        }.first(where: \.isUp)?.evidence
    }

    private struct Fact {
        var point: ProbePoint
        var isUp: Bool
        var evidence: Evidence
    }

    /// In the order of the events, so that the same journal gives the same evidence.
    private func sorted(_ isWanted: (ProbePoint) -> Bool) -> [Fact] {
        verdicts.filter { isWanted($0.key) }.sorted { $0.value.sequence < $1.value.sequence }.map { point, verdict in
            let subject = [point.probe, point.interface, point.family].compactMap(\.self).joined(separator: " ")
            let evidence = Evidence(
                kind: verdict.isUp ? .probeUp : .probeDown,
                code: verdict.code,
                subject: subject,
                sequence: verdict.sequence
            )
            return Fact(point: point, isUp: verdict.isUp, evidence: evidence)
        }
    }
}
