import AgentEvents
import NetlinkMonitor
import Probes
import Reachability
import StateClient
import Testing

@testable import ReachAgent

/// The verdict on each layer, by the evidence alone.
@Suite struct DiagnosisTests {
    /// The link of a case.
    enum Wire { case up, noCarrier }

    static let internet = IPAddress("198.41.0.4") ?? .unspecified(.ipv4)
    static let internet6 = IPAddress("2001:503:ba3e::2:30") ?? .unspecified(.ipv6)
    static let router = IPAddress("192.0.2.1") ?? .unspecified(.ipv4)
    static let source = IPAddress("192.0.2.7") ?? .unspecified(.ipv4)

    /// A machine with one wired interface, a default route and an address, unless they are left out.
    private static let veth = Link(
        index: 2,
        name: "eth0",
        flags: [.up, .lowerUp],
        operationalState: .up,
        driverKind: "veth",
        classification: InterfaceClassification(kind: .virtual, evidence: [])
    )

    static func kernel(
        _ wire: Wire = .up,
        name: String = "eth0",
        hasAddress: Bool = true,
        hasRoute: Bool = true
    ) -> NetlinkMonitor.NetworkSnapshot {
        let link = Link(
            index: 2,
            name: name,
            flags: wire == .up ? [.up, .lowerUp] : [.up],
            operationalState: wire == .up ? .up : .down,
            classification: InterfaceClassification(kind: .wired, evidence: [])
        )
        let address = InterfaceAddress(interfaceIndex: 2, address: source, prefixLength: 24)
        let route = Route(
            destination: .everything(.ipv4),
            metric: 100,
            nextHops: [NextHop(interfaceIndex: 2, gateway: router)]
        )
        let way = ResolvedRoute(interfaceIndex: 2, gateway: router, source: hasAddress ? source : nil)
        return NetlinkMonitor.NetworkSnapshot(
            links: [link],
            addresses: hasAddress ? [address] : [],
            defaultRoutes: hasRoute ? [route] : [],
            lookups: [
                RouteLookup(
                    destination: internet,
                    outcome: hasRoute ? .route(way) : .refused(.noRoute),
                    matched: hasRoute ? route : nil
                )
            ],
            internetAddresses: [internet]
        )
    }

    /// The evidence of a machine without an agent whose names resolve and whose clock is right.
    static func evidence(_ kernel: NetlinkMonitor.NetworkSnapshot = kernel()) -> DiagnosisEvidence {
        var evidence = DiagnosisEvidence()
        evidence.clock = .init(isSynchronized: true, isBehindProgram: false)
        evidence.resolver = ResolverConfiguration(parsing: ResolverConfiguration.words("nameserver 192.0.2.53"))
        evidence.agent = .failure(.noAgent(socket: "/run/reachagent/control.sock", errno: 2))
        evidence.configuration = DiagnosisEvidence.Configuration.none
        evidence.kernel = .success(kernel)
        evidence.neighbours = [NextHop(interfaceIndex: 2, gateway: router): .reachable]
        evidence.isComplete = true
        return evidence
    }

    static func status(_ probes: [AgentStatus.ProbeStatus], connectivity: AgentEvents.Connectivity) -> AgentStatus {
        let path = AgentEvents.Path(via: .wired, interface: "eth0")
        let state = AgentEvents.ReachabilityState(
            via: .wired,
            afStatus: 2,
            connectivity: connectivity,
            path: .init(path)
        )
        return AgentStatus(
            agent: .init(
                version: Agent.version,
                schema: 1,
                processID: 1,
                started: Timestamp(microsecondsSince1970: 0),
                uptimeMilliseconds: 60_000,
                stream: "s"
            ),
            time: Timestamp(microsecondsSince1970: 0),
            reachability: .init(state: state),
            targets: [],
            probes: probes,
            uplinks: [],
            hooks: [],
            interfaces: [],
            recent: [],
            lastSequence: 1,
            isSynchronized: true,
            overruns: nil
        )
    }

    static func probe(_ name: String, _ code: FindingCode?, detail: String? = nil) -> AgentStatus.ProbeStatus {
        var probe = AgentStatus.ProbeStatus(probe: name, verdict: code == nil ? "up" : "down")
        probe.code = code?.rawValue
        probe.detail = detail
        return probe
    }

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
        // A command that changes the machine is no step.
        let commands =
            name == "preferred-dead" ? ["ip route show table all default"] : advice.action.commands
        #expect(advice.action.steps == (name == "preferred-dead" ? [] : advice.action.commands))
        #expect(finding.next == commands + ["# \(advice.action)"])
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

