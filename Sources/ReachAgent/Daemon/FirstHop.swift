internal import Configuration
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// The built-in check of the next hop of each uplink: an ICMP echo, and the kernel's neighbour entry where it fails.
///
/// It needs no timer while all is well: the checks of the probes over the same uplink trigger it.
enum FirstHop {
    /// The timeout of an echo: for an entry that was not used for long, the kernel takes 5 s until it probes the
    /// neighbour, and 3 s more until the entry has failed.
    private static let timeout: Duration = .seconds(9)
    /// The minimum time between two triggered checks while they succeed.
    private static let interval: Duration = .seconds(60)
    /// The minimum time between two triggered checks while the triggering ones fail.
    private static let hurriedInterval: Duration = .seconds(10)
    /// The same while neighbour discovery may have failed: where this process is not allowed to send echo requests, only
    /// the neighbour entry shows it, and only until the next packet restarts neighbour discovery.
    private static let momentaryInterval: Duration = .seconds(1)

    /// The rule and the pace; the target depends on the point.
    static var definition: ProbeDefinition? {
        guard let any = try? ProbeTarget(parsing: "icmp://127.0.0.1") else { return nil }
        let name = ProbeRule.firstHopName
        return ProbeDefinition(
            name: name,
            probe: Probe(target: any, trust: TrustEvaluator(anchors: .system), timeout: timeout),
            identity: name,
            pace: ProbePace(interval: .seconds(86_400), fastInterval: hurriedInterval, maximumBackoff: .seconds(30)),
            rule: ProbeRule(name: name, isRequired: false, usesTLS: false, fall: 1, rise: 1)
        )
    }

    /// The check of one next hop; `nil` when the point is bound to no interface.
    ///
    /// - Parameter doubted: Returns the instant before which nothing is evidence about a point; `nil` for none.
    static func probe(
        _ definition: ProbeDefinition,
        at point: ProbePoint,
        of address: IPAddress,
        doubted: @escaping @Sendable (ProbePoint) -> ContinuousClock.Instant?
    ) -> ScheduledProbe? {
        guard let interface = point.vantage.interface else { return nil }
        var probe = definition.probe
        probe.target = .icmp(host: .address(address.networkBytes))
        probe.interface = interface
        probe.review = { review($0, NextHopState.ask(of: address, on: interface), doubted: doubted(point)) }
        return ScheduledProbe(
            point: point,
            probe: probe,
            identity: "\(definition.identity) \(address)",
            pace: definition.pace
        )
    }

    /// Returns the report on a next hop that did not answer the echo, as many do not: failed only if neighbour
    /// discovery failed.
    ///
    /// - Parameter doubted: The instant before which a confirmation of the neighbour is no evidence; `nil` for none.
    static func review(
        _ report: CheckReport,
        _ state: NextHopState,
        doubted: ContinuousClock.Instant? = nil
    ) -> CheckReport {
        var report = report
        let code = report.verdict.code ?? .timeout
        switch state {
        case .reachable(let confirmed) where doubted.map { doubted in confirmed.map { $0 >= doubted } ?? false } ?? true:
            report.verdict = .ok
        case .failed:
            if !report.findings.contains(where: { $0.code == .hostUnreachable }) {
                let evidence = "neighbour discovery failed"
                report.findings.insert(Finding(.hostUnreachable, subject: report.target, evidence: evidence), at: 0)
            }
            report.verdict = .failed(.hostUnreachable, .echo)
        // Neighbour discovery failed, and another packet has restarted it.
        case .unclear where code == .hostUnreachable: report.verdict = .failed(code, .echo)
        case .reachable, .unclear: report.verdict = .unknown(code, .echo)
        }
        return report
    }

    /// The points to check along with another check.
    ///
    /// - Parameter requested: The time at which each was last requested.
    static func due(
        _ points: [ProbePoint],
        with check: CompletedCheck,
        costs: [Vantage: LinkCost],
        requested: inout [ProbePoint: ContinuousClock.Instant],
        at now: ContinuousClock.Instant
    ) -> [ProbePoint] {
        guard check.point.probe != ProbeRule.firstHopName else { return [] }
        let interface = check.point.vantage.interface
        return points.filter { point in
            guard interface == nil || interface == point.vantage.interface else { return false }
            let factor = costs[point.vantage]?.intervalFactor ?? 1
            let pause =
                switch check.report.verdict.code {
                case nil: interval * factor
                case .hostUnreachable: momentaryInterval
                default: hurriedInterval
                }
            guard requested[point].map({ $0.duration(to: now) >= pause }) ?? true else { return false }
            requested[point] = now
            return true
        }
    }
}
