import AgentTestKit
import Foundation
import LinuxSupport
import NIOCore
import NIOPosix
import ProbeTestKit
import Synchronization
import Testing

@testable import Probes

/// Certificates that the TLS library refuses by itself, before or after it has handed them over.
@Suite struct UnusableCertificateTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: TestKey.Kind
        let usage: KeyUsageBits
        var notAfter = TestDate.utc(2037)
        var isTrusted = true
        /// The code of the check, and those of all refusals.
        let code: FindingCode
        let refusals: Set<FindingCode>
    }

    static let examples = [
        Example(
            testDescription: "RSA for the encipherment of keys",
            kind: .rsa2048,
            usage: .keyEncipherment,
            code: .tlsPurpose,
            refusals: [.tlsPurpose]
        ),
        Example(
            testDescription: "RSA for the agreement on keys",
            kind: .rsa2048,
            usage: .keyAgreement,
            code: .tlsPurpose,
            refusals: [.tlsPurpose]
        ),
        Example(
            testDescription: "Ed25519 for the agreement on keys",
            kind: .ed25519,
            usage: .keyAgreement,
            code: .tlsPurpose,
            refusals: [.tlsPurpose]
        ),
        Example(
            testDescription: "one that is over, too",
            kind: .rsa2048,
            usage: .keyEncipherment,
            notAfter: TestDate.utc(2026, 2),
            code: .tlsExpired,
            refusals: [.tlsExpired, .tlsPurpose]
        ),
        Example(
            testDescription: "one that nobody trusts, too",
            kind: .rsa2048,
            usage: .keyEncipherment,
            isTrusted: false,
            code: .tlsUntrustedRoot,
            refusals: [.tlsUntrustedRoot, .tlsPurpose]
        ),
    ]

    @Test(arguments: examples, [ServerTLS.Version.tls12, .tls13])
    func `a certificate with an unusable key is still described`(
        _ example: Example,
        _ version: ServerTLS.Version
    ) async throws {
        let authority = try CheckBench.authority.get()
        let key = try TestKey(example.kind)
        let leaf = try authority.intermediate.issue(
            CertificateTemplate.server(names: ["host.test"]).with {
                $0.replaceExtension(with: .keyUsage(example.usage))
                $0.notAfter = example.notAfter
            },
            key: key
        )
        var tls = ServerTLS(leaf, intermediates: [authority.intermediate])
        tls.maximumVersion = version
        let (report, _) = try await CheckBench().check([.silence], tls: tls, host: "host.test") {
            $0.evaluationDate = TestDate.present
            if !example.isTrusted { $0.trust = TrustEvaluator(anchors: TrustAnchors(certificates: [])) }
        }
        #expect(report.verdict == .failed(example.code, .tls), "\(report.findings)")
        // In TLS 1.2 the library looks at the key's usage after the certificates were accepted.
        let expected = version == .tls13 ? example.refusals : [example.code]
        #expect(Set(report.findings.filter { $0.severity == .refusal }.map(\.code)) == expected)
        let trust = try #require(report.hop.tls?.trust, "the certificates are not in the report")
        #expect(trust.presentedChain.map(\.sha256) == tls.chain.map { CertificateDescription(der: $0).sha256 })
        #expect(trust.presentedChain.first?.notValidAfter == example.notAfter)
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `the keys of a handshake are forgotten with it`(_ version: ServerTLS.Version) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let services = CheckServices(resolver: TableResolver(names: CheckBench().names))
        var tls = try CheckBench.tls()
        tls.maximumVersion = version
        for anchors in [[try CheckBench.authority.get().root.der], []] {
            let server = try await ScriptedServer.start(
                [.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))],
                tls: tls
            )
            var probe = try CheckBench.probe(server.url(host: "host.test"))
            probe.trust = TrustEvaluator(anchors: TrustAnchors(certificates: anchors))
            let report = await CheckBench.check(probe, on: group.next(), services)
            #expect((report.verdict == .ok) == !anchors.isEmpty, "\(report.findings)")
            #expect(services.contexts.secrets.count == 0)
            await server.shutDown()
        }
        services.end()
        try await group.shutdownGracefully()
    }

    @Test
    func `without a thread for the evaluation a check ends with the reason, and the next one retries`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let attempts = Mutex(0)
        let threads = TargetThreads("test", maximumThreads: 2) { name, body throws(SystemError) in
            let isFirst = attempts.withLock { attempts in
                attempts += 1
                return attempts == 1
            }
            if isFirst { throw SystemError(errno: EAGAIN) }
            try NamedThread.start(name, body)
        }
        let services = CheckServices(resolver: TableResolver(names: CheckBench().names), evaluations: threads)
        let server = try await ScriptedServer.start([.serve(.text("hello"))], tls: try CheckBench.tls())
        let probe = try CheckBench.probe(server.url(host: "host.test"))
        let report = await CheckBench.check(probe, on: group.next(), services)
        #expect(report.verdict == .unknown(.resourcesExhausted, .tls))
        #expect(report.findings.map(\.evidence) == ["start a thread: Resource temporarily unavailable"])
        #expect(await CheckBench.check(probe, on: group.next(), services).verdict == .ok)
        await server.shutDown()
        services.end()
        try await group.shutdownGracefully()
    }

    @Test func `a chain is evaluated away from the event loop, and the deadline holds while it waits`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let services = CheckServices(resolver: TableResolver(names: CheckBench().names))
        let gates = try (0..<2).map { number in
            let gate = DispatchSemaphore(value: 0)
            try services.evaluations.submit(for: "busy \(number)", within: .unlimited()) { gate.wait() }
            return gate
        }
        let server = try await ScriptedServer.start(
            [.send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))],
            tls: try CheckBench.tls()
        )
        var probe = try CheckBench.probe(server.url(host: "host.test"))
        let report: CheckReport = await timingOut(
            after: .milliseconds(300),
            where: { $0.verdict.phase == .tls }
        ) { timeout in
            probe.timeout = timeout
            return await CheckBench.check(probe, on: group.next(), services)
        }
        #expect(report.verdict == .failed(.timeout, .tls), "\(report.findings)")
        #expect(services.evaluations.waitingCount == 0)
        #expect(services.contexts.secrets.count == 0)
        for gate in gates { gate.signal() }
        probe.timeout = .seconds(60)
        #expect(await CheckBench.check(probe, on: group.next(), services).verdict == .ok)
        await server.shutDown()
        services.end()
        try await group.shutdownGracefully()
    }
}

