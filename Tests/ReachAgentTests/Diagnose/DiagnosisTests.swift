import AgentEvents
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

/// The verdict on each layer, by the evidence alone.
@Suite struct DiagnosisTests {
    @Test func `a healthy machine has no finding, and layers that need a check are not checked`() {
        let diagnosis = Diagnosis(Self.evidence())
        #expect(diagnosis.verdict == .ok)
        #expect(diagnosis.finding == nil)
        #expect(diagnosis.sections.map(\.layer) == Diagnosis.Layer.allCases)
        let ok = diagnosis.sections.filter { $0.verdict == .ok }.map(\.layer)
        #expect(ok == [.link, .address, .route, .nextHop, .clock])
    }

    @Test(arguments: [
        (kernel(.noCarrier), Diagnosis.Layer.link, "link_down"),
        (kernel(.noCarrier, hasRoute: false), .link, "link_down"),
        (kernel(hasAddress: false), .address, "no_address"),
        (kernel(hasRoute: false), .route, "no_route"),
    ])
    func `the first broken layer of the kernel is named`(
        kernel: NetlinkMonitor.NetworkSnapshot,
        layer: Diagnosis.Layer,
        code: String
    ) throws {
        let finding = try #require(Diagnosis(Self.evidence(kernel)).finding)
        #expect(finding.layer == layer)
        #expect(finding.verdict == .error)
        #expect(finding.code == code)
        #expect(!finding.next.isEmpty)
    }

    @Test(arguments: [(true, Diagnosis.Layer.route), (false, .address)])
    func `a container without a medium is judged by its veth`(hasAddress: Bool, layer: Diagnosis.Layer) {
        let address = InterfaceAddress(interfaceIndex: 2, address: Self.source, prefixLength: 24)
        let lookup = RouteLookup(destination: Self.internet, outcome: .refused(.noRoute))
        let container = NetlinkMonitor.NetworkSnapshot(
            links: [Self.veth],
            addresses: hasAddress ? [address] : [],
            lookups: [lookup],
            internetAddresses: [Self.internet]
        )
        #expect(Diagnosis(Self.evidence(container)).finding?.layer == layer)
    }

    @Test(
        arguments: [
            (.wifi, ["rfkill list"]), (.wwan, ["rfkill list"]), (.bluetooth, ["rfkill list"]), (.wired, []),
        ] as [(InterfaceKind, [String])]
    )
    func `an interface that is switched off is switched on by hand, and a radio may be blocked`(
        kind: InterfaceKind,
        steps: [String]
    ) throws {
        let link = Link(
            index: 2,
            name: "net0",
            flags: [],
            operationalState: .down,
            classification: InterfaceClassification(kind: kind, evidence: [])
        )
        let lookup = RouteLookup(destination: Self.internet, outcome: .refused(.noRoute))
        let network = NetlinkMonitor.NetworkSnapshot(
            links: [link],
            lookups: [lookup],
            internetAddresses: [Self.internet]
        )
        let finding = try #require(Diagnosis(Self.evidence(network)).finding)
        #expect(finding.layer == .link)
        // Pasting all steps changes nothing.
        #expect(finding.next == steps + ["# Switch it on:", "#   ip link set dev net0 up"])
    }

    @Test func `an underlay that is gone is looked for below the tunnel`() {
        let tunnel = Link(
            index: 3,
            name: "tun0",
            flags: [.up, .lowerUp],
            classification: InterfaceClassification(kind: .tunnel, evidence: [])
        )
        let wire = Self.kernel(.noCarrier)
        let way = ResolvedRoute(interfaceIndex: 3, source: Self.source)
        let network = NetlinkMonitor.NetworkSnapshot(
            links: [tunnel] + wire.links.values,
            addresses: [InterfaceAddress(interfaceIndex: 3, address: Self.source, prefixLength: 24)],
            lookups: [RouteLookup(destination: Self.internet, outcome: .route(way))],
            underlays: [3: Underlay(interfaceIndex: nil, evidence: .noCarrier)],
            internetAddresses: [Self.internet]
        )
        let finding = Diagnosis(Self.evidence(network)).finding
        #expect(finding?.code == "underlay_down")
        #expect(finding?.next == ["ip link show dev eth0   # no carrier: the cable, the switch port"])
    }

