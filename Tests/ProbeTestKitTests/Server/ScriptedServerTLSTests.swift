import NIOSSL
import ProbeTestKit
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ScriptedServerTLSTests {
    private let certificate: IssuedCertificate

    init() throws { certificate = try .selfSigned(.server(names: ["server.test"])) }

    private func tls(_ change: (inout ServerTLS) -> Void = { _ in }) -> ServerTLS {
        var tls = ServerTLS(certificate)
        change(&tls)
        return tls
    }

    @Test
    func `the handshake is done before the first step, and the name is recorded`() async throws {
        let server = try await ScriptedServer.start(
            [.receiveRequest, .respond(.text("secret")), .close],
            tls: tls { $0.applicationProtocols = ["http/1.1"] }
        )
        let client = try RawClient.tls(protocols: ["h2", "http/1.1"])
        let outcome = try await client.exchange(port: server.port, send: "GET / HTTP/1.1\r\n\r\n")
        await server.shutDown()
        #expect(outcome.text.hasSuffix("secret"))
        #expect(outcome.error == nil)
        #expect(outcome.applicationProtocol == "http/1.1")
        #expect(outcome.tlsVersion == .tlsv13)
        #expect(server.serverNames == ["server.test"])
        #expect(server.applicationProtocols == ["http/1.1"])
        #expect(server.requests.map(\.target) == ["/"])
    }

    @Test(arguments: [(ServerTLS.Version.tls10, 0), (.tls11, 1), (.tls12, 2), (.tls13, 3)])
    func `a server speaks exactly the configured version`(version: ServerTLS.Version, index: Int) async throws {
        let server = try await ScriptedServer.start(
            [.send("x"), .close],
            tls: tls {
                $0.minimumVersion = version
                $0.maximumVersion = version
            }
        )
        let same = try await RawClient.tls(versions: 0...3).exchange(port: server.port)
        let other = try await RawClient.tls(versions: index < 2 ? 2...3 : 0...1).exchange(port: server.port)
        await server.shutDown()
        #expect(same.tlsVersion == version.expected)
        #expect(same.text == "x")
        #expect(!other.isSecured)
        #expect(other.error?.contains("PROTOCOL") == true, "\(other.error ?? "no error")")
    }

    @Test
    func `a client certificate is requested, and rejected when another authority issued it`() async throws {
        func exchange(_ wanted: ServerTLS.ClientCertificate, _ own: IssuedCertificate?) async throws -> String? {
            let script: [ServerStep] = [.send("in"), .close]
            let server = try await ScriptedServer.start(script, tls: tls { $0.clientCertificate = wanted })
            let outcome = try await RawClient.tls(certificate: own).exchange(port: server.port)
            await server.shutDown()
            return outcome.text == "in" ? "in" : outcome.error
        }
        var template = CertificateTemplate.client()
        // The TLS library compares with the machine's clock.
        template.notAfter = TestDate.utc(2100)
        let issuer = try IssuedCertificate.selfSigned(.authority())
        let own = try issuer.issue(template)
        #expect(try await exchange(.required, own) == "in")
        #expect(try await exchange(.optional, nil) == "in")
        #expect(try await exchange(.issued(by: [issuer.der]), own) == "in")
        #expect(try await exchange(.required, nil) != "in")
        #expect(try await exchange(.issued(by: [certificate.der]), own) != "in")
    }

    @Test(arguments: [
        ([ServerStep.receiveClientHello, .reset], "reset"),
        ([.receiveClientHello, .drop], "EOF during handshake"),
        ([.receiveClientHello, .alert(40)], "HANDSHAKE_FAILURE"),
        ([.receiveClientHello, .alert(112)], "UNRECOGNIZED_NAME"),
        ([.receiveClientHello, .send("SSH-2.0-scripted\r\n")], "WRONG_VERSION_NUMBER"),
        ([.receiveClientHello, .respond(.text("plain", status: 400))], "WRONG_VERSION_NUMBER"),
    ])
    func `a handshake can fail in each scripted manner`(script: [ServerStep], expected: String) async throws {
        let server = try await ScriptedServer.start(script)
        let outcome = try await RawClient.tls().exchange(port: server.port)
        await server.shutDown()
        #expect(!outcome.isSecured)
        #expect(outcome.error?.contains(expected) == true, "\(outcome.error ?? "no error")")
    }

    @Test
    func `a server can leave the client's hello unanswered`() async throws {
        let gate = ServerGate()
        let server = try await ScriptedServer.start([.receiveClientHello, .wait(gate), .drop])
        async let outcome = RawClient.tls().exchange(port: server.port)
        await server.accepted(connections: 1)
        #expect(server.serverNames == [nil])
        gate.open()
        #expect(try await !outcome.isSecured)
        await server.shutDown()
    }

    @Test(arguments: [[ServerStep.reset], [.send("half"), .drop]])
    func `an end after the handshake is not taken for TLS's own`(script: [ServerStep]) async throws {
        let server = try await ScriptedServer.start(script, tls: tls { $0.maximumVersion = .tls12 })
        let outcome = try await RawClient.tls().exchange(port: server.port)
        await server.shutDown()
        #expect(outcome.isSecured)
        #expect(outcome.error != nil)
    }
}

extension ServerTLS.Version {
    fileprivate var expected: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}