/// The certificates of a handshake that somebody else has recorded.
@Suite struct ServerFlightTests {
    static func record(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [type, 3, 3, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [type, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    /// A TLS 1.2 flight with two certificates of a few bytes.
    static let flight: [UInt8] = {
        let hello = message(2, [3, 3] + Array(repeating: 7, count: 32) + [0, 0xC0, 0x2B, 0])
        let list: [UInt8] = [0, 0, 3, 1, 2, 3, 0, 0, 1, 9]
        return record(22, hello) + record(22, message(11, [0, 0, UInt8(list.count)] + list))
    }()

    private func certificates(_ bytes: [UInt8], secret: [UInt8]? = nil) -> [[UInt8]] {
        var flight = ServerFlight()
        flight.append(bytes)
        return flight.certificates(secret: secret)
    }

    @Test func `certificates in the clear are read`() {
        #expect(certificates(Self.flight) == [[1, 2, 3], [9]])
    }

    @Test func `messages may be spread over records`() {
        var spread: [UInt8] = []
        // Each record's content goes byte by byte into records of its own.
        var rest = Self.flight[...]
        while rest.count > 5 {
            let length = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
            for byte in rest.dropFirst(5).prefix(length) { spread += Self.record(22, [byte]) }
            rest = rest.dropFirst(5 + length)
        }
        #expect(certificates(spread) == [[1, 2, 3], [9]])
    }

    @Test func `a truncated or undecryptable flight gives no certificates, and a changed one never traps`() {
        for length in 0..<Self.flight.count { #expect(certificates(Array(Self.flight.prefix(length))).isEmpty) }
        for index in Self.flight.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = Self.flight
                bytes[index] ^= mask
                _ = certificates(bytes, secret: Array(repeating: 1, count: 32))
            }
        }
        for suite: UInt8 in 0...4 {
            let hello = Self.message(2, [3, 3] + Array(repeating: 7, count: 32) + [0, 0x13, suite, 0])
            for count in [0, 1, 16, 17, 40] {
                let bytes = Self.record(22, hello) + Self.record(23, Array(repeating: 5, count: count))
                #expect(certificates(bytes, secret: Array(repeating: 1, count: 32)).isEmpty)
            }
        }
    }

    @Test func `a flight has a bound`() {
        var flight = ServerFlight()
        for _ in 0..<100 { flight.append(Array(repeating: 22, count: 1 << 14)) }
        #expect(flight.bytes.count == ServerFlight.maximumSize)
    }
}
