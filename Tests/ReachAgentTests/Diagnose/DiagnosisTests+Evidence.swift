import AgentEvents
import NetlinkMonitor
import Probes
import Reachability
import StateClient

@testable import ReachAgent

/// The evidence of the cases.
extension DiagnosisTests {
    /// The link of a case.
    enum Wire { case up, noCarrier }

    static let internet = IPAddress("198.41.0.4") ?? .unspecified(.ipv4)
    static let internet6 = IPAddress("2001:503:ba3e::2:30") ?? .unspecified(.ipv6)
    static let router = IPAddress("192.0.2.1") ?? .unspecified(.ipv4)
    static let source = IPAddress("192.0.2.7") ?? .unspecified(.ipv4)

    /// The Ethernet of a container.
    static let veth = Link(
        index: 2,
        name: "eth0",
        flags: [.up, .lowerUp],
        operationalState: .up,
        driverKind: "veth",
        classification: InterfaceClassification(kind: .virtual, evidence: [])
    )

    /// A machine with one wired interface, a default route and an address, unless they are left out.
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
}
