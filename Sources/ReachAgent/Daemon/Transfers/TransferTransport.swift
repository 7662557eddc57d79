internal import Probes
internal import Synchronization

/// The surroundings of an agent's transfers.
struct TransferSurroundings: Sendable {
    /// The directory of the lock that excludes other transfers of this machine; nil for none.
    var lockDirectory: String?
    /// The group of the lock's file, by name or number.
    var group: String?
    /// Returns the interface over which checks from a vantage leave.
    var egress: @Sendable (Vantage) -> String? = { $0.interface }
    /// Returns the present cost of a point's transfers; nil without a path.
    var cost: @Sendable (ProbePoint) -> LinkCost? = { _ in nil }
}

/// Runs checks, and transfers apart from them: on an event loop of their own, under the machine's lock, and watched.
///
/// A transfer that fills a fast link keeps its event loop busy, on which no other check may wait. The loop's thread is
/// started for the first transfer, and sleeps between transfers.
final class TransferTransport: CheckTransport {
    /// The transfer under way.
    private struct Running {
        let vantage: Vantage
        let watch: TrafficWatch?
    }

    private struct State {
        var prober: Prober?
        var running: Running?
        var isStopped = false
    }

    private let checks: Prober
    private let surroundings: TransferSurroundings
    private let state = Mutex(State())

    init(_ checks: Prober, _ surroundings: TransferSurroundings) {
        self.checks = checks
        self.surroundings = surroundings
    }

    func start(_ probe: Probe, completion: @escaping @Sendable (CheckReport) -> Void) -> @Sendable () -> Void {
        guard let plan = probe.transfer else { return checks.start(probe, completion: completion) }
        guard let directory = surroundings.lockDirectory else { return begin(probe, plan, nil, completion) }
        switch TransferLock.take(in: directory, group: surroundings.group) {
        case .taken(let lock): return begin(probe, plan, lock, completion)
        // Without the directory there is no other transfer; without permission none can be detected.
        case .unavailable: return begin(probe, plan, nil, completion)
        case .busy(let holder):
            completion(Self.refusal(of: probe, holder: holder))
            return {}
        }
    }

    /// Ends the transfer in progress if its path has changed, or resumes it over the next path.
    ///
    /// - Parameter vantages: The vantages whose path has changed, each with only the families whose path has.
    func pathChanged(of vantages: Set<Vantage>) {
        let (running, prober) = state.withLock { ($0.running, $0.prober) }
        guard let running, let prober, let families = running.vantage.changedFamilies(among: vantages) else { return }
        prober.pathChanged(families: families)
        running.watch?.follow(surroundings.egress(running.vantage))
    }

    /// Keeps later checks and transfers from sharing lookups with running ones.
    func renewLookups() {
        checks.renewLookups()
        state.withLock { $0.prober }?.renewLookups()
    }

    /// Calls a closure once all event loops have been free.
    func whenFree(_ body: @escaping @Sendable () -> Void) {
        let prober = state.withLock { $0.prober }
        checks.whenFree { if let prober { prober.whenFree(body) } else { body() } }
    }

    /// Cancels everything and ends the threads; blocks until that is done.
    func shutDownAndWait() {
        let prober = state.withLock { state in
            state.isStopped = true
            return state.prober
        }
        prober?.shutDownAndWait()
        checks.shutDownAndWait()
    }

    private func begin(
        _ probe: Probe,
        _ plan: TransferPlan,
        _ lock: TransferLock?,
        _ completion: @escaping @Sendable (CheckReport) -> Void
    ) -> @Sendable () -> Void {
        let prober = state.withLock { state in
            // A prober that was shut down cancels what it starts.
            let prober = state.prober ?? (state.isStopped ? checks : Prober())
            state.prober = prober
            return prober
        }
        let vantage = Vantage(interface: probe.interface, families: probe.families)
        let watch = watch(vantage, plan, prober)
        var probe = probe
        let publish = plan.progress
        probe.transfer?.progress = { progress in
            watch?.note(progress)
            publish?(progress)
        }
        state.withLock { $0.running = Running(vantage: vantage, watch: watch) }
        watch?.start()
        return prober.start(probe) { [weak self] report in
            watch?.end()
            self?.state.withLock { $0.running = nil }
            // Before the completion, which may start the next transfer.
            lock?.release()
            completion(report)
        }
    }

    private func watch(_ vantage: Vantage, _ plan: TransferPlan, _ prober: Prober) -> TrafficWatch? {
        guard plan.yieldShare < 1 else { return nil }
        return TrafficWatch(of: surroundings.egress(vantage), tolerated: plan.yieldShare) {
            [weak self] watch, evidence in
            // A watch that notices the traffic at its transfer's last moment must not end the next one.
            self?.state.withLock { if $0.running?.watch === watch { prober.yieldTransfers(evidence: evidence) } }
        }
    }

    private static func refusal(of probe: Probe, holder: Int32?) -> CheckReport {
        let process = holder.map { " (process \($0))" } ?? ""
        let evidence = "another transfer of this machine is under way\(process)"
        let finding = Finding(.transferBusy, subject: probe.target.shown, evidence: evidence)
        return CheckReport(refusing: probe, because: finding)
    }
}

extension Vantage {
    /// Returns the families that checks from here may use and whose path has changed; nil if there is none.
    ///
    /// - Parameter vantages: The vantages whose path has changed, each with only the families whose path has.
    fileprivate func changedFamilies(among vantages: Set<Vantage>) -> AddressFamilies? {
        let changed = vantages.filter { $0.interface == interface }.map(\.families)
        let ipv4 = families.includesIPv4 && changed.contains(where: \.includesIPv4)
        let ipv6 = families.includesIPv6 && changed.contains(where: \.includesIPv6)
        return switch (ipv4, ipv6) {
        case (true, true): .any
        case (true, false): .ipv4
        case (false, true): .ipv6
        case (false, false): nil
        }
    }
}
