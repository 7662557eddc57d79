import FoundationEssentials
import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct RedirectTests {
    private func check(
        _ responses: [String: ScriptedResponse],
        tls: ServerTLS? = nil,
        host: String? = "host.test",
        maximum: Int = 5,
        _ change: (inout Probe) -> Void = { _ in }
    ) async throws -> (report: CheckReport, server: ScriptedServer) {
        try await CheckBench().check([.serve(responses)], tls: tls, path: "/start", host: host) { probe in
            probe.maximumRedirects = maximum
            change(&probe)
        }
    }

    @Test
    func `a redirect is a response unless redirects are followed`() async throws {
        let (report, server) = try await check(["/start": .redirect(to: "/end")], maximum: 0)
        #expect(report.verdict == .failed(.httpStatus, .body))
        #expect(report.hops.count == 1)
        #expect(report.hop.response?.status == 302)
        #expect(server.requests.count == 1)
    }

    @Test
    func `each redirect target is a hop of its own`() async throws {
        let tls = try CheckBench.tls()
        let (report, server) = try await check(["/start": .redirect(to: "end?x"), "/end?x": .text("there")], tls: tls)
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hops.map(\.response?.status) == [302, 200])
        #expect(report.hops.allSatisfy { $0.tls?.trust?.isAccepted == true })
        #expect(report.hops.last?.url == server.url("/end?x", host: "host.test"))
        #expect(report.hops.allSatisfy { $0.phases.first?.phase == .resolve })
        #expect(server.requests.map(\.target) == ["/start", "/end?x"])
    }

    @Test(arguments: ["/end ", "/end \t", "\t/end", "/end\r\n "])
    func `whitespace around a redirect's target is not part of it`(location: String) async throws {
        let (report, server) = try await check(["/start": .redirect(to: location), "/end": .text("there")])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(server.requests.map(\.target) == ["/start", "/end"])
    }

    @Test(arguments: [("/caf\u{E9}", "/caf%E9"), ("/caf\u{C3}\u{A9}", "/caf%C3%A9"), ("?\u{FF}=a", "/start?%FF=a")])
    func `the bytes of a redirect's target are those that the server sent`(location: String, path: String) async throws
    {
        // The characters are the bytes of ISO 8859-1.
        let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(location)\r\n\r\n"
        let bytes = head.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let server = try await ScriptedServer.start(scripts: [
            [.receiveRequest, .send(bytes), .close], [.serve([path: .text("there")])],
        ])
        let report = try await CheckBench().check(server.url("/start")) { $0.maximumRedirects = 1 }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(server.requests.map(\.target) == ["/start", path])
        await server.shutDown()
    }

    @Test
    func `a redirect is followed whatever the encoding and the size of its content`() async throws {
        var encoded = ScriptedResponse.redirect(to: "/large")
        encoded.headers.append(HeaderField(name: "Content-Encoding", value: "br"))
        encoded.body = [0x78]
        var large = ScriptedResponse.redirect(to: "/end")
        large.body = Array(repeating: 0x78, count: 2 << 20)
        let (report, _) = try await check(["/start": encoded, "/large": large, "/end": .text("there")])
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(report.hops.map(\.response?.status) == [302, 302, 200])
    }

    @Test
    func `loops, limits and unusable redirect targets end the check`() async throws {
        let loop = try await check(["/start": .redirect(to: "/a"), "/a": .redirect(to: "/start")])
        #expect(loop.report.verdict.code == .redirectLoop)
        #expect(loop.report.hops.count == 2)
        let steps = Dictionary(
            uniqueKeysWithValues: (0..<9).map { ("/\($0)", ScriptedResponse.redirect(to: "/\($0 + 1)")) }
        )
        let limit = try await check(steps.merging(["/start": .redirect(to: "/0")]) { $1 }, maximum: 3)
        #expect(limit.report.verdict.code == .redirectLimit)
        #expect(limit.report.hops.count == 4)
        let scheme = try await check(["/start": .redirect(to: "ftp://host.test/")])
        #expect(scheme.report.verdict.code == .redirectRefused)
        let invalid = try await check(["/start": .redirect(to: "http://[::1/")])
        #expect(invalid.report.verdict.code == .redirectInvalid)
        let user = try await check(["/start": .redirect(to: "http://user:word@host.test/")])
        #expect(user.report.verdict.code == .redirectInvalid)
    }

    @Test
    func `a check that started with TLS does not continue without`() async throws {
        let (report, _) = try await check(["/start": .redirect(to: "http://host.test:1/")], tls: CheckBench.tls())
        #expect(report.verdict.code == .redirectRefused)
        #expect(report.hops.count == 1)
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
        (301, "PUT", "PUT"), (307, "POST", "POST"), (308, "POST", "POST"), (302, "HEAD", "HEAD"),
    ])
    func `the method changes as RFC 9110 says`(status: Int, method: String, next: String) async throws {
        let hasBody = method != "HEAD"
        let (report, server) = try await check(
            ["/start": .redirect(to: "/end", status: status), "/end": ScriptedResponse(204)]
        ) { probe in
            let body = ProbeRequest.Body.bytes(Array("payload".utf8), contentType: "text/plain")
            probe.request = ProbeRequest(method: method, body: hasBody ? body : nil)
        }
        #expect(report.verdict == .ok, "\(report.findings)")
        let request = try #require(server.requests.last)
        #expect(request.method == next)
        let keepsBody = hasBody && next == method
        #expect(request.body == (keepsBody ? Array("payload".utf8) : []))
        #expect((request.header("Content-Type") != nil) == keepsBody)
    }

    @Test
    func `credentials are sent only to the origin they were set for`() async throws {
        let other = try await ScriptedServer.start([.serve(ScriptedResponse(204))])
        let headers = try HeaderFields([
            HeaderField(name: "Cookie", value: "secret"), HeaderField(name: "X-Kept", value: "kept"),
        ])
        let credentials = try BasicCredentials(user: "user", password: "word")
        let (report, server) = try await check([
            "/start": .redirect(to: "/same"), "/same": .redirect(to: "http://127.0.0.1:\(other.port)/other"),
        ]) { $0.request = ProbeRequest(headers: headers, credentials: credentials) }
        #expect(report.verdict == .ok, "\(report.findings)")
        #expect(server.requests.map { $0.header("Authorization") != nil } == [true, true])
        #expect(server.requests.map { $0.header("Cookie") } == ["secret", "secret"])
        let last = try #require(other.requests.first)
        #expect(last.header("Authorization") == nil)
        #expect(last.header("Cookie") == nil)
        #expect(last.header("X-Kept") == "kept")
        #expect(last.header("Host") == "127.0.0.1:\(other.port)")
        await other.shutDown()
    }

    @Test
    func `the client certificate is sent only to the origin it was set for`() async throws {
        let authority = try CheckBench.authority.get()
        let client = try authority.intermediate.issue(.client())
        let tls = try CheckBench.tls { $0.clientCertificate = .required }
        let identity = try ClientIdentity(
            certificatePEM: Array((client.pem + authority.intermediate.pem).utf8),
            keyPEM: Array(client.key.pkcs8PEM.utf8)
        )
        let other = try await ScriptedServer.start([.serve(.text("never"))], tls: tls)
        let (report, _) = try await check(
            ["/start": .redirect(to: "/same"), "/same": .redirect(to: "https://host.test:\(other.port)/")],
            tls: tls
        ) { $0.tls.clientIdentity = identity }
        #expect(report.hops.map { $0.response?.status } == [302, 302, nil])
        #expect(report.verdict.code == .tlsClientCertificate, "\(report.findings)")
        #expect(other.requests.isEmpty)
        await other.shutDown()
    }

    @Test
    func `the Host field that a caller set stays with its origin`() async throws {
        let other = try await ScriptedServer.start([.serve(ScriptedResponse(204))])
        let headers = try HeaderFields([HeaderField(name: "Host", value: "virtual.test")])
        let (_, server) = try await check([
            "/start": .redirect(to: "/same"), "/same": .redirect(to: "http://127.0.0.1:\(other.port)/other"),
        ]) { $0.request = ProbeRequest(headers: headers) }
        #expect(server.requests.map { $0.header("Host") } == ["virtual.test", "virtual.test"])
        #expect(other.requests.map { $0.header("Host") } == ["127.0.0.1:\(other.port)"])
        await other.shutDown()
    }

    @Test
    func `a check has one evaluation date, and each finding about its server once`() async throws {
        let authority = try CheckBench.authority.get()
        let leaf = try authority.intermediate.issue(
            .server(names: ["host.test"]).with {
                ($0.notBefore, $0.notAfter) = (TestDate.utc(2020), TestDate.utc(2021))
            }
        )
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: [try PinnedCertificate(der: leaf.der)],
            allowsInvalidCertificates: true
        )
        // The first hop has its handshake, and then takes until the next second.
        let gate = ServerGate()
        async let opening: Void = {
            func second() -> Double { Date().timeIntervalSince1970.rounded(.down) }
            let first = second()
            while second() == first { await Task.yield() }
            gate.open()
        }()
        let (report, _) = try await CheckBench().check(
            [.wait(gate), .serve(["/": .redirect(to: "/end"), "/end": .text("there")])],
            tls: ServerTLS(leaf, intermediates: [authority.intermediate]),
            host: "host.test"
        ) { probe in
            probe.maximumRedirects = 1
            probe.trust = TrustEvaluator(policy: policy, anchors: TrustAnchors(certificates: [authority.root.der]))
        }
        await opening
        #expect(report.hops.map { $0.tls?.trust?.isAccepted } == [true, true], "\(report.findings)")
        #expect(report.findings.count { $0.code == .tlsExpired } == 1, "\(report.findings)")
    }

    @Test
    func `a certificate is evaluated for its own hop`() async throws {
        let stranger = try TestAuthority.standard()
        let tls = ServerTLS(chain: stranger.presented, key: stranger.leaf.key.pkcs8PEM)
        let other = try await ScriptedServer.start([.serve(.text("never"))], tls: tls)
        let (report, _) = try await check(
            ["/start": .redirect(to: "https://host.test:\(other.port)/")],
            tls: CheckBench.tls()
        )
        #expect(report.hops.map { $0.tls?.trust?.isAccepted } == [true, false])
        #expect(report.verdict.phase == .tls)
        #expect(other.requests.isEmpty)
        await other.shutDown()
    }
}
