internal import AgentEvents
internal import Configuration
internal import FoundationEssentials
internal import Glibc
internal import LinuxSupport
internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import StateClient

/// Collects the evidence for a diagnosis on a thread of its own, until a deadline.
///
/// A disk, a resolver or an agent that hangs leaves the evidence incomplete, but never delays the result beyond the
/// deadline.
struct DiagnosisCollector: Sendable {
    /// The maximum part of the timeout that is kept for the last look at the kernel and for the result.
    private static let maximumReserve: Duration = .milliseconds(300)

    /// The control socket to query; `nil` for the usual one.
    let socket: String?
    /// The configuration file to use; `nil` for that of the running agent.
    let configuration: String?
    /// The targets and names of probes to check.
    let targets: [String]
    /// The timeout of the whole collection.
    let timeout: Duration

    /// Returns the evidence, complete or as collected by the deadline.
    func run() throws(SystemError) -> DiagnosisEvidence {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let evidence = Monitor(
            DiagnosisEvidence(checks: targets.map { .init(name: Self.name(of: $0, in: Settings())) })
        )
        try NamedThread.start("diagnose") { [self] in
            collect(into: evidence, until: deadline)
            evidence.withLock { $0.isComplete = true }
            evidence.wakeAll()
        }
        return evidence.wait { evidence in
            let rest = ContinuousClock.now.duration(to: deadline)
            guard evidence.isComplete || rest <= .zero else { return .sleep(rest) }
            evidence.time = .now
            return .done(evidence)
        }
    }

    /// Collects cheap local evidence first, and evidence that waits for others last.
    private func collect(into evidence: Monitor<DiagnosisEvidence>, until deadline: ContinuousClock.Instant) {
        let end = deadline.advanced(by: .zero - min(Self.maximumReserve, timeout / 4))
        let clock = Self.clock()
        evidence.withLock { $0.clock = clock }
        let resolver = ResolverConfiguration.read()
        let service = AgentService.installed()
        let versions = Self.versions()
        evidence.withLock { evidence in
            (evidence.resolver, evidence.service, evidence.versions) = (resolver, service, versions)
        }
        // A disk has used up the time: the agent could not answer in the rest.
        guard ContinuousClock.now < end else { return }
        let agent = status(within: min(.seconds(3), ContinuousClock.now.duration(to: end)))
        let recorder: Int32? = if case .failure(.noAgent) = agent { AgentQuestion.recordingAgent() } else { nil }
        evidence.withLock { ($0.agent, $0.recorder) = (agent, recorder) }
        let settings = settings(of: try? agent.get(), into: evidence)
        let hosts = Self.hosts(of: settings)
        var probes: [Probe] = []
        do {
            let requests = try targets.map { (name: $0, target: try CheckTarget($0, settings)) }
            let checks = requests.map { (name: $0.name, probe: $0.target.probe) }.filter { $0.probe.transfer == nil }
            probes = checks.map(\.probe)
            evidence.withLock { evidence in
                evidence.remarks = requests.compactMap { Self.remark(on: $0.target) }
                evidence.checks = checks.map { .init(name: Self.name(of: $0.name, in: settings)) }
                evidence.lookups = hosts.map { .init(name: $0) }
            }
        } catch {
            return evidence.withLock { $0.unknownTarget = "\(error)" }
        }
        let hops = readKernel(settings, resolver, probes.compactMap(\.address), into: evidence)
        ask(hosts, probes, into: evidence, until: end)
        // Only a packet makes the kernel ask for a router's address: before the lookups a dead one may have had no entry.
        readNeighbours(at: hops, into: evidence)
    }

