public import CheckResults
public import NetlinkMonitor

extension ReachabilityMachine {
    /// The probes to run and their vantages, in the current snapshot; in order.
    public var points: [ProbePoint] { probeTracks.table.points }
    /// The gateway of each point of the check of next hops (``ProbeRule/firstHopName``).
    public var nextHops: [ProbePoint: IPAddress] { probeTracks.nextHops }
    /// The status of each probe, in the order of ``points``.
    public var probes: [ProbeRecord] { probeTracks.records }
    /// The status of each probe, in order, also of removed points whose verdicts stand because their end is not
    /// published yet.
    public var publishedProbes: [ProbeRecord] {
        let departed = probeTracks.departedRecords
        return departed.isEmpty ? probes : (probes + departed).sorted { $0.point < $1.point }
    }
    /// The uplinks as last published, by index.
    public var uplinks: [Uplink] { uplinkStates.settled }
    /// The current interfaces with a default route, by index.
    public var routedUplinks: [Uplink] { probeTracks.uplinks.filter { !$0.isBoundOnly } }

    /// Returns the points whose verdict has become doubtful since the last call, because a path changed, the default one
    /// fell silent, or the machine was suspended: they must be rechecked at once.
    public mutating func takeRechecks() -> [ProbePoint] { probeTracks.takeRechecks() }

    /// Returns the families whose path has changed since the last call, of the points that had one before.
    public mutating func takeChangedFamilies() -> [ProbePoint: AddressFamilies] { probeTracks.takeChangedFamilies() }

    /// Returns the next hops beyond which nothing answers since the last call: they must be checked at once, or their
    /// checks under way completed, because earlier ones are no evidence about the present.
    public mutating func takeDoubtedNextHops() -> Set<ProbePoint> { probeTracks.takeDoubtedNextHops() }

    /// Returns whether a failed lookup says nothing about its target, because the same check in the other family finds
    /// an address, or might find one over a path that the machine does not have; the answer holds until the next input.
    public func excuses(_ sample: ProbeSample) -> Bool { probeTracks.excuses(sample) }

    /// Handles a completed check; a check of a point that is no longer among ``points`` counts only as a moment at which
    /// changes may have held long enough.
    ///
    /// - Returns: The transitions in order of publication, and the cadence of the probe.
    public mutating func handle(_ sample: ProbeSample) -> (transitions: [Transition], cadence: Cadence) {
        var transitions = publishOverdue(at: sample.observed.instant)
        guard let judgement = probeTracks.take(sample) else { return (transitions, .steady) }
        latest = sample.observed
        func publish(_ step: ProbeTrack.Step?, _ cause: ChangeCause) {
            guard let step else { return }
            let change = Change(from: step.from, to: step.to, cause: cause, observed: sample.observed)
            transitions.append(.probe(sample.point, change))
        }
        var cause = ChangeCause(sample, state: judgement.state)
        publish(judgement.outcome.verdict, cause)
        publish(
            judgement.outcome.flapping,
            .flapping(judgement.state.isFlapping, interface: sample.point.vantage.interface)
        )
        for consequence in judgement.consequences {
            let (from, to) = (consequence.step.from, consequence.step.to)
            let change = Change(from: from, to: to, cause: consequence.cause, observed: sample.observed)
            transitions.append(.probe(consequence.point, change))
            // The state degrades because of the failing probes, not because of the check that found no portal.
            if to.code != .behindPortal { cause = consequence.cause }
        }
        transitions += expiry.take(sample, judgement.expiry).map(Transition.certificate)
        if judgement.isAnswered, let uplink = sample.point.vantage.interface,
            let change = reachability.prove(uplink, cause: cause, observed: sample.observed)
        {
            transitions.append(.reachability(change))
        }
        guard judgement.isChanged else { return (transitions, judgement.cadence) }
        // Also for a check over the default path, whose portal is that of the uplinks that it uses.
        let uplinks = uplinkStates.observe(probeTracks.uplinks, observed: sample.observed) { _ in cause }
        transitions += follow(uplinks)
        if sample.point.vantage.interface == nil {
            let (ipv4, ipv6) = (reachability.raw.ipv4, reachability.raw.ipv6)
            transitions += observe(ipv4: ipv4, ipv6: ipv6, cause: cause, observed: sample.observed)
        }
        transitions += Self.published(uplinks)
        transitions += doubtNewSilences(sample.observed) { _ in cause }
        return (transitions, judgement.cadence)
    }

