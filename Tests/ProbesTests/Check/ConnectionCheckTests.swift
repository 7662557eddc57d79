import Glibc
import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct ConnectionCheckTests {
    /// A port on which nothing listens at 127.0.0.3: other tests use other addresses of loopback.
    private func closedPort() async throws -> Int {
        let server = try await ScriptedServer.start([.silence])
        await server.shutDown()
        return server.port
    }

    @Test
    func `a TCP check is a connection and no more`() async throws {
        let server = try await ScriptedServer.start([.silence])
        let report = try await CheckBench().check("tcp://host.test:\(server.port)")
        #expect(report.verdict == .ok)
        #expect(report.phases == [.resolve, .connect])
        #expect(report.hop.phases.allSatisfy { $0.isComplete })
        #expect(report.hop.peerAddress == "127.0.0.1:\(server.port)")
        #expect(report.hop.localAddress?.hasPrefix("127.0.0.1:") == true)
        #expect(report.hop.interface == "lo")
        #expect(report.hop.attempts.map(\.isUsed) == [true])
        #expect(report.hop.lookups.count == 2)
        await server.ended(connections: 1)
        await server.shutDown()
    }

    @Test
    func `an address has no resolve phase`() async throws {
        let server = try await ScriptedServer.start([.silence])
        let report = try await CheckBench().check("tcp://127.0.0.1:\(server.port)")
        #expect(report.verdict == .ok)
        #expect(report.phases == [.connect])
        await server.shutDown()
    }

    @Test
    func `a refused connection is the target's fault`() async throws {
        let port = try await closedPort()
        let report = try await CheckBench().check("tcp://127.0.0.3:\(port)")
        #expect(report.verdict == .failed(.connectRefused, .connect))
        #expect(report.hop.attempts.map(\.failure?.code) == [.connectRefused])
        #expect(report.hop.phases.map(\.isComplete) == [false])
    }

    @Test
    func `the next address is tried at once when one refuses, and is reported`() async throws {
        let server = try await ScriptedServer.start([.silence], address: "127.0.0.2")
        // Nobody listens on the first address; on 127.0.0.1 another test's server may have the same port.
        var bench = CheckBench()
        bench.names = ["host.test": ["127.0.0.3", "127.0.0.2"]]
        let report = try await bench.check("tcp://host.test:\(server.port)")
        #expect(report.verdict == .ok)
        #expect(report.hop.addresses == ["127.0.0.3", "127.0.0.2"])
        #expect(report.hop.attempts.map(\.isUsed) == [false, true])
        #expect(report.findings.map(\.code) == [.connectRefused])
        #expect(report.findings.map(\.severity) == [.warning])
        await server.shutDown()
    }

    @Test
    func `addresses that refuse are at fault although the other family is never answered`() async throws {
        let port = try await closedPort()
        let prober = Prober(resolver: HalfSilentResolver())
        let expected = CheckVerdict.failed(.connectRefused, .connect)
        let report = try await timingOut(after: .milliseconds(700), where: { $0.verdict == expected }) { timeout in
            await prober.check(try CheckBench.probe("tcp://host.test:\(port)") { $0.timeout = timeout })
        }
        await prober.shutDown()
        #expect(report.verdict == expected, "\(report.findings)")
    }

    @Test(arguments: [(AddressFamilies.ipv4, "127.0.0.1"), (.ipv6, "::1"), (.any, "::1")])
    func `a family can be requested`(families: AddressFamilies, address: String) async throws {
        let four = try await ScriptedServer.start([.silence])
        let six = try await ScriptedServer.start([.silence], address: "::1", port: four.port)
        var bench = CheckBench()
        bench.names = ["host.test": ["127.0.0.1", "::1"]]
        let report = try await bench.check("tcp://host.test:\(four.port)") { $0.families = families }
        #expect(report.verdict == .ok)
        #expect(report.hop.attempts.count == 1)
        #expect(report.hop.attempts.first?.address.contains(address) == true)
        #expect(report.hop.lookups.count == (families == .any ? 2 : 1))
        await four.shutDown()
        await six.shutDown()
    }

    @Test
    func `a name that does not exist is the target's fault`() async throws {
        let report = try await CheckBench().check("tcp://missing.test:80")
        #expect(report.verdict == .failed(.dnsNXDomain, .resolve))
        #expect(report.hop.lookups.map(\.failure?.code) == [.dnsNXDomain, .dnsNXDomain])
        #expect(report.phases == [.resolve])
    }

    @Test
    func `an address of the wrong family is not tried`() async throws {
        let report = try await CheckBench().check("tcp://127.0.0.1:80") { $0.families = .ipv6 }
        #expect(report.verdict.code == .dnsNoAddress)
        #expect(report.hop.attempts.isEmpty)
    }

    @Test
    func `binding to loopback works and an unknown interface is this machine's fault`() async throws {
        let server = try await ScriptedServer.start([.silence])
        let target = "tcp://127.0.0.1:\(server.port)"
        let bound = try await CheckBench().check(target) { $0.interface = "lo" }
        #expect(bound.verdict == .ok)
        #expect(bound.hop.interface == "lo")
        for name in ["no-such-if", "a-name-longer-than-15", ""] {
            let report = try await CheckBench().check(target) { $0.interface = name }
            #expect(report.verdict == .unknown(.interfaceUnknown, .connect))
        }
        await server.shutDown()
    }

    @Test
    func `another endpoint changes only the destination of the TCP connection`() async throws {
        let (report, server) = try await {
            let server = try await ScriptedServer.start([.serve(.text("hello"))], tls: CheckBench.tls())
            let endpoint = Probe.Endpoint(host: .address([127, 0, 0, 1]), port: UInt16(server.port))
            let report = try await CheckBench().check("https://host.test/path") { $0.connectTo = endpoint }
            return (report, server)
        }()
        #expect(report.verdict == .ok)
        #expect(server.serverNames == ["host.test"])
        #expect(server.requests.first?.header("Host") == "host.test")
        await server.shutDown()
    }

    @Test(arguments: [
        (ECONNREFUSED, FindingCode.connectRefused), (ETIMEDOUT, .connectTimeout), (EHOSTUNREACH, .hostUnreachable),
        (EHOSTDOWN, .hostUnreachable), (ENETUNREACH, .noRoute), (EINVAL, .noRoute), (EACCES, .noRoute),
        (EADDRNOTAVAIL, .noAddress), (EAFNOSUPPORT, .noAddress), (ENETDOWN, .linkDown), (ENODEV, .interfaceUnknown),
        (ENXIO, .interfaceUnknown), (EMFILE, .resourcesExhausted), (ENFILE, .resourcesExhausted),
        (ENOBUFS, .resourcesExhausted), (ENOMEM, .resourcesExhausted), (EAGAIN, .resourcesExhausted),
        (ECONNRESET, .connectReset), (ECONNABORTED, .connectReset), (EPIPE, .connectReset), (EPERM, .localFirewall),
        (ENOSPC, .resourcesExhausted), (EIO, .connectFailed),
    ])
    func `each error of the kernel has its code`(number: CInt, code: FindingCode) {
        #expect(SystemFinding.code(number) == code)
    }

    @Test
    func `the evidence of a lack of watches names their limit`() {
        let limit = "no watch of epoll(7) is left (fs.epoll.max_user_watches)"
        let finding = SystemFinding.make(ENOSPC, operation: "connect", subject: "192.0.2.1")
        #expect(finding.evidence == "connect: No space left on device: \(limit)")
    }
}