    @Test(arguments: [
        (NeighbourState.failed, Diagnosis.Verdict.error), (.resolving, .warning), (.absent, .ok), (.usable, .ok),
    ])
    func `a router that does not answer breaks the next hop`(state: NeighbourState, verdict: Diagnosis.Verdict) {
        var evidence = Self.evidence()
        evidence.neighbours = [NextHop(interfaceIndex: 2, gateway: Self.router): state]
        let section = Diagnosis(evidence).sections.first { $0.layer == .nextHop }
        #expect(section?.verdict == verdict)
    }

    @Test(arguments: [
        (FindingCode.dnsTimeout, Diagnosis.Layer.resolver), (.connectTimeout, .connection), (.timeout, .connection),
        (.portalRedirect, .connection), (.tlsHostname, .tls), (.httpStatus, .response), (.redirectLoop, .response),
        (.dnsRcode, .response),
    ])
    func `a probe that is down breaks the layer that its code is about`(code: FindingCode, layer: Diagnosis.Layer) {
        var evidence = Self.evidence()
        let probes = [Self.probe("web", code, detail: "seen"), Self.probe("other", nil)]
        evidence.agent = .success(Self.status(probes, connectivity: .partial))
        #expect(Diagnosis(evidence).finding?.layer == layer)
        #expect(Diagnosis(evidence).verdict == .error)
        evidence.agent = .success(Self.status(probes, connectivity: .full))
        #expect(Diagnosis(evidence).verdict == .warning, "a probe that is not required")
    }

    @Test(arguments: [FindingCode.dnsTimeout, .connectTimeout, .tlsHostname, .httpStatus])
    func `the command after a failure checks the interface and the family that failed`(code: FindingCode) {
        var evidence = Self.evidence()
        var probe = Self.probe("web", code)
        (probe.interface, probe.family) = ("wwan0", "ipv6")
        evidence.agent = .success(Self.status([probe], connectivity: .partial))
        #expect(Diagnosis(evidence).finding?.next.first == "reachagent probe web --interface wwan0 --ipv6")
    }

    @Test(arguments: [FindingCode.throughputLow, .addedLatencyHigh, .transferStalled, .rangeInvalid])
    func `a slow uplink is a warning, and never the reason for a loss`(code: FindingCode) {
        var evidence = Self.evidence()
        evidence.agent = .success(Self.status([Self.probe("speed", code)], connectivity: .full))
        #expect(Diagnosis(evidence).finding?.layer == .response)
        #expect(Diagnosis(evidence).verdict == .warning)
        let probes = [Self.probe("speed", code), Self.probe("web", .connectTimeout)]
        evidence.agent = .success(Self.status(probes, connectivity: .partial))
        #expect(Diagnosis(evidence).finding?.layer == .connection)
        #expect(Diagnosis(evidence).verdict == .error)
    }

    @Test(arguments: [FindingCode.transferMetered, .transferYielded, .transferBusy, .pathChanged])
    func `a transfer that was not made breaks nothing`(code: FindingCode) {
        var evidence = Self.evidence()
        var probe = Self.probe("speed", code)
        probe.verdict = "unknown"
        evidence.agent = .success(Self.status([probe, Self.probe("web", nil)], connectivity: .full))
        #expect(Diagnosis(evidence).finding == nil)
    }

    @Test(arguments: [
        ("down", FindingCode.tlsHostname as FindingCode?, Diagnosis.Verdict.ok), ("down", .httpStatus, .ok),
        ("down", .dnsTimeout, .notChecked), ("unknown", nil, .notChecked), ("up", nil, .ok),
    ])
    func `connections work if a check got as far`(verdict: String, code: FindingCode?, expected: Diagnosis.Verdict) {
        var evidence = Self.evidence()
        var probe = Self.probe("web", code)
        probe.verdict = verdict
        evidence.agent = .success(Self.status([probe], connectivity: .local))
        #expect(Diagnosis(evidence).sections.first { $0.layer == .connection }?.verdict == expected)
    }

