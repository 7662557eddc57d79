internal import ArgumentParser
internal import Configuration
internal import Dispatch
internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import Synchronization

internal import struct AgentEvents.Event
internal import struct AgentEvents.EventDraft
internal import struct AgentEvents.Timestamp

/// `run --once`: one snapshot of the kernel, one check of every probe, and the resulting state.
struct RunOnce {
    let settings: Settings
    let monitor: MonitorConfiguration
    let format: OutputFormat
    /// `true` if no configuration file is to be read (`--no-config`).
    let readsNoConfiguration: Bool

    /// Prints the state.
    ///
    /// - Throws: `ExitCode` with 1 when the machine is not reachable, or its probes say that something is missing.
    func run() throws {
        let snapshot = try Unavailable.orExit { () throws(NetlinkError) in try NetworkMonitor.snapshot(monitor) }
        // Transfers require full connectivity, and have no effect on it.
        var settings = settings
        settings.probes.removeAll { $0.probe.transfer != nil }
        let plan = ConnectivityPlan(settings)
        var machine = ReachabilityMachine(configuration(plan))
        let observed = ObservedTime.now
        _ = machine.handle(NetworkUpdate(snapshot: snapshot, changes: [], observed: observed))
        let points = machine.points
        let costs = plan.costs(of: Set(points.map(\.vantage)), in: snapshot)
        let lookups = plan.costsOfLookups(points, in: snapshot)
        let schedule = plan.schedule(points, costs: costs, lookups: lookups, nextHops: machine.nextHops)
        let judged = try checks(schedule).map { (check: $0, evidence: plan.evidence(in: $0)) }
        // All checks are made at the same time: those that look for portals decide about the others, not about later
        // ones, and the answers over the uplinks and of a next hop are not from before a silence over the default path.
        let nextHops = judged.filter { $0.check.point.probe == ProbeRule.firstHopName }
        let others = judged.filter { $0.check.point.probe != ProbeRule.firstHopName }
        let portalsLast = others.filter { $0.evidence == nil } + others.filter { $0.evidence != nil }
        let byDefault = portalsLast.filter { $0.check.point.vantage.interface == nil }
        let bound = portalsLast.filter { $0.check.point.vantage.interface != nil }
        let ordered = byDefault + bound + nextHops
        for (check, evidence) in ordered {
            let time = evidence == nil ? observed : ObservedTime.now
            let sample = ProbeSample(point: check.point, report: check.report, portal: evidence, observed: time)
            _ = machine.handle(sample)
        }
        show(snapshot, machine, observed)
        let isFine = machine.state.connectivity == .full || machine.state.connectivity == .unknown
        guard machine.state.via.isReachable, isFine else { throw ExitCode(ExitStatus.finding) }
    }

    /// Returns a configuration in which nothing settles and the first failure counts, because there is no second check.
    private func configuration(_ plan: ConnectivityPlan) -> MachineConfiguration {
        var configuration = plan.machineConfiguration
        configuration.settle = .none
        configuration.probes = configuration.probes.map { rule in
            var rule = rule
            rule.fall = 1
            return rule
        }
        return configuration
    }

    /// Makes every check once, and waits for all of them; each ends with its own timeout at the latest.
    ///
    /// - Throws: `ExitCode` when the system has no thread for them, as the runner has logged.
    private func checks(_ probes: [ScheduledProbe]) throws(ExitCode) -> [CompletedCheck] {
        guard !probes.isEmpty else { return [] }
        let completed = Mutex<[ProbePoint: CompletedCheck]>([:])
        let isDone = DispatchSemaphore(value: 0)
        let runner = ProbeRunner(limits: settings.limits, usageStore: nil) { check in
            let isLast = completed.withLock { completed in
                guard completed[check.point] == nil else { return false }
                completed[check.point] = check
                return completed.count == probes.count
            }
            if isLast { isDone.signal() }
            return .steady
        }
        defer { runner.stop() }
        guard runner.setProbes(probes) else { throw ExitCode(ExitStatus.tryAgain) }
        isDone.wait()
        return completed.withLock { completed in completed.values.sorted { $0.point < $1.point } }
    }

    private func show(_ snapshot: NetworkSnapshot, _ machine: ReachabilityMachine, _ observed: ObservedTime) {
        let draft = EventDraft.networkSnapshot(
            snapshot,
            state: machine.state,
            targets: machine.targetPaths,
            probes: machine.probes,
            uplinks: machine.uplinks
        )
        switch format {
        case .json: Terminal.print(Event(draft, from: .current(), at: Timestamp(observed), number: 1).line)
        case .human:
            let lines = StateText.lines(
                machine,
                readsNoConfiguration: readsNoConfiguration,
                style: .standardOutput()
            )
            Terminal.print(lines.joined(separator: "\n"))
        case .none: break
        }
    }
}
