import AgentEvents
import Glibc
import NetlinkMonitor
import Probes
import StateClient
import Testing

import struct FoundationEssentials.Date

@testable import ReachAgent

/// The layer at fault and what to do next, where the agent's state and the command's own evidence say different things.
@Suite struct DiagnosisFaultTests {
    private typealias Cases = DiagnosisTests

    /// The evidence beside an agent whose state has a reason.
    private static func evidence(
        _ connectivity: AgentEvents.Connectivity,
        _ reason: String,
        probe: String? = "web",
        _ probes: [AgentStatus.ProbeStatus]
    ) -> DiagnosisEvidence {
        var evidence = Cases.evidence()
        var status = Cases.status(probes, connectivity: connectivity)
        status.reachability.state?.connectivityReason = reason
        status.reachability.state?.connectivityProbe = probe
        status.reachability.state?.path.overall.gateway = "192.0.2.1"
        evidence.agent = .success(status)
        return evidence
    }

    private static func lookup(_ code: FindingCode?) -> DiagnosisEvidence.Lookup {
        let result = code.map { Result<[IPAddress], HostLookupFailure>.failure(.init($0, reason: "none")) }
        return .init(name: "web.test", answer: (result ?? .success([Cases.source]), .seconds(1)))
    }

    private static func check(_ verdict: CheckVerdict) -> DiagnosisEvidence.Check {
        let report = Probes.CheckReport(
            target: "https://web.test/",
            verdict: verdict,
            findings: [],
            hops: [],
            started: Date(timeIntervalSince1970: 0),
            duration: .seconds(1)
        )
        return .init(name: "https://web.test/", report: report)
    }

    private static func unresolved(_ code: FindingCode) -> AgentStatus.ProbeStatus {
        var probe = Cases.probe("web", code)
        probe.verdict = "unknown"
        return probe
    }

