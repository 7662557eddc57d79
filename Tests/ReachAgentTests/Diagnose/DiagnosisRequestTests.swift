import AgentEvents
import AgentTestKit
import Configuration
import NetlinkMonitor
import Probes
import Testing

import struct FoundationEssentials.Date

@testable import ReachAgent

/// The targets that the command itself is to check, also those without a result, and the names that it looks up.
@Suite struct DiagnosisRequestTests {
    private typealias Cases = DiagnosisTests

    /// A requested check; `nil` for one that has no result at the deadline.
    private static func check(_ name: String, _ verdict: CheckVerdict?) -> DiagnosisEvidence.Check {
        let report = verdict.map {
            Probes.CheckReport(
                target: name,
                verdict: $0,
                findings: [],
                hops: [],
                started: Date(timeIntervalSince1970: 0),
                duration: .seconds(1)
            )
        }
        return .init(name: name, report: report)
    }

    @Test(
        arguments: [
            ([nil], "http://0.test/"), ([.ok, nil], "http://1.test/"), ([nil, .ok], "http://0.test/"),
            ([nil, nil], "http://0.test/ (and 1 more)"),
            ([nil, .unknown(.icmpNotPermitted, .echo)], "http://0.test/"),
        ] as [([CheckVerdict?], String)]
    )
    func `a requested check without a result is the finding, before any warning`(
        verdicts: [CheckVerdict?],
        name: String
    ) throws {
        var evidence = Cases.evidence()
        evidence.clock = .init(isSynchronized: false, isBehindProgram: false)
        evidence.checks = verdicts.enumerated().map { Self.check("http://\($0.offset).test/", $0.element) }
        let diagnosis = Diagnosis(evidence)
        let finding = try #require(diagnosis.finding)
        #expect(diagnosis.verdict == .notChecked)
        #expect(finding.layer == .connection && finding.verdict == .notChecked)
        #expect(finding.summary == "\(name): not checked to its end before the deadline")
        let text = DiagnosisText(style: .plain).text(diagnosis)
        for check in evidence.checks where check.report?.verdict != .ok {
            #expect(text.contains(check.name), "\(text)")
        }
        #expect(!text.contains("makes a check") && !text.contains("no check was made"), "\(text)")
    }

    @Test(arguments: [FindingCode.connectRefused, .httpStatus])
    func `a broken layer is the finding, and a requested check without a result is named beside it`(
        code: FindingCode
    ) throws {
        var evidence = Cases.evidence()
        evidence.checks = [
            Self.check("http://late.test/", nil), Self.check("http://bad.test/", .failed(code, .connect)),
        ]
        let diagnosis = Diagnosis(evidence)
        #expect(diagnosis.verdict == .error && diagnosis.finding?.code == code.rawValue)
        let connection = try #require(diagnosis.sections.first { $0.layer == .connection })
        #expect(connection.facts.contains { $0.name == "http://late.test/" })
        #expect(connection.verdict == (code == .connectRefused ? .error : .notChecked))
    }

    @Test(arguments: [
        (FindingCode.cellularNotAllowed, Diagnosis.Verdict.warning), (.icmpNotPermitted, .warning),
        (.interfaceNotPermitted, .warning), (.interfaceUnknown, .warning), (.requestInvalid, .warning),
        (.resourcesExhausted, .warning), (.tlsRootsUnavailable, .warning), (.localFirewall, .error), (.noRoute, .error),
        (.noAddress, .error), (.linkDown, .error), (.dnsTimeout, .error), (.dnsFailure, .error),
        (.resolverBusy, .error),
        (.reversePathFilter, .error),
    ])
    func `a check that this machine could not make is a warning, unless a layer of this machine is broken`(
        code: FindingCode,
        verdict: Diagnosis.Verdict
    ) {
        var evidence = Cases.evidence()
        evidence.checks = [Self.check("http://web.test/", .unknown(code, .connect))]
        let diagnosis = Diagnosis(evidence)
        #expect(diagnosis.verdict == verdict)
        #expect(diagnosis.finding?.code == code.rawValue)
    }