    /// The settings of the named configuration, else of the agent's; the defaults if it cannot be used, with the kinds of
    /// interface that the agent has determined by those of before.
    private func settings(of agent: AgentStatus?, into evidence: Monitor<DiagnosisEvidence>) -> Settings {
        let own = AgentFiles.own()
        let files =
            configuration.map { AgentFiles(configuration: $0) }
            ?? agent.map { own.used(by: RunningAgent(status: $0)) } ?? own
        var settings = Settings()
        let read: DiagnosisEvidence.Configuration
        do throws(ConfigurationErrors) {
            let loaded = try files.load()
            settings = loaded.settings
            read = loaded.files.isEmpty ? .none : .read(files: loaded.files, probes: settings.probes.count)
        } catch {
            read = DiagnosisEvidence.Configuration(error, besides: agent)
            settings.kindOverrides = agent.map(KindOverride.published) ?? []
        }
        evidence.withLock { evidence in
            evidence.configuration = read
            evidence.targets = settings.targets.map { ($0.name, $0.address) }
        }
        return settings
    }

    private func status(within timeout: Duration) -> Result<AgentStatus, StateClientError> {
        do throws(StateClientError) {
            let reply = try AgentQuestion.answer(to: "status", socket: socket, patience: timeout)
            return .success(try StateClient.decode(AgentStatus.self, from: reply, to: "status"))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the kernel's view, also of the path to each given address, and returns the next hops of the paths and default
    /// routes.
    private func readKernel(
        _ settings: Settings,
        _ resolver: ResolverConfiguration,
        _ addresses: [IPAddress],
        into evidence: Monitor<DiagnosisEvidence>
    ) -> Set<NextHop> {
        let watched = settings.targets.map(\.address) + resolver.addresses + addresses
        let kernel = Result { () throws(NetlinkError) in
            try NetworkMonitor.snapshot(
                WatchOptions.monitorConfiguration(
                    targets: watched,
                    kindOverrides: settings.kindOverrides,
                    internetAddresses: settings.internetAddresses
                )
            )
        }
        evidence.withLock { $0.kernel = kernel }
        guard case .success(let snapshot) = kernel else { return [] }
        let state = evidence.withLock { $0.state(in: snapshot) }
        let used = [state?.ipv4, state?.ipv6].compactMap(\.self)
            .map { NextHop(interfaceIndex: $0.interface?.index, gateway: $0.gateway) }
        // Without their weights, so that a hop of a route is the same as that of a path.
        let others = snapshot.defaultRoutes.flatMap(\.nextHops).map {
            NextHop(interfaceIndex: $0.interfaceIndex, gateway: $0.gateway)
        }
        let hops = Set(used + others)
        readNeighbours(at: hops, into: evidence)
        return hops
    }

    private func readNeighbours(at hops: Set<NextHop>, into evidence: Monitor<DiagnosisEvidence>) {
        guard let neighbours = try? NetworkMonitor.neighbourStates(of: hops) else { return }
        evidence.withLock { $0.neighbours = neighbours }
    }
}

// MARK: - The machine

extension DiagnosisCollector {
    private static func clock() -> DiagnosisEvidence.Clock {
        var program = stat()
        let hasProgram = stat("/proc/self/exe", &program) == 0
        return DiagnosisEvidence.Clock(
            isSynchronized: ClockTrust.isSynchronized,
            // A day for files of another time zone.
            isBehindProgram: hasProgram && time(nil) < program.st_mtim.tv_sec - 86_400
        )
    }

    private static func versions() -> [Diagnosis.Fact] {
        var facts = [Diagnosis.Fact("reachagent", Agent.version)]
        if let release = text("/proc/sys/kernel/osrelease") { facts.append(Diagnosis.Fact("kernel", release)) }
        let name = text("/etc/os-release")?.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        if let name { facts.append(Diagnosis.Fact("system", name.dropFirst(12).filter { $0 != "\"" })) }
        return facts
    }

    /// The text of a small file, without the end of its last line.
    private static func text(_ path: String) -> String? {
        guard let bytes = try? RegularFile.bytes(of: path, max: 16 << 10) else { return nil }
        return String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
}
