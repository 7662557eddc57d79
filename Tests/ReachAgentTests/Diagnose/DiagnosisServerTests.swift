import AgentEvents
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

/// Name servers to which the kernel has no path.
@Suite struct DiagnosisServerTests {
    private typealias Cases = DiagnosisTests

    private static let server = IPAddress("192.0.2.53") ?? .unspecified(.ipv4)

    /// The evidence of a machine whose kernel answers for its name server, and whose lookup fails.
    private static func evidence(_ outcome: RouteLookup.Outcome, _ servers: String) -> DiagnosisEvidence {
        let kernel = Cases.kernel()
        let network = NetlinkMonitor.NetworkSnapshot(
            links: Array(kernel.links.values),
            addresses: kernel.addresses,
            defaultRoutes: kernel.defaultRoutes,
            lookups: [RouteLookup(destination: server, outcome: outcome)] + kernel.lookups.values,
            internetAddresses: [Cases.internet]
        )
        var evidence = Cases.evidence(network)
        evidence.resolver = ResolverConfiguration(parsing: ResolverConfiguration.words(servers))
        let failure = HostLookupFailure(.dnsFailure, reason: "Temporary failure in name resolution")
        evidence.lookups = [.init(name: "web.test", answer: (.failure(failure), .milliseconds(1)))]
        return evidence
    }

    @Test(
        arguments: [
            (.unreachable, "route_unreachable"), (.blackhole, "route_blackhole"), (.prohibited, "route_prohibited"),
            (.noRoute, "no_route"),
        ] as [(RouteLookup.Refusal, String)],
        [nil, "dns_failure"] as [String?]
    )
    func `without a path to the name server that is the fault, and not the lookup that fails for it`(
        refusal: (kernel: RouteLookup.Refusal, code: String),
        reason: String?
    ) throws {
        var evidence = Self.evidence(.refused(refusal.kernel), "nameserver 192.0.2.53")
        if let reason {
            var probe = Cases.probe("web", .dnsFailure)
            probe.verdict = "unknown"
            var status = Cases.status([probe], connectivity: .local)
            status.reachability.state?.connectivityReason = reason
            status.reachability.state?.connectivityProbe = "web"
            evidence.agent = .success(status)
        }
        let finding = try #require(Diagnosis(evidence).finding)
        #expect(finding.layer == .resolver && finding.verdict == .error)
        #expect(finding.code == refusal.code)
        #expect(finding.summary == "no name server has a usable path")
        #expect(finding.next == ["reachagent route 192.0.2.53"])
        #expect(finding.facts.contains(.init("server", "192.0.2.53 has no path: \(refusal.code)")))
    }

    @Test(arguments: ["nameserver 127.0.0.1\nnameserver 192.0.2.53", "nameserver 192.0.2.53\nnameserver fe80::1%eth0"])
    func `a name server whose path is unknown leaves the failed lookup the fault`(servers: String) {
        let finding = Diagnosis(Self.evidence(.refused(.noRoute), servers)).finding
        #expect(finding?.layer == .resolver && finding?.code == "dns_failure")
        #expect(finding?.facts.contains(.init("server", "192.0.2.53 has no path: no_route")) == true)
    }

    @Test func `a name server with a path is not named as one without`() {
        let way = ResolvedRoute(interfaceIndex: 2, source: Cases.source)
        let finding = Diagnosis(Self.evidence(.route(way), "nameserver 192.0.2.53")).finding
        #expect(finding?.code == "dns_failure")
        #expect(finding?.facts.contains { $0.name == "server" } == false)
    }
}
