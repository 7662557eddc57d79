public import Probes

extension ReachabilityMachine {
    /// Which probes are to be made, and from where, in the present view; in order.
    public var points: [ProbePoint] { board.points }
    /// How each probe fares, in the order of ``points``.
    public var probes: [ProbeRecord] { board.records }
    /// The interfaces with a default route as they were last published, by index.
    public var uplinks: [Uplink] { uplinkStates.settled }
    /// The interfaces with a default route as they are at the moment, by index.
    public var observedUplinks: [Uplink] { board.uplinks }

    /// The points whose verdict has become doubtful by itself, because a path changed or the machine was suspended, since
    /// this was asked the last time: they are to be made at once.
    public mutating func takeFreshLooks() -> [ProbePoint] { board.takeFreshLooks() }

    /// Takes a completed check; one of a point that is not among ``points`` any more changes nothing.
    ///
    /// - Returns: The transitions, in the order in which they are to be published, and how soon the probe is due again.
    public mutating func handle(_ sample: ProbeSample) -> (transitions: [Transition], cadence: Cadence) {
        guard let judgement = board.take(sample) else { return ([], .steady) }
        latest = sample.observed
        var transitions: [Transition] = []
        func publish(_ step: ProbeTrack.Step?, _ cause: ChangeCause) {
            guard let step else { return }
            let change = Change(from: step.from, to: step.to, cause: cause, observed: sample.observed)
            transitions.append(.probe(sample.point, change))
        }
        var cause = ChangeCause(sample, standing: judgement.standing)
        publish(judgement.outcome.verdict, cause)
        publish(
            judgement.outcome.flapping,
            .flapping(judgement.standing.isFlapping, interface: sample.point.vantage.interface)
        )
        for consequence in judgement.consequences {
            let (from, to) = (consequence.step.from, consequence.step.to)
            let change = Change(from: from, to: to, cause: consequence.cause, observed: sample.observed)
            transitions.append(.probe(consequence.point, change))
            // The state becomes worse by those that fail, not by the check that found no portal.
            if to.code != .behindPortal { cause = consequence.cause }
        }
        transitions += expiry.take(sample, judgement.expiry).map(Transition.certificate)
        guard judgement.isChanged else { return (transitions, judgement.cadence) }
        guard sample.point.vantage.interface == nil else {
            let changes = uplinkStates.observe(board.uplinks, observed: sample.observed) { _ in cause }
            return (transitions + changes.map(Transition.uplink), judgement.cadence)
        }
        let (ipv4, ipv6) = (reachability.raw.ipv4, reachability.raw.ipv6)
        transitions += observe(ipv4: ipv4, ipv6: ipv6, cause: cause, observed: sample.observed)
        return (transitions, judgement.cadence)
    }
}

extension ChangeCause {
    /// A probe made the difference.
    init(_ sample: ProbeSample, standing: ProbeStanding) {
        let code = standing.code?.rawValue ?? "probe_\(standing.verdict.rawValue)"
        let particulars: String? =
            if standing.code == .latencyHigh {
                "\(code), \(Int(exactly: (sample.latency / .milliseconds(1)).rounded()) ?? 0) ms"
            } else if standing.code == sample.code {
                sample.detail.map { "\(code), \($0)" }
            } else {
                nil
            }
        self.init(
            kind: .probe,
            code: code,
            interface: sample.point.vantage.interface,
            detail: "probe '\(sample.point)': \(particulars ?? standing.code?.rawValue ?? standing.verdict.rawValue)"
        )
    }

    /// Flapping started or stopped.
    static func flapping(_ isFlapping: Bool, interface: String?) -> ChangeCause {
        ChangeCause(kind: .flapping, code: isFlapping ? "flapping_started" : "flapping_stopped", interface: interface)
    }
}