    @Test(arguments: [
        (StateClientError.noAgent(socket: "s", errno: 2), AgentService.absent, Diagnosis.Verdict.notChecked),
        (.noAgent(socket: "s", errno: 2), .withoutSystemd, .warning),
        (.noAgent(socket: "s", errno: 2), .underSystemd, .warning),
        (.notPermitted(socket: "s", errno: 13), .underSystemd, .warning),
        (.timedOut(socket: "s"), .underSystemd, .error),
        (.timedOut(socket: "s"), .withoutSystemd, .error), (.timedOut(socket: "s"), .absent, .error),
    ])
    func `an agent that is missing is judged by whether it has a service, whose commands are the next steps`(
        error: StateClientError,
        service: AgentService,
        verdict: Diagnosis.Verdict
    ) {
        var evidence = Self.evidence()
        (evidence.agent, evidence.service) = (.failure(error), service)
        let section = Diagnosis(evidence).sections.last
        #expect(section?.verdict == verdict)
        if service != .underSystemd { #expect(section?.next.contains { $0.contains("systemctl") } == false) }
        // It would leave its files in the service's journal.
        if service != .absent { #expect(section?.next.contains("reachagent run") == false) }
    }

    @Test func `an agent that has rejected its configuration is a warning, and the files named are its own`() {
        var evidence = Self.evidence()
        var status = Self.status([Self.probe("web", nil), Self.probe("dns", nil)], connectivity: .full)
        let (path, time) = ("/etc/reachagent/reachagent.toml", Timestamp(microsecondsSince1970: 0))
        let rejection = ConfigurationRejection(errors: ["\(path):5:1: secret"], errorsOmitted: 2)
        status.configuration = .init(files: [path], loaded: time, path: path, rejected: .init(rejection, time: time))
        evidence.agent = .success(status)
        evidence.configuration = .rejected(errors: ["a", "b", "c"])
        let diagnosis = Diagnosis(evidence)
        let finding = diagnosis.finding
        #expect(finding?.layer == .agent && finding?.verdict == .warning)
        #expect(finding?.summary == "the configuration was rejected (3 errors); the earlier one stays in effect")
        #expect(finding?.next == ["reachagent config check"])
        #expect(finding?.facts.contains(.init("configuration", path)) == true)
        #expect(finding?.facts.contains(.init("on disk", "rejected, 3 errors")) == true)
        #expect(!String(decoding: diagnosis.json, as: UTF8.self).contains("secret"))
        // One that the agent has loaded is not repeated.
        status.configuration?.rejected = nil
        evidence.agent = .success(status)
        evidence.configuration = .read(files: [path], probes: 2)
        #expect(Diagnosis(evidence).finding == nil)
        #expect(Diagnosis(evidence).sections.last?.facts.contains { $0.name == "on disk" } == false)
    }

    @Test func `an address on which the agent cannot listen is a warning`() {
        var evidence = Self.evidence()
        var status = Self.status([], connectivity: .full)
        let address = AgentStatus.UnavailableAddress(address: "[::1]:9718", detail: "Address already in use")
        status.sockets = .init(events: "e", control: "c", connections: 0, limit: 1, unavailable: [address])
        evidence.agent = .success(status)
        #expect(Diagnosis(evidence).finding?.summary == "the agent cannot listen on [::1]:9718: Address already in use")
        #expect(Diagnosis(evidence).verdict == .warning)
    }

    @Test func `a user who may not ask the agent is not told that it does not answer`() {
        var evidence = Self.evidence()
        evidence.agent = .failure(.notPermitted(socket: "s", errno: 13))
        let connection = Diagnosis(evidence).sections.first { $0.layer == .connection }
        #expect(connection?.summary.hasPrefix("this user may not ask the agent; ") == true)
    }

    @Test func `hostile names neither reach the terminal nor become commands`() {
        var evidence = Self.evidence(Self.kernel(.noCarrier, name: "a;rm\u{1B}[2J"))
        let hostile = [Self.probe("web\n$(id)", .connectRefused, detail: "\u{1B}]0;x\u{7}")]
        evidence.agent = .success(Self.status(hostile, connectivity: .local))
        let diagnosis = Diagnosis(evidence)
        let texts = [DiagnosisText(style: .plain).text(diagnosis), String(decoding: diagnosis.json, as: UTF8.self)]
        for text in texts {
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !($0.value < 0x20 || $0.value == 0x7F) }, "\(text)")
        }
        #expect(
            diagnosis.finding?.next == [#"ip link show dev $'a;rm\x1b[2J'   # no carrier: the cable, the switch port"#]
        )
        #expect(diagnosis.json.split(separator: UInt8(ascii: "\n")).count == 1)
    }

    @Test func `the last changes have an arrow, in ASCII where the locale has no UTF-8`() throws {
        var evidence = Self.evidence()
        var status = Self.status([Self.probe("web", nil)], connectivity: .full)
        let change = #"{"subject":"web","from":"up","to":"down"}"#
        status.recent = [try EventDecoder.decode(AgentStatus.Transition.self, from: Array(change.utf8))]
        evidence.agent = .success(status)
        let diagnosis = Diagnosis(evidence)
        #expect(DiagnosisText(style: .plain).text(diagnosis).contains("web up -> down"))
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: 80)
        #expect(DiagnosisText(style: style).text(diagnosis).contains("web up → down"))
        #expect(String(decoding: diagnosis.json, as: UTF8.self).contains("web up → down"))
    }

    @Test func `no line is longer than the terminal, and the finding is first`() throws {
        var evidence = Self.evidence(Self.kernel(hasRoute: false))
        evidence.versions = [Diagnosis.Fact("kernel", String(repeating: "word ", count: 60))]
        for columns in [80, 120] {
            let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: columns)
            let lines = DiagnosisText(style: style).text(Diagnosis(evidence)).split(separator: "\n")
            for line in lines { #expect(line.count <= columns, "\(line)") }
            #expect(try #require(lines.first).hasPrefix("error  route: no route to the Internet"))
        }
    }
}