    @Test(arguments: ["portal", "http-500", "intercepted", "preferred-dead"])
    func `the fault of the agent's state is the one that the status shows`(name: String) throws {
        let members = try #require(StatusScenes.all.first { $0.name == name }).members
        let status = try EventDecoder.decode(AgentStatus.self, from: Array("{\(members)}".utf8))
        let advice = try #require(
            status.advice { FindingCode(rawValue: $0).map { ($0.sentence, $0.configuredRemedy) } }
        )
        // Other probes fail in earlier layers, with codes that the state does not name.
        var evidence = Self.evidence(name == "preferred-dead" ? Self.kernel(.noCarrier) : Self.kernel())
        var other = status
        other.probes.insert(Self.probe("other", .connectRefused), at: 0)
        evidence.agent = .success(other)
        let finding = try #require(Diagnosis(evidence).finding)
        #expect(finding.verdict == .error)
        #expect(finding.code == advice.code)
        #expect(finding.summary == advice.problem)
        // A command that changes the machine is no step, but can be copied.
        let commands = advice.action.commands.map { "#   \($0)" }
        if name == "preferred-dead" {
            #expect(advice.action.steps.isEmpty && commands.count == 3)
            let words = ["# Take it down:", "# Or let the kernel skip it:", "# Or prefer wwan0:"]
            let remedies = zip(words, commands).flatMap { [$0, $1] }
            #expect(finding.next == ["ip route show table all default"] + remedies)
        } else {
            #expect(finding.next == advice.action.steps + ["# \(advice.action)"])
            #expect(advice.action.steps == advice.action.commands)
        }
        #expect(Diagnosis(evidence).sections.contains(finding))
    }

    @Test func `a default route that ends at this machine is the fault, and not a missing address`() {
        let loopback = Link(
            index: 1,
            name: "lo",
            flags: [.up, .lowerUp, .loopback],
            classification: InterfaceClassification(kind: .loopback, evidence: [])
        )
        let route = Route(destination: .everything(.ipv4), type: .local, nextHops: [NextHop(interfaceIndex: 1)])
        let way = ResolvedRoute(interfaceIndex: 1, source: Self.internet, type: .local)
        let network = NetlinkMonitor.NetworkSnapshot(
            links: [loopback, Self.veth],
            addresses: [InterfaceAddress(interfaceIndex: 2, address: Self.source, prefixLength: 24)],
            lookups: [RouteLookup(destination: Self.internet, outcome: .route(way), matched: route)],
            internetAddresses: [Self.internet]
        )
        let diagnosis = Diagnosis(Self.evidence(network))
        #expect(diagnosis.finding?.layer == .route)
        #expect(diagnosis.finding?.code == "leads_nowhere")
        #expect(diagnosis.finding?.next.first == "ip route show table all default")
    }

    @Test func `a bridge on a dummy alone is the fault, as one that leads nowhere`() {
        func link(_ index: UInt32, _ driver: String, master: UInt32? = nil) -> Link {
            Link(
                index: index,
                name: "\(driver)0",
                flags: [.up, .lowerUp],
                driverKind: driver,
                masterIndex: master,
                classification: InterfaceClassification(kind: .virtual, evidence: [])
            )
        }
        let route = Route(destination: .everything(.ipv4), nextHops: [NextHop(interfaceIndex: 2)])
        let way = ResolvedRoute(interfaceIndex: 2, source: Self.source)
        let network = NetlinkMonitor.NetworkSnapshot(
            links: [link(2, "bridge"), link(3, "dummy", master: 2)],
            addresses: [InterfaceAddress(interfaceIndex: 2, address: Self.source, prefixLength: 24)],
            defaultRoutes: [route],
            lookups: [RouteLookup(destination: Self.internet, outcome: .route(way), matched: route)],
            internetAddresses: [Self.internet]
        )
        let diagnosis = Diagnosis(Self.evidence(network))
        #expect(diagnosis.finding?.layer == .link)
        #expect(diagnosis.finding?.code == "leads_nowhere")
    }

    @Test func `a broken layer of the kernel explains the state of the agent`() {
        var evidence = Self.evidence(Self.kernel(.noCarrier))
        var status = Self.status([Self.probe("web", .connectTimeout)], connectivity: .local)
        status.reachability.state?.connectivityReason = "connect_timeout"
        evidence.agent = .success(status)
        #expect(Diagnosis(evidence).finding?.layer == .link)
    }

    @Test func `a certificate that appears expired is attributed to the clock until it is synchronized`() {
        var evidence = Self.evidence()
        evidence.clock = .init(isSynchronized: false, isBehindProgram: false)
        #expect(Diagnosis(evidence).finding?.layer == .clock)
        #expect(Diagnosis(evidence).verdict == .warning)
        evidence.agent = .success(Self.status([Self.probe("web", .tlsNotYetValid)], connectivity: .partial))
        #expect(Diagnosis(evidence).finding?.layer == .clock)
        #expect(Diagnosis(evidence).verdict == .error)
    }

    @Test func `steps cut off by the deadline are not checked, and without kernel data there is no verdict`() {
        let diagnosis = Diagnosis(DiagnosisEvidence())
        #expect(diagnosis.verdict == .notChecked)
        #expect(diagnosis.sections.allSatisfy { $0.verdict == .notChecked })
    }
}