    @Test(arguments: [FindingCode.dnsTimeout, .dnsFailure])
    func `a dead name server is asked directly, and no provider is blamed`(code: FindingCode) throws {
        var evidence = Self.evidence(.local, code.rawValue, [Self.unresolved(code)])
        evidence.lookups = [Self.lookup(code)]
        let finding = try #require(Diagnosis(evidence).finding)
        #expect(finding.layer == .resolver)
        #expect(finding.next.prefix(2) == ["reachagent probe dns://192.0.2.53/web.test", "cat /etc/resolv.conf"])
        #expect(finding.next.count == 3)
        #expect(finding.next.last?.hasPrefix("# Check the name servers: ") == true)
        #expect(!finding.next.contains { $0.contains("provider") })
        // A lookup that succeeds here leaves the agent's advice.
        evidence.lookups = [Self.lookup(nil)]
        let advice = try #require(Diagnosis(evidence).finding)
        #expect(
            advice.next.prefix(4) == ["resolvectl status", "cat /etc/resolv.conf", "reachagent probe web", Self.ping]
        )
    }

    private static let ping = "ping -c 3 -I eth0 192.0.2.1"

    @Test(arguments: [NeighbourState.failed, .resolving])
    func `a dead router is the fault in each moment in which the kernel asks for it again`(state: NeighbourState) {
        var evidence = Self.evidence(.local, "dns_timeout", [Self.unresolved(.dnsTimeout)])
        evidence.lookups = [Self.lookup(.dnsTimeout)]
        evidence.neighbours = [NextHop(interfaceIndex: 2, gateway: Cases.router): state]
        let finding = Diagnosis(evidence).finding
        #expect(finding?.layer == .nextHop)
        #expect(finding?.summary == "the router 192.0.2.1 does not answer on eth0")
    }

    @Test(
        arguments: [
            ([], [], Diagnosis.Verdict.warning), ([.dnsTimeout], [], .error), ([.dnsNXDomain], [], .warning),
            ([nil], [], .warning), ([.dnsTimeout, nil], [], .warning),
            ([nil], [.failed(.connectTimeout, .connect)], .error),
            ([.dnsTimeout], [.failed(.connectTimeout, .connect), .ok], .warning),
            ([.dnsTimeout], [.failed(.timeout, .tls)], .warning), ([], [.failed(.connectRefused, .connect)], .warning),
            ([], [.unknown(.dnsFailure, .resolve), .failed(.hostUnreachable, .connect)], .error),
        ] as [([FindingCode?], [CheckVerdict], Diagnosis.Verdict)]
    )
    func `without an agent a router is the fault while it is asked for, if nothing else answers`(
        lookups: [FindingCode?],
        checks: [CheckVerdict],
        verdict: Diagnosis.Verdict
    ) {
        var evidence = Cases.evidence()
        evidence.neighbours = [NextHop(interfaceIndex: 2, gateway: Cases.router): .resolving]
        evidence.lookups = lookups.map(Self.lookup)
        evidence.checks = checks.map(Self.check)
        #expect(Diagnosis(evidence).sections.first { $0.layer == .nextHop }?.verdict == verdict)
    }

    @Test(arguments: [AgentEvents.Connectivity.full, .partial, .portal])
    func `a router that is asked for while something answers is a warning`(connectivity: AgentEvents.Connectivity) {
        var evidence = Self.evidence(connectivity, "http_status", [Cases.probe("web", .httpStatus)])
        evidence.neighbours = [NextHop(interfaceIndex: 2, gateway: Cases.router): .resolving]
        #expect(Diagnosis(evidence).sections.first { $0.layer == .nextHop }?.verdict == .warning)
    }

    @Test(arguments: [AgentEvents.Connectivity.full, .partial, .portal])
    func `a dead router is the fault before the agent notices that nothing answers`(
        connectivity: AgentEvents.Connectivity
    ) {
        var evidence = Cases.evidence()
        evidence.agent = .success(Cases.status([Cases.probe("web", nil)], connectivity: connectivity))
        evidence.neighbours = [NextHop(interfaceIndex: 2, gateway: Cases.router): .resolving]
        evidence.lookups = [Self.lookup(.dnsTimeout)]
        let finding = Diagnosis(evidence).finding
        #expect(finding?.layer == .nextHop && finding?.verdict == .error)
        evidence.lookups.append(Self.lookup(nil))
        #expect(Diagnosis(evidence).sections.first { $0.layer == .nextHop }?.verdict == .warning)
    }

    /// The router of IPv6 in a machine with both families.
    private static let router6 = IPAddress("fe80::1") ?? .unspecified(.ipv6)

    /// A machine whose interface has a path in both families.
    private static var bothFamilies: NetlinkMonitor.NetworkSnapshot {
        let kernel = Cases.kernel()
        let source = IPAddress("2001:db8::7") ?? .unspecified(.ipv6)
        let hop = NextHop(interfaceIndex: 2, gateway: router6)
        let route = Route(destination: .everything(.ipv6), metric: 100, nextHops: [hop])
        let way = ResolvedRoute(interfaceIndex: 2, gateway: router6, source: source)
        let lookup = RouteLookup(destination: Cases.internet6, outcome: .route(way), matched: route)
        return NetlinkMonitor.NetworkSnapshot(
            links: Array(kernel.links.values),
            addresses: kernel.addresses + [InterfaceAddress(interfaceIndex: 2, address: source, prefixLength: 64)],
            defaultRoutes: kernel.defaultRoutes + [route],
            lookups: [lookup] + kernel.lookups.values,
            internetAddresses: [Cases.internet, Cases.internet6]
        )
    }

    @Test(
        arguments: [
            (.failed, .usable, .dnsTimeout, .error), (.resolving, .usable, .dnsTimeout, .error),
            (.failed, .usable, nil, .warning), (.reachable, .failed, .dnsTimeout, .warning),
            (.failed, .failed, nil, .error), (.reachable, .usable, .dnsTimeout, .ok),
        ] as [(NeighbourState, NeighbourState, FindingCode?, Diagnosis.Verdict)]
    )
    func `an idle router of the other family is no evidence that something answers`(
        ipv4: NeighbourState,
        ipv6: NeighbourState,
        lookup: FindingCode?,
        verdict: Diagnosis.Verdict
    ) {
        var evidence = Cases.evidence(Self.bothFamilies)
        evidence.neighbours = [
            NextHop(interfaceIndex: 2, gateway: Cases.router): ipv4,
            NextHop(interfaceIndex: 2, gateway: Self.router6): ipv6,
        ]
        evidence.lookups = [Self.lookup(lookup)]
        let section = Diagnosis(evidence).sections.first { $0.layer == .nextHop }
        #expect(section?.verdict == verdict)
        if verdict == .ok { #expect(section?.summary == "192.0.2.1 and fe80::1 have not failed") }
    }

    @Test(
        arguments: [
            (NeighbourState.usable, nil, Diagnosis.Verdict.warning), (.usable, .dnsTimeout, .error),
            (.resolving, nil, .error),
        ] as [(NeighbourState, FindingCode?, Diagnosis.Verdict)]
    )
    func `a dead target is no evidence against an idle router of the other family while names resolve`(
        ipv4: NeighbourState,
        lookup: FindingCode?,
        verdict: Diagnosis.Verdict
    ) {
        var evidence = Cases.evidence(Self.bothFamilies)
        evidence.agent = .success(Cases.status([Cases.probe("web", nil)], connectivity: .full))
        evidence.neighbours = [
            NextHop(interfaceIndex: 2, gateway: Cases.router): ipv4,
            NextHop(interfaceIndex: 2, gateway: Self.router6): .failed,
        ]
        evidence.lookups = [Self.lookup(lookup)]
        evidence.checks = [Self.check(.failed(.hostUnreachable, .connect))]
        #expect(Diagnosis(evidence).sections.first { $0.layer == .nextHop }?.verdict == verdict)
    }

    /// The evidence beside an agent that keeps the settings of before, as the files have an error.
    private static func lostSettings(
        _ kernel: NetlinkMonitor.NetworkSnapshot,
        ipv4: AgentEvents.Path?
    ) -> DiagnosisEvidence {
        var evidence = Cases.evidence(kernel)
        let ipv6 = AgentEvents.Path(via: .none, reason: "no_route")
        var status = Cases.status([Cases.probe("web", nil)], connectivity: .full)
        status.reachability.state = ipv4.map { path in
            AgentEvents.ReachabilityState(
                via: path.via,
                afStatus: path.via.isReachable ? 2 : 0,
                connectivity: path.via.isReachable ? .full : AgentEvents.Connectivity.none,
                reason: path.reason,
                path: .init(path, ipv4: path, ipv6: ipv6)
            )
        }
        evidence.agent = .success(status)
        evidence.configuration = .rejected(errors: ["reachagent.toml:9:1: foo: unknown key"])
        evidence.clock = .init(isSynchronized: false, isBehindProgram: false)
        return evidence
    }

    private static let wired = AgentEvents.Path(
        via: .wired,
        interface: "eth0",
        gateway: "192.0.2.1",
        source: "192.0.2.7"
    )

    @Test func `a file with errors is the finding, and no outage, while the agent has a path`() {
        let diagnosis = Diagnosis(Self.lostSettings(Cases.kernel(hasRoute: false), ipv4: Self.wired))
        #expect(diagnosis.verdict == .warning)
        #expect(diagnosis.finding?.layer == .agent)
        #expect(
            diagnosis.finding?.summary == "the configuration on disk has 1 error; the earlier one stays in effect"
        )
        #expect(diagnosis.finding?.next == ["reachagent config check"])
        #expect(diagnosis.sections.prefix(4).allSatisfy { $0.verdict == .ok })
        let sections = diagnosis.sections.reduce(into: [Diagnosis.Layer: Diagnosis.Section]()) { $0[$1.layer] = $1 }
        #expect(sections[.route]?.summary == "IPv4 over wired eth0")
        let published = Diagnosis.Fact("IPv4", "wired eth0, as the agent has published it")
        #expect(sections[.route]?.facts.first == published)
        #expect(sections[.nextHop]?.summary == "192.0.2.1 has not failed")
        #expect(
            sections[.resolver]?.summary == "no name was looked up: the files with the probes have errors"
        )
    }

    @Test func `files that this user may not read are no finding, and the agent's status replaces them`() {
        var evidence = Self.lostSettings(Cases.kernel(hasRoute: false), ipv4: Self.wired)
        evidence.configuration = .unreadable(errors: ["/etc/reachagent/token cannot be opened: Permission denied"])
        evidence.clock = .init(isSynchronized: true, isBehindProgram: false)
        let diagnosis = Diagnosis(evidence)
        #expect(diagnosis.finding == nil && diagnosis.verdict == .ok)
        let sections = diagnosis.sections.reduce(into: [Diagnosis.Layer: Diagnosis.Section]()) { $0[$1.layer] = $1 }
        #expect(sections[.route]?.summary == "IPv4 over wired eth0")
        #expect(sections[.agent]?.facts.contains(.init("on disk", "not readable by this user")) == true)
        let reason = "this user may not read the files with the probes"
        #expect(sections[.resolver]?.summary == "no name was looked up: \(reason)")
    }

    @Test func `an outage that the agent has published is the finding, also beside a file with errors`() {
        let lost = AgentEvents.Path(via: .none, reason: "no_route")
        let finding = Diagnosis(Self.lostSettings(Cases.kernel(), ipv4: lost)).finding
        #expect(finding?.layer == .route && finding?.verdict == .error)
        #expect(finding?.code == "no_route")
    }

    @Test func `without a published path the layers of the kernel are not checked beside a file with errors`() {
        let diagnosis = Diagnosis(Self.lostSettings(Cases.kernel(hasRoute: false), ipv4: nil))
        #expect(diagnosis.sections.prefix(4).allSatisfy { $0.verdict == .notChecked })
        #expect(diagnosis.finding?.layer == .agent)
    }

    @Test func `the kinds that the agent has determined replace those of a file with errors, except for guesses`() {
        var status = Cases.status([], connectivity: .full)
        let interfaces = [("usb0", "wwan"), ("a*[b", "wifi"), ("eth0", "wired"), ("x0", "of-the-future")]
        status.interfaces = interfaces.map { name, kind in
            AgentEvents.Interface(index: 2, name: name, kind: kind, isUsable: true, state: "up", addresses: [])
        }
        status.interfaces[2].kindIsGuess = true
        let kinds = [KindOverride(pattern: "usb0", kind: .wwan), KindOverride(pattern: #"a\*\[b"#, kind: .wifi)]
        #expect(KindOverride.published(in: status) == kinds)
    }

    @Test(
        arguments: [
            ("tls", Diagnosis.Layer.tls), ("request", .response), ("first_byte", .response), ("body", .response),
            ("connect", .connection), (nil, .connection), ("from_the_future", .connection),
        ] as [(String?, Diagnosis.Layer)]
    )
    func `a timeout of the agent's probe is of the layer of its phase`(phase: String?, layer: Diagnosis.Layer) {
        var probe = Cases.probe("web", .timeout)
        probe.phase = phase
        let evidence = Self.evidence(.local, "timeout", [probe])
        let diagnosis = Diagnosis(evidence)
        #expect(diagnosis.finding?.layer == layer)
        #expect(diagnosis.finding?.code == "timeout")
        #expect(diagnosis.sections.allSatisfy { !$0.summary.contains("handshake") || $0.layer == layer })
        // The phase is that of the last check, which failed with another code.
        probe.lastCode = "connect_timeout"
        #expect(Diagnosis(Self.evidence(.local, "timeout", [probe])).finding?.layer == .connection)
    }

    @Test(arguments: [
        ("portal_suspected", FindingCode.tlsHostname, Diagnosis.Layer.tls),
        ("tls_intercepted", .tlsUntrustedRoot, .tls),
        ("https_unreachable", .tlsAlert, .tls), ("https_unreachable", .connectTimeout, .connection),
    ])
    func `a common result of the checks over TLS is of the layer in which they fail`(
        reason: String,
        code: FindingCode,
        layer: Diagnosis.Layer
    ) {
        let gateway = Cases.probe(AgentEvents.ProbePoint.firstHopName, .hostUnreachable)
        let probes = [Cases.probe("web", code), Cases.probe("mail", code), Cases.probe("plain", nil), gateway]
        let finding = Diagnosis(Self.evidence(.partial, reason, probe: nil, probes)).finding
        #expect(finding?.layer == layer)
        #expect(finding?.code == reason)
    }

    @Test func `the details of a last check with another code are not those of the verdict`() {
        var probe = Cases.probe("web", .dnsNXDomain, detail: "Temporary failure")
        probe.lastCode = "dns_failure"
        let diagnosis = Diagnosis(Self.evidence(.partial, "dns_nxdomain", [probe, Cases.probe("mail", nil)]))
        #expect(diagnosis.finding?.summary == "web is down: the name does not exist")
        #expect(!diagnosis.sections.contains { $0.facts.contains { $0.text.contains("Temporary") } })
    }

    @Test func `a gateway that answers a ping is not a probe that is up`() {
        let gateway = Cases.probe(AgentEvents.ProbePoint.firstHopName, nil)
        let probes = [gateway, Cases.probe("web", nil), Cases.probe("mail", .httpStatus)]
        let sections = Diagnosis(Self.evidence(.partial, "http_status", probe: "mail", probes)).sections
        #expect(
            sections.first { $0.layer == .connection }?.summary == "1 of 2 probes are up; no check fails to connect"
        )
    }

    @Test func `a missing address is that of a family if the other one has another reason`() {
        let kernel = Cases.kernel(hasAddress: false)
        let lookups = [RouteLookup(destination: Cases.internet6, outcome: .refused(.noRoute))] + kernel.lookups.values
        let both = NetlinkMonitor.NetworkSnapshot(
            links: Array(kernel.links.values),
            defaultRoutes: kernel.defaultRoutes,
            lookups: lookups,
            internetAddresses: [Cases.internet, Cases.internet6]
        )
        let finding = Diagnosis(Cases.evidence(both)).finding
        #expect(finding?.layer == .address)
        #expect(finding?.summary.hasPrefix("eth0 (IPv4): ") == true, "\(finding?.summary ?? "")")
    }

    @Test(arguments: [
        (-1, "has expired"), (0, "expires in less than a day"), (1, "expires in 1 day"), (2, "expires in 2 days"),
    ])
    func `the days of a certificate are counted in words`(days: Int, words: String) {
        var probe = Cases.probe("web", nil)
        let end = Timestamp(microsecondsSince1970: 0)
        probe.certificate = .init(subject: "CN=web", notAfter: end, daysLeft: days, threshold: "7d")
        var evidence = Cases.evidence()
        evidence.agent = .success(Cases.status([probe], connectivity: .full))
        #expect(Diagnosis(evidence).finding?.summary == "the certificate of web \(words)")
    }

    @Test func `the certificates of one probe are distinguished by interface and family`() {
        let end = Timestamp(microsecondsSince1970: 0)
        let points = [("eth0", "ipv4", 89), ("eth0", "ipv6", 90), ("wwan0", "ipv4", 91)]
        let probes = points.map { interface, family, days in
            var probe = Cases.probe("web", nil)
            (probe.interface, probe.family) = (interface, family)
            probe.certificate = .init(subject: "CN=web", notAfter: end, daysLeft: days)
            return probe
        }
        var evidence = Cases.evidence()
        evidence.agent = .success(Cases.status(probes, connectivity: .full))
        let facts = Diagnosis(evidence).sections.first { $0.layer == .tls }?.facts.map { "\($0.name): \($0.text)" }
        #expect(
            facts == [
                "web eth0 IPv4: CN=web: 89 days left", "web eth0 IPv6: CN=web: 90 days left",
                "web wwan0 IPv4: CN=web: 91 days left",
            ]
        )
    }

    @Test(arguments: [EMFILE, ENFILE])
    func `a shortage of descriptors is the finding, with the remedy of the agent's start`(number: Int32) throws {
        var evidence = Cases.evidence()
        evidence.kernel = .failure(NetlinkError(operation: "open a netlink socket", cause: .errno(number)))
        // The same shortage, which would be an error of the agent.
        evidence.agent = .failure(.system(operation: "open a socket", errno: number))
        let diagnosis = Diagnosis(evidence)
        let finding = try #require(diagnosis.finding)
        #expect(diagnosis.verdict == .notChecked)
        #expect(finding.layer == .link)
        #expect(finding.summary.hasPrefix("cannot open a netlink socket: Too many open files"))
        let remedy = try #require(Shortage.remedy(errno: number))
        #expect(finding.next == ["# \(remedy)"])
        let text = DiagnosisText(style: .plain).text(diagnosis)
        #expect(text.hasPrefix("not checked  link: cannot open a netlink socket:"), "\(text)")
        #expect(text.contains("  next  # the ") && !text.contains("netlink is not available"), "\(text)")
    }

    @Test(arguments: [
        (EPERM, "Operation not permitted", []),
        (
            EAFNOSUPPORT, "Address family not supported by protocol",
            ["# a service needs AF_NETLINK in RestrictAddressFamilies="]
        ),
    ])
    func `a failure of netlink with another cause is the finding before every warning`(
        number: Int32,
        reason: String,
        next: [String]
    ) {
        var evidence = Cases.evidence()
        evidence.clock = .init(isSynchronized: false, isBehindProgram: false)
        evidence.kernel = .failure(NetlinkError(operation: "open a netlink socket", cause: .errno(number)))
        let diagnosis = Diagnosis(evidence)
        #expect(diagnosis.verdict == .notChecked && diagnosis.finding == diagnosis.sections.first)
        let summary = "the kernel's netlink is not available: open a netlink socket: \(reason)"
        #expect(diagnosis.sections.prefix(4).allSatisfy { $0.summary == summary && $0.next == next })
        // Something else is broken for sure.
        evidence.agent = .failure(.system(operation: "open a socket", errno: EIO))
        #expect(Diagnosis(evidence).finding?.layer == .agent && Diagnosis(evidence).verdict == .error)
    }

    @Test func `a view of the kernel that was not read before the deadline is the finding before every warning`() {
        var evidence = Cases.evidence()
        evidence.clock = .init(isSynchronized: false, isBehindProgram: false)
        evidence.kernel = nil
        let diagnosis = Diagnosis(evidence)
        #expect(diagnosis.verdict == .notChecked && diagnosis.finding?.layer == .link)
    }

    @Test func `a captive portal that the agent sees is the finding, even in a shortage of descriptors`() {
        var evidence = Self.evidence(.portal, "portal_suspected", [Cases.probe("web", .portalRedirect)])
        let named = Diagnosis(evidence).finding
        evidence.kernel = .failure(NetlinkError(operation: "open a netlink socket", cause: .errno(EMFILE)))
        let diagnosis = Diagnosis(evidence)
        #expect(named?.verdict == .error)
        #expect(diagnosis.finding?.layer == named?.layer && diagnosis.finding?.summary == named?.summary)
    }
}
