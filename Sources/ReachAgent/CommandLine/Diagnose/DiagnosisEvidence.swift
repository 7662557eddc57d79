internal import AgentEvents
internal import Configuration
internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import StateClient

/// Everything that a diagnosis is derived from; `nil` for what was not read within the deadline.
struct DiagnosisEvidence: Sendable {
    /// A name to look up in the system's resolver.
    struct Lookup: Sendable {
        let name: String
        /// The result and the time that it took; `nil` if there was none before the deadline.
        var answer: (result: Result<[IPAddress], HostLookupFailure>, duration: Duration)?

        var failure: HostLookupFailure? {
            guard case .failure(let failure)? = answer?.result else { return nil }
            return failure
        }
    }

    /// A check that was requested from the command itself.
    struct Check: Sendable {
        let name: String
        /// The report; `nil` if the check was not made, or not to its end, before the deadline.
        var report: Probes.CheckReport?
    }

    /// The configuration files that were looked for.
    enum Configuration: Sendable {
        case none
        case read(files: [String], probes: Int)
        case rejected(errors: [String])
        /// The files that this user may not read, which the agent may have read without an error.
        case unreadable(errors: [String])

        /// Creates the result for files with errors, beside an agent's status.
        init(_ errors: ConfigurationErrors, besides agent: AgentStatus?) {
            let lines = errors.errors.map(\.description)
            let isUnreadable = errors.errors.allSatisfy(ConfigurationCheck.isPermissionMissing)
            let isRejected = agent?.configuration?.rejected != nil
            self = isUnreadable && !isRejected ? .unreadable(errors: lines) : .rejected(errors: lines)
        }

        /// The errors in files that cannot be used; empty for others.
        var errors: [String] {
            switch self {
            case .none, .read: []
            case .rejected(let errors), .unreadable(let errors): errors
            }
        }
    }

    /// The evidence that the clock is right.
    struct Clock: Sendable {
        /// True when the kernel or systemd-timesyncd says that a time server keeps the clock right.
        let isSynchronized: Bool
        /// True when the clock is behind the modification time of the program's own file.
        let isBehindProgram: Bool
    }

    /// The time at which the evidence was complete.
    var time = Timestamp.now
    /// The versions of the programs and of the kernel.
    var versions: [Diagnosis.Fact] = []
    /// The clock.
    var clock: Clock?
    /// The configuration of the C library's resolver.
    var resolver: ResolverConfiguration?
    /// The running agent's status, or the reason that there is none.
    var agent: Result<AgentStatus, StateClientError>?
    /// The process ID of an agent that records its events although none answers; `nil` for none.
    var recorder: Int32?
    /// The agent's service.
    var service = AgentService.absent
    /// The configuration.
    var configuration: Configuration?
    /// The error message for a target that is neither a URL nor a configured name; nothing is read after it.
    var unknownTarget: String?
    /// The kernel's view.
    var kernel: Result<NetlinkMonitor.NetworkSnapshot, NetlinkError>?
    /// The configured targets.
    var targets: [(name: String, address: IPAddress)] = []
    /// The neighbour entries of the next hops.
    var neighbours: [NextHop: NeighbourState] = [:]
    /// The names of the configured probes' hosts to look up.
    var lookups: [Lookup] = []
    /// The requested checks.
    var checks: [Check] = []
    /// The requested checks that are not made, or not over all interfaces of their probe; a sentence each.
    var remarks: [String] = []
    /// True when everything was read within the deadline.
    var isComplete = false

    /// True if each lookup and each check has its result.
    var hasAllAnswers: Bool {
        lookups.allSatisfy { $0.answer != nil } && checks.allSatisfy { $0.report != nil }
    }

    /// The running agent's status, if this command cannot use the files that the agent has read: they have errors now, or
    /// this user may not read them.
    var agentOfLostSettings: AgentStatus? {
        guard configuration?.errors.isEmpty == false, case .success(let status)? = agent else { return nil }
        return status
    }

