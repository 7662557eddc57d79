import AgentEvents
import CheckResults
import Configuration
import NetlinkMonitor
import Probes
import Reachability
import StatePages
import Testing

@testable import ReachAgent

/// A target with addresses of one family only, as the counters, `check`, `diagnose` and `status` show it.
@Suite struct ExcusedFamilyTests {
    private typealias Point = Probes.ProbePoint

    private static let ipv4 = Point(probe: "web", vantage: Vantage(families: .ipv4))
    private static let ipv6 = Point(probe: "web", vantage: Vantage(families: .ipv6))

    /// A driver with one probe, in a view with a path in each family.
    private static func driver() throws -> ReachabilityDriver {
        var settings = Settings()
        settings.settle = .none
        settings.probes = [try ProbeDefinition.adHoc("https://host.test/", name: "web")]
        let driver = ReachabilityDriver.sample(settings)
        let eth0 = Link(
            index: 2,
            name: "eth0",
            flags: [.up, .lowerUp],
            classification: InterfaceClassification(kind: .wired, evidence: [])
        )
        let sources = try ["192.0.2.7", "2001:db8::7"].map { try #require(IPAddress($0)) }
        let hosts = try ["198.41.0.4", "2001:503:ba3e::2:30"].map { try #require(IPAddress($0)) }
        let snapshot = NetworkSnapshot(
            links: [eth0],
            addresses: sources.map { InterfaceAddress(interfaceIndex: 2, address: $0, prefixLength: 24) },
            lookups: zip(sources, hosts).map { source, host in
                RouteLookup(destination: host, outcome: .route(ResolvedRoute(interfaceIndex: 2, source: source)))
            },
            internetAddresses: hosts
        )
        driver.handle(.update(NetworkUpdate(snapshot: snapshot, changes: [], observed: .now)))
        return driver
    }

    @Test(
        arguments: [
            (.failed(.dnsNoAddress, .resolve), .ok, "unknown"), (.failed(.dnsNXDomain, .resolve), .ok, "unknown"),
            (.failed(.dnsNXDomain, .resolve), .failed(.connectTimeout, .connect), "unknown"),
            (.failed(.dnsNXDomain, .resolve), .failed(.dnsNXDomain, .query), "unknown"),
            (.failed(.dnsNXDomain, .resolve), .failed(.dnsNXDomain, .resolve), "failed"),
            (.failed(.dnsNoAddress, .resolve), .failed(.dnsNoAddress, .resolve), "failed"),
            (.failed(.dnsNXDomain, .query), .ok, "failed"), (.failed(.connectTimeout, .connect), .ok, "failed"),
        ] as [(CheckVerdict, CheckVerdict, String)]
    )
    func `the counters and the summary have a check as it was judged`(
        verdict: CheckVerdict,
        other: CheckVerdict,
        outcome: String
    ) throws {
        let driver = try Self.driver()
        _ = driver.judge(.sample(Self.ipv4, other))
        _ = driver.judge(.sample(Self.ipv6, verdict))
        let figures = try #require(driver.metrics.figures(of: [Self.ipv6]).checks[Self.ipv6])
        #expect(figures.last?.outcome == outcome)
        #expect((figures.counts.failed, figures.counts.unknown) == (outcome == "failed" ? (1, 0) : (0, 1)))
        let summary = try #require(driver.summaries.first { $0.point.family == "ipv6" })
        #expect(summary.failed.total == (outcome == "failed" ? 1 : 0))
        #expect(driver.probes.records.last?.last?.outcome.rawValue == outcome)
    }

    /// A check as `check` shows it.
    private static func check(_ family: String, _ verdict: String, _ code: String) -> AgentEvents.CompletedCheck {
        let time = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)
        let report = AgentEvents.CheckReport(
            target: "https://web.test/",
            verdict: verdict,
            code: code,
            phase: "resolve",
            started: time,
            durationMicroseconds: 1_200,
            bytesSent: 0,
            bytesReceived: 0,
            bytesOnWire: 0,
            findings: [.init(code: code, severity: "refusal", subject: "web.test", evidence: "none")],
            hops: []
        )
        return AgentEvents.CompletedCheck(
            point: AgentEvents.ProbePoint(probe: "web", family: family),
            cadence: "steady",
            due: time,
            delayMilliseconds: 0,
            isShared: false,
            report: report
        )
    }

    @Test(arguments: [
        ("ipv6", "unknown", "dns_no_address", "IPv4 only"), ("ipv6", "unknown", "dns_nxdomain", "AAAA record"),
        ("ipv4", "unknown", "dns_nxdomain", "IPv6 only"), ("ipv6", "failed", "dns_nxdomain", "Check the spelling"),
        ("ipv6", "unknown", "dns_timeout", "Check the name server"),
    ])
    func `check asks for nothing where the target is meant to have one family`(
        family: String,
        verdict: String,
        code: String,
        remedy: String
    ) {
        let check = Self.check(family, verdict, code)
        #expect(check.report.isExcused == (verdict == "unknown" && code != "dns_timeout"))
        let text = CompletedCheckText(style: .plain).text(CompletedCheckResult.results([check], status: nil))
        #expect(text.hasPrefix(verdict == "unknown" ? "not checked  web" : "failed       web"))
        #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(remedy))
    }

    @Test func `diagnose has no finding about a family that a target lacks`() {
        var lacking = DiagnosisTests.probe("web", .dnsNoAddress)
        (lacking.verdict, lacking.family, lacking.lastOutcome) = ("unknown", "ipv6", "unknown")
        var evidence = DiagnosisTests.evidence()
        evidence.agent = .success(
            DiagnosisTests.status([DiagnosisTests.probe("web", nil), lacking], connectivity: .full)
        )
        #expect(Diagnosis(evidence).finding == nil)
        let probes = ProbeEvidence(evidence)
        #expect((probes.failures.count, probes.upCount, probes.count) == (0, 1, 1))
    }

    @Test(arguments: [
        ("dns_timeout", false), ("connect_timeout", true),
    ])
    func `a standby uplink is not blamed for what the used one has too`(reason: String, isBlamed: Bool) throws {
        func uplink(_ name: String, _ code: String, isUsed: Bool) -> String {
            StatusScenes.uplink(name, "wired", "local", #""reason":{"code":"\#(code)"}"#, isUsed: isUsed)
        }
        let members = StatusScenes.members(
            StatusScenes.state(StatusScenes.wlan0, #""connectivity":"full""#),
            StatusScenes.list(
                "uplinks",
                uplink("wlan0", "dns_timeout", isUsed: true),
                uplink("wwan0", reason, isUsed: false)
            )
        )
        let status = try EventDecoder.decode(AgentStatus.self, from: Array("{\(members)}".utf8))
        let isNamed = status.advice()?.problem.hasPrefix("the standby uplink wwan0 does not work") == true
        #expect(isNamed == isBlamed)
    }
}