    @Test func `a check that was not made is no evidence that something answers`() {
        var evidence = Cases.evidence()
        evidence.neighbours = [NextHop(interfaceIndex: 2, gateway: Cases.router): .resolving]
        evidence.lookups = [
            .init(name: "web.test", answer: (.failure(.init(.dnsTimeout, reason: "none")), .seconds(3)))
        ]
        evidence.checks = [Self.check("icmp://192.0.2.9", .unknown(.icmpNotPermitted, .echo))]
        #expect(Diagnosis(evidence).finding?.layer == .nextHop)
    }

    @Test
    func `without the time for them no check and no lookup is made, and each target is named without its secrets`()
        async throws
    {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = try directory.file("reachagent.toml", "[probe.web]\ntarget = \"http://web.test/\"\n")
        let collector = DiagnosisCollector(
            socket: "/nonexistent.sock",
            configuration: file,
            targets: ["web", "http://192.0.2.1/?token=hunter2", "192.0.2.1:80/?token=hunter2", "192.0.2.9"],
            timeout: .milliseconds(200)
        )
        let evidence = try await onThread { try collector.run() }
        let names = evidence.checks.map(\.name)
        #expect(names.count == 4 && names.first == "web" && names.last == "icmp://192.0.2.9")
        #expect(!names.joined().contains("hunter2"))
        #expect(evidence.checks.allSatisfy { $0.report == nil })
        #expect(evidence.lookups.allSatisfy { $0.answer == nil })
        #expect(!evidence.isSilent && !evidence.hasSilentChecks)
    }

    @Test func `names that were not looked up before the deadline are neither found nor missing`() throws {
        var evidence = Cases.evidence()
        evidence.lookups = [.init(name: "web.test")]
        let resolver = try #require(Diagnosis(evidence).sections.first { $0.layer == .resolver })
        #expect(resolver.verdict == .notChecked && resolver.summary == "not read within the deadline")
        #expect(resolver.facts.contains(.init("lookup", "web.test: no time was left")))
        evidence.lookups.append(.init(name: "db.test", answer: (.success([Cases.source]), .seconds(1))))
        #expect(Diagnosis(evidence).sections.first { $0.layer == .resolver }?.verdict == .ok)
    }

    @Test func `the names that are looked up are those to which the probes connect`() throws {
        let targets = [
            "http://intranet.corp/", "tcp://db.corp:80", "https://web.test/", "http://web.test/", "icmp://192.0.2.9",
        ]
        var settings = Settings()
        settings.probes = try targets.enumerated().map { try ProbeDefinition.adHoc($0.element, name: "p\($0.offset)") }
        #expect(DiagnosisCollector.hosts(of: settings) == ["intranet.corp", "db.corp", "web.test"])
        settings.probes[0].probe.connectTo = Probe.Endpoint(host: .address([203, 0, 113, 1]), port: 80)
        settings.probes[1].probe.connectTo = Probe.Endpoint(host: .name("proxy.corp"), port: 80)
        #expect(DiagnosisCollector.hosts(of: settings) == ["proxy.corp", "web.test"])
    }

    @Test func `the warning of the clock hides no other warning`() {
        var evidence = Cases.evidence()
        evidence.clock = .init(isSynchronized: false, isBehindProgram: false)
        #expect(Diagnosis(evidence).finding?.layer == .clock)
        evidence.agent = .success(Cases.status([Cases.probe("web", .tlsHostname)], connectivity: .full))
        let diagnosis = Diagnosis(evidence)
        #expect(diagnosis.finding?.layer == .tls && diagnosis.verdict == .warning)
        #expect(diagnosis.sections.contains { $0.layer == .clock && $0.verdict == .warning })
    }
}