    /// Returns the state of the default paths: by the kernel's answers for the addresses of the configuration, else as the
    /// agent has published it; `nil` if neither is known.
    func state(in snapshot: NetlinkMonitor.NetworkSnapshot) -> Reachability.ReachabilityState? {
        guard let status = agentOfLostSettings else { return Reachability.ReachabilityState(snapshot) }
        return Reachability.ReachabilityState(publishedIn: status, interfaces: snapshot)
    }

    /// True if nothing answers: by the agent's settled state, or by the lookups and the checks of the command.
    ///
    /// A verdict of the agent that something answers is no evidence to the contrary: it may be a minute older.
    var isSilent: Bool {
        if case .success(let status)? = agent, status.reachability.state?.connectivity == .local { return true }
        return Self.areSilent(lookups.filter { $0.answer != nil }.map(\.failure?.code) + checkCodes)
    }

    /// True if no check of the command gets an answer; that of a lookup may be from this machine's cache.
    var hasSilentChecks: Bool { Self.areSilent(checkCodes) }

    private var checkCodes: [FindingCode?] {
        checks.compactMap(\.report).map(\.verdict.code).filter { $0?.isOfCheckNotMade != true }
    }

    private static func areSilent(_ codes: [FindingCode?]) -> Bool {
        let silent: Set<FindingCode> = [.connectTimeout, .hostUnreachable, .dnsTimeout, .dnsFailure]
        return !codes.isEmpty && codes.allSatisfy { $0.map(silent.contains) ?? false }
    }
}

/// The probes' results, sorted into the layers that they concern.
struct ProbeEvidence {
    /// A probe that is not up, or whose last check failed.
    struct Failure {
        /// The probe with its interface and family.
        let name: String
        /// The probe alone, or the URL of a requested check.
        let probe: String
        /// The command that makes the check by hand.
        let command: String
        let code: String
        let detail: String?
        /// True when the failure is the reason for a loss of connectivity, false while others make up for it, and if the
        /// agent's state names another reason.
        let isLoss: Bool
        /// The layer that is at fault.
        let layer: Diagnosis.Layer
        let loginPage: String?
    }

    let failures: [Failure]
    /// The names of the requested checks that were not made to their end before the deadline.
    let unfinished: [String]
    /// The number of probes and checks of targets.
    let count: Int
    /// The number of those that are up.
    let upCount: Int
    /// The certificates, with the probes, interfaces and families of their checks.
    let certificates: [(probe: String, certificate: AgentStatus.ExpiringCertificate)]
    /// True when the agent has probes that were left out of its status.
    let isCut: Bool