    /// Returns the ends of the verdicts on next hops beyond which nothing answers any more, in whatever way the latest
    /// input began the silence: by a failure, or by the loss of a path or a probe that still worked.
    ///
    /// One over the default path makes the verdicts over the other uplinks doubtful too: they may be silent with it.
    ///
    /// - Parameter cause: Returns the cause of a silence over an uplink, or over the default path, which is `nil`.
    mutating func doubtNewSilences(_ observed: Observed, cause: (PathInterface?) -> ChangeCause) -> [Transition] {
        let (known, silent) = (silentVantages, silences)
        silentVantages = Set(silent.map { $0?.name })
        return silent.filter { !known.contains($0?.name) }.flatMap { uplink in
            if uplink == nil {
                probeTracks.doubtUplinks(besides: reachability.raw.path.interface, at: observed.instant)
            }
            return doubtNextHops(of: uplink?.name, cause(uplink), observed)
        }
    }

    /// Returns the ends of the verdicts on next hops that are from before a silence over an uplink, or over the default
    /// path.
    private mutating func doubtNextHops(
        of interface: String?,
        _ cause: ChangeCause,
        _ observed: Observed
    ) -> [Transition] {
        probeTracks.doubtNextHops(of: interface, observed: observed).map { point, step in
            .probe(point, Change(from: step.from, to: step.to, cause: cause, observed: observed))
        }
    }

    /// Returns the ends of the verdicts on next hops beyond which nothing answers, after a suspend.
    mutating func doubtSilences(_ observed: Observed) -> [Transition] {
        silences.flatMap { uplink in
            let interface = uplink?.name
            let cause = ChangeCause(kind: .suspend, code: ChangeCause.Code.suspended.rawValue, interface: interface)
            return doubtNextHops(of: interface, cause, observed)
        }
    }

    /// The uplinks over which nothing answers, by index, after `nil` if it is so over the default path.
    private var silences: [PathInterface?] {
        let vantages: [PathInterface?] = [nil] + probeTracks.vantages.uplinks.map(\.interface)
        return vantages.filter { observedConnectivity(over: $0?.name) == .local }
    }

    /// Returns the last observed connectivity over an uplink, or over the default path.
    private func observedConnectivity(over interface: String?) -> Connectivity? {
        guard let interface else { return reachability.raw.connectivity }
        return uplinkStates.observedConnectivity(of: interface)
    }
}

extension ChangeCause {
    /// Creates the cause of a change by a probe.
    init(_ sample: ProbeSample, state: ProbeState) {
        let code = state.code?.rawValue ?? Code(state.verdict).rawValue
        let particulars: String? =
            switch state.code {
            case .latencyHigh: "\(code), \(Self.milliseconds(sample.latency))"
            case .throughputLow: sample.throughput.map { "\(code), \(Self.rate($0))" }
            case .addedLatencyHigh: sample.addedLatency.map { "\(code), \(Self.milliseconds($0))" }
            case sample.code: sample.detail.map { "\(code), \($0)" }
            default: nil
            }
        self.init(
            kind: .probe,
            code: code,
            interface: sample.point.vantage.interface,
            detail: "probe '\(sample.point)': \(particulars ?? state.code?.rawValue ?? state.verdict.rawValue)"
        )
    }

    private static func milliseconds(_ duration: Duration) -> String {
        "\(Int(exactly: (duration / .milliseconds(1)).rounded()) ?? 0) ms"
    }

    /// `820 kbit/s`, `94 Mbit/s`.
    private static func rate(_ bitsPerSecond: Double) -> String {
        let (unit, size) = bitsPerSecond < 10_000_000 ? ("kbit/s", 1e3) : ("Mbit/s", 1e6)
        return "\(Int(exactly: (bitsPerSecond / size).rounded()) ?? 0) \(unit)"
    }

    /// Returns the cause of flapping that started or stopped.
    static func flapping(_ isFlapping: Bool, interface: String?) -> ChangeCause {
        let code: Code = isFlapping ? .flappingStarted : .flappingStopped
        return ChangeCause(kind: .flapping, code: code.rawValue, interface: interface)
    }
}
