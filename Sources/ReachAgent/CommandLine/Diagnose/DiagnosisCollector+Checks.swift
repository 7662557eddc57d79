internal import Configuration
internal import LinuxSupport
internal import NetlinkMonitor
internal import Probes

internal import enum AgentEvents.ShellWord

// The lookups and the checks, which wait for others: all of them at the same time, and ended before the deadline.

extension DiagnosisCollector {
    /// The maximum number of hosts that are looked up.
    private static let maximumHosts = 4
    /// The timeout of a lookup.
    private static let lookupTimeout: Duration = .seconds(3)
    /// The minimum time for a lookup or a check: with less it might fail although everything works.
    private static let minimumTime: Duration = .milliseconds(500)

    /// The names of the hosts that the configured probes connect to, each once, at most four.
    static func hosts(of settings: Settings) -> [String] {
        var seen: Set<String> = []
        let names = settings.probes.compactMap { definition -> String? in
            let host = definition.probe.connectTo?.host ?? definition.probe.target.host
            guard case .name(let name) = host, seen.insert(name).inserted else { return nil }
            return name
        }
        return Array(names.prefix(maximumHosts))
    }

    /// The name of a requested check; a URL as typed may contain a secret, also without its scheme.
    static func name(of target: String, in settings: Settings) -> String {
        if CheckTarget.isConfigured(target, in: settings) { return target }
        if case .target(let check)? = try? CheckTarget(target, settings) { return check.shown }
        // Before an at sign there may be a password.
        return target.utf8.contains(UInt8(ascii: "@")) ? "a target" : target
    }

    /// The remark on a requested check: it is not made, or not over all interfaces; nil for none.
    static func remark(on check: CheckTarget) -> String? {
        guard case .probe(let definition) = check else { return nil }
        guard definition.probe.transfer != nil else { return definition.pathRemark }
        let name = definition.name
        return "'\(name)' is not checked: it is a transfer, which 'reachagent measure \(ShellWord.quoted(name))' makes"
    }

    /// Looks the hosts up and makes the checks, all at the same time, and returns when they have ended.
    ///
    /// None takes longer than until `end`. With too little time before it none is started, and the evidence has no result.
    ///
    /// - Parameters:
    ///   - hosts: The names of the lookups in the evidence, in their order.
    ///   - probes: The checks in the evidence, in their order.
    func ask(
        _ hosts: [String],
        _ probes: [Probe],
        into evidence: Monitor<DiagnosisEvidence>,
        until end: ContinuousClock.Instant
    ) {
        let left = ContinuousClock.now.duration(to: end)
        guard left >= Self.minimumTime else { return }
        // Enough for both families of every name: a name server that is silent for some delays no other.
        let resolver = SystemResolver(maximumLookups: 2 * max(1, hosts.count + probes.count))
        for (index, host) in hosts.enumerated() {
            Self.onThread {
                let start = ContinuousClock.now
                let timeout = min(Self.lookupTimeout, left)
                let result = HostNameLookup.addresses(of: host, timeout: timeout, resolver: resolver)
                let duration = ContinuousClock.now - start
                evidence.withLock { $0.lookups[index].answer = (result, duration) }
                evidence.wakeAll()
            }
        }
        let prober = Prober(resolver: resolver)
        defer { prober.shutDownAndWait() }
        for (index, check) in probes.enumerated() {
            let report: @Sendable (Probes.CheckReport) -> Void = { report in
                evidence.withLock { $0.checks[index].report = report }
                evidence.wakeAll()
            }
            if let refusal = Self.refusal(of: check, evidence.withLock { $0.kernel }) {
                report(refusal)
            } else {
                var probe = check
                probe.timeout = min(probe.timeout, left)
                prober.start(probe, completion: report)
            }
        }
        evidence.wait { $0.hasAllAnswers ? .done(()) : .sleep(nil) }
    }

    /// Calls a body that blocks on a thread of its own; without a thread it is called here.
    private static func onThread(_ body: @escaping @Sendable () -> Void) {
        do throws(SystemError) { try NamedThread.start("diagnose-lookup", body) } catch { body() }
    }

    /// The report of a check that was not made because it may not use a cellular interface; nil if it may be made.
    ///
    /// Without the kernel's view the path may be a cellular one.
    private static func refusal(
        of probe: Probe,
        _ kernel: Result<NetlinkMonitor.NetworkSnapshot, NetlinkError>?
    ) -> Probes.CheckReport? {
        guard !probe.request.allowsCellularAccess else { return nil }
        let reason: Probes.Finding? =
            if case .success(let snapshot)? = kernel {
                CellularGuard.finding(for: probe, in: snapshot)
            } else {
                Probes.Finding(
                    .cellularNotAllowed,
                    subject: probe.target.shown,
                    evidence: "the kernel's view could not be read, and the path may be a cellular one"
                )
            }
        return reason.map { Probes.CheckReport(refusing: probe, because: $0) }
    }
}