    init(_ evidence: DiagnosisEvidence) {
        var failures: [Failure] = []
        var status: AgentStatus?
        if case .success(let reply)? = evidence.agent { status = reply }
        let state = status?.reachability.state
        let isFull = state?.connectivity == .full
        let probes = status?.probes ?? []
        for probe in probes {
            let hasFailed = probe.lastOutcome.map { $0 != "ok" } ?? false
            guard !probe.isExcused, probe.verdict != "up" || hasFailed, let code = probe.code ?? probe.lastCode,
                !Self.transferRefusals.contains(code)
            else { continue }
            failures.append(
                Failure(
                    name: ProbeCountText.name(probe.probe, probe.interface, probe.family),
                    probe: probe.probe,
                    command: AgentEvents.ProbePoint(
                        probe: probe.probe,
                        interface: probe.interface,
                        family: probe.family
                    ).command.text,
                    code: code,
                    detail: probe.detail(of: code),
                    isLoss: probe.verdict != "up" && !isFull && !Self.transferFailures.contains(code)
                        && probe.probe != AgentEvents.ProbePoint.firstHopName
                        && state?.connectivityReason.map { $0 == code } != false,
                    layer: Self.layer(of: code, in: probe.phase(of: code).flatMap(Phase.init)),
                    loginPage: probe.portalURL
                )
            )
        }
        for check in evidence.checks {
            guard let report = check.report, let code = report.verdict.code else { continue }
            failures.append(
                Failure(
                    name: check.name,
                    probe: check.name,
                    command: AgentEvents.ProbePoint(probe: check.name).command.text,
                    code: code.rawValue,
                    detail: report.decidingEvidence,
                    isLoss: !code.isOfCheckNotMade,
                    layer: Self.layer(of: code.rawValue, in: report.verdict.phase),
                    loginPage: nil
                )
            )
        }
        self.failures = failures
        unfinished = evidence.checks.filter { $0.report == nil }.map(\.name)
        // A gateway's answer is no evidence of what is beyond it, nor is a family that a target lacks.
        let targets = probes.filter { $0.probe != AgentEvents.ProbePoint.firstHopName && !$0.isExcused }
        count = targets.count + evidence.checks.count
        let succeeded = evidence.checks.filter { $0.report?.verdict == .ok }
        upCount = targets.filter { $0.verdict == "up" }.count + succeeded.count
        certificates = probes.compactMap { probe in
            probe.certificate.map { (ProbeCountText.name(probe.probe, probe.interface, probe.family), $0) }
        }
        isCut = (status?.probesOmitted ?? 0) > 0
    }

    /// The codes of transfers that are not made because of the configuration, which are not failures.
    private static let transferRefusals = Set(
        [FindingCode.pathChanged, .transferYielded, .transferMetered, .transferBusy].map(\.rawValue)
    )
    /// The failures of transfers alone, which never affect the connectivity.
    private static let transferFailures = Set(
        [FindingCode.throughputLow, .addedLatencyHigh, .transferStalled, .rangeInvalid].map(\.rawValue)
    )

    func failures(in layer: Diagnosis.Layer) -> [Failure] { failures.filter { $0.layer == layer } }

    /// Returns the layer of the fault that the agent's state names.
    func layer(of code: String, in phase: Phase?) -> Diagnosis.Layer {
        guard code == ReasonCode.httpsUnreachable.rawValue else { return Self.layer(of: code, in: phase) }
        let isUnconnected = failures.contains {
            $0.layer == .connection && $0.probe != AgentEvents.ProbePoint.firstHopName
        }
        return isUnconnected ? .connection : .tls
    }

    /// Returns the layer that a check's code concerns; a timeout is attributed by its phase.
    static func layer(of code: String, in phase: Phase? = nil) -> Diagnosis.Layer {
        let resolver = [FindingCode.dnsNXDomain, .dnsNoAddress, .dnsTimeout, .dnsFailure, .resolverBusy]
        if resolver.map(\.rawValue).contains(code) { return .resolver }
        if code.hasPrefix("tls_") || code == ReasonCode.portalSuspected.rawValue { return .tls }
        if code.hasPrefix("http_") || code.hasPrefix("redirect_") || code.hasPrefix("dns_") { return .response }
        let late = [FindingCode.byteLimit, .evaluationLimit, .latencyHigh, .lossHigh, .requestInvalid]
        if late.map(\.rawValue).contains(code) || transferFailures.contains(code) { return .response }
        return switch phase {
        case .resolve: .resolver
        case .tls: .tls
        case .request, .firstByte, .body: .response
        default: .connection
        }
    }
}

extension FindingCode {
    /// `true` for a check that was not made although no layer is broken, which proves nothing about its target.
    ///
    /// The process may not make it, or lacks what it needs.
    fileprivate var isOfCheckNotMade: Bool {
        switch self {
        case .cellularNotAllowed, .icmpNotPermitted, .interfaceNotPermitted, .interfaceUnknown, .requestInvalid,
            .resourcesExhausted, .tlsRootsUnavailable:
            true
        default: false
        }
    }
}
