import AgentTestKit
import Dispatch
import FoundationEssentials
import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct TLSCheckTests {
    @Test(arguments: [("TLSv1.2", ServerTLS.Version.tls12), ("TLSv1.3", .tls13)])
    func `a good server is checked over TLS`(name: String, version: ServerTLS.Version) async throws {
        let tls = try CheckBench.tls { $0.maximumVersion = version }
        let (report, server) = try await CheckBench().check([.serve(.text("hello"))], tls: tls, host: "host.test")
        #expect(report.verdict == .ok)
        #expect(report.phases == [.resolve, .connect, .tls, .request, .firstByte, .body])
        let seen = try #require(report.hop.tls)
        #expect(seen.version == name)
        #expect(seen.serverName == "host.test")
        #expect(seen.applicationProtocol == nil)
        #expect(seen.trust?.isAccepted == true)
        #expect(seen.trust?.presentedChain.count == 2)
        #expect(server.serverNames == ["host.test"])
        #expect(report.hop.response?.httpVersion == "1.1")
    }

    @Test
    func `a trailing dot is part of the lookup and of the request, and not of the server's name`() async throws {
        var bench = CheckBench()
        bench.names = ["host.test.": ["127.0.0.1"]]
        let (report, server) = try await bench.check([.serve(.text("ok"))], tls: CheckBench.tls(), host: "host.test.")
        #expect(report.verdict == .ok)
        #expect(report.target.hasPrefix("https://host.test.:"))
        #expect(server.serverNames == ["host.test"])
        #expect(report.hops.first?.tls?.serverName == "host.test")
        #expect(server.requests.first?.header("Host")?.hasPrefix("host.test.:") == true)

        bench.names = ["host.test": ["127.0.0.1"]]
        let (missing, unasked) = try await bench.check([], host: "host.test.")
        #expect(missing.verdict == .failed(.dnsNXDomain, .resolve))
        #expect(unasked.requests.isEmpty)
    }

    @Test
    func `an address is checked without a server name`() async throws {
        let (report, server) = try await CheckBench().check([.serve(.text("hello"))], tls: CheckBench.tls())
        #expect(report.verdict == .ok)
        #expect(report.hop.tls?.serverName == nil)
        #expect(server.serverNames == [nil])
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `a rejected server never receives the request`(version: ServerTLS.Version) async throws {
        let tls = try CheckBench.tls { $0.maximumVersion = version }
        let server = try await ScriptedServer.start([.receiveRequest], tls: tls)
        let report = try await CheckBench().check(server.url(host: "other.test"))
        #expect(report.verdict == .failed(.tlsHostname, .tls))
        #expect(report.hop.tls?.trust?.isAccepted == false)
        #expect(report.findings.first?.code == .tlsHostname)
        #expect(report.hop.response == nil)
        await server.ended(connections: 1)
        #expect(server.requests.isEmpty)
        #expect(server.connectionErrors.count == 1, "the server got the client's alert")
        await server.shutDown()
    }

    @Test
    func `an unknown authority is rejected, and a policy may accept it`() async throws {
        let stranger = try TestAuthority.standard()
        let tls = ServerTLS(chain: stranger.presented, key: stranger.leaf.key.pkcs8PEM)
        let server = try await ScriptedServer.start([.serve(.text("hello"))], tls: tls)
        let refused = try await CheckBench().check(server.url(host: "host.test"))
        #expect(refused.verdict.phase == .tls)
        #expect(refused.hop.tls?.trust?.isAccepted == false)
        let accepted = try await CheckBench().check(server.url(host: "other.test")) { probe in
            let policy = SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false)
            probe.trust = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: []))
        }
        #expect(accepted.verdict == .ok, "the TLS library's own look at the name is off")
        await server.shutDown()
    }

    @Test
    func `the validation time is the caller's`() async throws {
        let (report, _) = try await CheckBench().check([.silence], tls: CheckBench.tls(), host: "host.test") { probe in
            probe.evaluationDate = .distantFuture
        }
        #expect(report.verdict == .failed(.tlsExpired, .tls))
    }

    @Test(arguments: [TestKey.Kind.p384, .p521, .ed25519, .rsa2048], [ServerTLS.Version.tls12, .tls13])
    func `servers with other keys get a verdict`(kind: TestKey.Kind, version: ServerTLS.Version) async throws {
        let authority = try CheckBench.authority.get()
        let key = try TestKey(kind, seed: "server")
        let chain = try authority.presenting(.server(names: ["host.test"]), key: key)
        var tls = ServerTLS(chain: chain, key: key.pkcs8PEM)
        tls.maximumVersion = version
        let (report, _) = try await CheckBench().check([.serve(.text("hello"))], tls: tls, host: "host.test")
        #expect(report.hop.tls?.trust?.isAccepted == true, "\(report.findings)")
        #expect(report.verdict == .ok)
    }

    @Test(arguments: [0x17, 0x18, 0x19, 0x1D, 0x11EC] as [UInt16])
    func `a server with one group for the key exchange is checked`(group: UInt16) async throws {
        for version in [ServerTLS.Version.tls12, .tls13] where version == .tls13 || group != 0x11EC {
            let tls = try CheckBench.tls { ($0.maximumVersion, $0.groups) = (version, [group]) }
            let (report, _) = try await CheckBench().check([.serve(.text("hello"))], tls: tls, host: "host.test")
            #expect(report.verdict == .ok, "\(version): \(report.findings)")
        }
    }

    @Test
    func `a server that only speaks old versions is distinguished from others`() async throws {
        let tls = try CheckBench.tls { tls in
            tls.minimumVersion = .tls10
            tls.maximumVersion = .tls11
        }
        let (report, _) = try await CheckBench().check([.silence], tls: tls, host: "host.test")
        #expect(report.verdict == .failed(.tlsProtocolVersion, .tls))
        let twelve = try CheckBench.tls { $0.maximumVersion = .tls12 }
        let (strict, _) = try await CheckBench().check([.silence], tls: twelve, host: "host.test") { probe in
            probe.tls.minimumVersion = .tls13
        }
        #expect(strict.verdict == .failed(.tlsProtocolVersion, .tls))
    }

    @Test(arguments: [
        ([ServerStep.receiveClientHello, .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .close], FindingCode.tlsNotSpoken),
        ([.receiveClientHello, .send("SSH-2.0-OpenSSH_9.2\r\n"), .close], .tlsNotSpoken),
        // A server that reads our hello not to its end resets the connection when it closes.
        ([.receiveClientHello, .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .reset], .tlsNotSpoken),
        ([.receive(1), .send("220 mail.test ESMTP\r\n"), .reset], .tlsNotSpoken),
        ([.receiveClientHello, .send("x"), .reset], .tlsNotSpoken),
        ([.receiveClientHello, .send("x"), .close], .tlsNotSpoken),
        ([.receiveClientHello, .send([22, 3]), .reset], .connectionReset),
        ([.receiveClientHello, .close], .tlsClosed), ([.receiveClientHello, .reset], .connectionReset),
        ([.receiveClientHello, .alert(40)], .tlsAlert), ([.receiveClientHello, .alert(112)], .tlsAlert),
        ([.receiveClientHello, .alert(70)], .tlsProtocolVersion),
        ([.receiveClientHello, .alert(116)], .tlsClientCertificate),
    ])
    func `each kind of handshake failure has its code`(script: [ServerStep], code: FindingCode) async throws {
        let server = try await ScriptedServer.start(script)
        let report = try await CheckBench().check("https://127.0.0.1:\(server.port)/")
        #expect(report.verdict == .failed(code, .tls), "\(report.findings)")
        #expect(report.phases == [.connect, .tls])
        if code == .tlsAlert { #expect(report.findings.first?.evidence.contains("_") == true, "the alert has a name") }
        await server.shutDown()
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request", "SSH-2.0-OpenSSH_9.2", "220 mail.test ESMTP", "x"])
    func `the first line of a server that does not speak TLS is the evidence`(line: String) async throws {
        let server = try await ScriptedServer.start([.receiveClientHello, .send("\(line)\r\nmore"), .close])
        let report = try await CheckBench().check("https://127.0.0.1:\(server.port)/")
        #expect(report.verdict == .failed(.tlsNotSpoken, .tls))
        #expect(report.findings.map(\.evidence) == ["the server answered '\(line)'"])
        await server.shutDown()
    }

    @Test(arguments: [1, 2, 100])
    func `the first line is complete in pieces of any size`(piece: Int) {
        var opening = TLSOpening()
        var rest = Array("\r\n220 mail.test ESMTP\r\nmore".utf8)[...]
        while !rest.isEmpty {
            opening.take(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        #expect(opening.firstLine == "220 mail.test ESMTP")
    }

    /// Records of TLS 1.2: the server's hello, a request for a certificate split over two records, and an alert.
    private static let opening: [UInt8] =
        [22, 3, 3, 0, 6, 2, 0, 0, 2, 3, 3] + [22, 3, 3, 0, 5, 13, 0, 0, 2, 1] + [22, 3, 3, 0, 1, 64]
        + [21, 3, 3, 0, 2, 2, 40]

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `a certificate request is detected in pieces of any size`(piece: Int) {
        var opening = TLSOpening()
        var rest = Self.opening[...]
        while !rest.isEmpty {
            opening.take(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        #expect(opening.asksForCertificate)
        #expect(!opening.isForeign)
    }

    @Test func `nothing is read after encryption starts, and any bytes are accepted`() {
        var encrypted = TLSOpening()
        encrypted.take([20, 3, 3, 0, 1, 1] + Self.opening)
        #expect(!encrypted.asksForCertificate)
        var plain = TLSOpening()
        plain.take(Array("220 \u{1B}[31m\r\nmore".utf8))
        #expect(plain.isForeign)
        #expect(plain.firstLine.hasPrefix("220 "))
        #expect(!plain.firstLine.contains("\u{1B}"))
        #expect(!plain.firstLine.contains("more"))
        for first in UInt8.min ... .max {
            var opening = TLSOpening()
            opening.take([first, 3, 3, 255, 255] + [UInt8](repeating: 255, count: 70_000))
            #expect(opening.isForeign == !(20...24).contains(first))
        }
    }

    @Test(arguments: [ServerTLS.Version.tls12, .tls13])
    func `a missing client certificate is distinguished from other failures`(version: ServerTLS.Version) async throws {
        let tls = try CheckBench.tls { tls in
            tls.clientCertificate = .required
            tls.maximumVersion = version
        }
        let (report, server) = try await CheckBench().check([.serve(.text("hello"))], tls: tls, host: "host.test")
        #expect(report.verdict.code == .tlsClientCertificate, "\(report.findings)")
        if version == .tls12 { #expect(report.verdict.phase == .tls) }
        #expect(server.requests.isEmpty)
    }

    @Test
    func `a client certificate is sent to a server that requests it`() async throws {
        let authority = try CheckBench.authority.get()
        let client = try authority.intermediate.issue(.client())
        let tls = try CheckBench.tls { $0.clientCertificate = .required }
        let identity = try ClientIdentity(
            certificatePEM: Array((client.pem + authority.intermediate.pem).utf8),
            keyPEM: Array(client.key.pkcs8PEM.utf8)
        )
        let (report, _) = try await CheckBench().check([.serve(.text("hello"))], tls: tls, host: "host.test") { probe in
            probe.tls.clientIdentity = identity
        }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(!String(reflecting: identity).contains("KEY"))
    }

    @Test
    func `a client key that does not belong to the certificate is an error that names it`() throws {
        let authority = try CheckBench.authority.get()
        let client = try authority.intermediate.issue(.client())
        #expect(throws: ClientIdentity.LoadError.otherKey(source: "k.pem")) {
            try ClientIdentity(
                certificatePEM: Array(client.pem.utf8),
                keyPEM: Array(authority.leaf.key.pkcs8PEM.utf8),
                keySource: "k.pem"
            )
        }
    }

    @Test
    func `files without a certificate or a key are errors that name them`() {
        #expect(throws: ClientIdentity.LoadError.self) {
            try ClientIdentity(certificateFile: "/nonexistent/c.pem", keyFile: "/nonexistent/k.pem")
        }
        #expect(throws: ClientIdentity.LoadError.noCertificate(source: "the client certificate")) {
            try ClientIdentity(certificatePEM: [1, 2, 3], keyPEM: [])
        }
    }

    @Test
    func `a key that others can read, and a path that is not a regular file, are rejected`() throws {
        let client = try CheckBench.authority.get().intermediate.issue(.client())
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let certificate = try directory.file("c.pem", client.pem)
        let key = try directory.file("k.pem", client.key.pkcs8PEM, mode: 0o644)
        let open = ClientIdentity.LoadError.unreadable(
            path: key,
            reason: "can be read or written by others: use chmod o-rw"
        )
        #expect(throws: open) { try ClientIdentity(certificateFile: certificate, keyFile: key) }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
        #expect(throws: Never.self) { try ClientIdentity(certificateFile: certificate, keyFile: key) }
        #expect(throws: ClientIdentity.LoadError.unreadable(path: "/dev/zero", reason: "is not a regular file")) {
            try ClientIdentity(certificateFile: "/dev/zero", keyFile: key)
        }
    }

    @Test
    func `protocol names that ALPN cannot carry are left out`() async throws {
        let (report, server) = try await CheckBench().check(
            [.serve(.text("hello"))],
            tls: CheckBench.tls { $0.applicationProtocols = ["http/1.1"] },
            host: "host.test"
        ) { probe in
            probe.tls.applicationProtocols = ["é", "", String(repeating: "x", count: 300), "http/1.1"]
        }
        #expect(report.verdict == .ok)
        #expect(server.applicationProtocols == ["http/1.1"])
    }

    @Test
    func `a connection end without a TLS closure alert truncates a body without a length`() async throws {
        let head = ServerStep.send("HTTP/1.1 200 OK\r\n\r\npart of the body")
        let (cut, _) = try await CheckBench().check([.receiveRequest, head, .drop], tls: CheckBench.tls())
        #expect(cut.verdict == .failed(.httpTruncated, .body), "\(cut.findings)")
        let (whole, _) = try await CheckBench().check([.receiveRequest, head, .close], tls: CheckBench.tls())
        #expect(whole.verdict == .ok, "\(whole.findings)")
        #expect(whole.hop.response?.bodyBytes == 16)
    }

    @Test
    func `a reset right after a complete response hides nothing`() async throws {
        let gate = ServerGate()
        let server = try await ScriptedServer.start(
            [.receiveRequest, .wait(gate), .respond(.text("hello")), .reset],
            tls: CheckBench.tls()
        )
        let prober = Prober()
        let probe = try CheckBench.probe(server.url())
        let pinned = try CheckBench.probe("http://127.0.0.1/") { probe in
            let policy = SecurityPolicy(pinningMode: .publicKey)
            probe.trust = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: []))
        }
        async let report = prober.check(probe)
        await server.received(requests: 1)
        // The prober's thread stands still until response and reset are both there.
        let release = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            prober.start(pinned) { _ in
                continuation.resume()
                release.wait()
            }
        }
        gate.open()
        await server.ended(connections: 1)
        release.signal()
        let verdict = await report.verdict
        #expect(verdict == .ok)
        await prober.shutDown()
        await server.shutDown()
    }

    @Test
    func `pinning a target without TLS is an error before anything is sent`() async throws {
        let server = try await ScriptedServer.start([.silence])
        let probe = try CheckBench.probe(server.url("/?token=abcdefgh")) { probe in
            let policy = SecurityPolicy(pinningMode: .publicKey)
            probe.trust = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: []))
        }
        let error = SecurityPolicyError.pinningWithoutTLS(target: server.url("/?token=(not-shown)"))
        #expect(throws: error) { try probe.validate() }
        let report = await CheckBench().check(probe)
        #expect(report.verdict.code == .requestInvalid)
        #expect(server.connections == 0)
        await server.shutDown()
    }
}
