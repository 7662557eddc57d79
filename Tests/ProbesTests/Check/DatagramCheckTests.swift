import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct DatagramCheckTests {
    @Test
    func `a loopback echo is answered, or the system does not permit it`() async throws {
        let report = try await CheckBench().check("icmp://host.test")
        switch report.verdict {
        case .ok:
            #expect(report.phases == [.resolve, .echo])
            #expect(report.hop.answer?.contains("127.0.0.1") == true)
        default: #expect(report.verdict == .unknown(.icmpNotPermitted, .echo))
        }
    }

    @Test
    func `a name server that does not listen is at fault`() async throws {
        let report = try await CheckBench().check("dns://127.0.0.1:1/host.test") { $0.timeout = .seconds(1) }
        #expect(report.phases == [.query])
        guard case .failed(_, .query) = report.verdict else {
            Issue.record("\(report.verdict)")
            return
        }
    }

    @Test(
        arguments: [
            ([.truncated, .silence], "the answer by UDP was truncated, and no complete one to host.test. A within "),
            ([.forged(.id, then: .silence)], "no answer to host.test. A within "),
        ] as [([ResolverStep], String)]
    )
    func `a query that times out says what came instead of the answer`(steps: [ResolverStep], evidence: String)
        async throws
    {
        let resolver = try await ScriptedResolver.start(steps)
        let end = steps.count > 1 ? " by UDP and TCP" : " other datagrams ignored"
        let report = try await timingOut(
            after: .milliseconds(400),
            where: { $0.findings.first?.evidence.hasSuffix(end) == true }
        ) { timeout in
            try await CheckBench().check("dns://127.0.0.1:\(resolver.port)/host.test") { $0.timeout = timeout }
        }
        await resolver.shutDown()
        #expect(report.verdict == .failed(.dnsTimeout, .query))
        #expect(report.findings.map(\.code) == [.dnsTimeout])
        #expect(report.findings.first?.evidence.hasPrefix(evidence) == true, "\(report.findings)")
        #expect(report.findings.first?.evidence.hasSuffix(end) == true, "\(report.findings)")
    }

    @Test
    func `a name server without a route is not at fault, although the other family is never answered`() async throws {
        // The kernel sends to the broadcast address only for sockets that ask for it.
        let prober = Prober(resolver: HalfSilentResolver(address: "255.255.255.255"))
        let expected = CheckVerdict.unknown(.noRoute, .query)
        let report = try await timingOut(after: .milliseconds(700), where: { $0.verdict == expected }) { timeout in
            await prober.check(try CheckBench.probe("dns://host.test/www.host.test") { $0.timeout = timeout })
        }
        await prober.shutDown()
        #expect(report.verdict == expected, "\(report.findings)")
    }

    @Test(arguments: [("host.test", "NOSUCHTYPE"), ("a..b", "A")])
    func `an invalid query is not sent`(name: String, type: String) async throws {
        // No text is such a target; a program can make one.
        let report = try await CheckBench().check("dns://127.0.0.1/host.test") {
            $0.target = .dns(resolver: .address([127, 0, 0, 1]), port: 53, name: name, type: type)
        }
        #expect(report.verdict.code == .requestInvalid)
    }

    @Test
    func `a name that does not exist cannot be queried`() async throws {
        let report = try await CheckBench().check("icmp://missing.test")
        #expect(report.verdict == .failed(.dnsNXDomain, .resolve))
    }
}
