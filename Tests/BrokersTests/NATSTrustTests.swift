import AgentTestKit
import Foundation
import ProbeTestKit
import Sinks
import Testing

@testable import Brokers

/// TLS, and servers that hang.
@Suite(.onOwnThread, .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct NATSTrustTests {
    /// Valid whenever the test runs, for `localhost` and 127.0.0.1.
    private static let leaf = CertificateTemplate.server(names: ["localhost"], addresses: ["127.0.0.1"]).with {
        $0.notBefore = TestDate.utc(2020)
        $0.notAfter = TestDate.utc(2040)
    }

    /// A server with a certificate, and the file of its authority.
    private struct Encrypted {
        let server: NATSServer
        let directory: TemporaryDirectory
        let authorities: String

        init(_ leaf: CertificateTemplate = NATSTrustTests.leaf, clientAuthority: String? = nil) async throws {
            let authority = try TestAuthority(leaf: leaf)
            directory = try TemporaryDirectory()
            authorities = try directory.file("ca.pem", authority.root.pem)
            let chain = try directory.file("chain.pem", authority.presentedPEM)
            let key = try directory.file("key.pem", authority.leaf.key.pkcs8PEM)
            var verification = ""
            if let clientAuthority {
                verification = ", ca_file: \"\(try directory.file("clients.pem", clientAuthority))\", verify: true"
            }
            server = try await NATSServer(
                configuration: "tls { cert_file: \"\(chain)\", key_file: \"\(key)\"\(verification) }"
            )
        }

        func sink(
            scheme: String = "tls",
            host: String = "localhost",
            _ change: (inout SinkSettings) -> Void = { _ in }
        ) throws -> SinkSettings {
            try natsSink(server.port, scheme: scheme, host: host) {
                $0.authorities = authorities
                change(&$0)
            }
        }

        /// The reason that a sink does not get a stream; behind the door there is none.
        func failure(_ settings: SinkSettings) throws -> TransportFailure {
            let loop = try natsLoop(settings)
            loop.transport.connect()
            return try loop.nextFailure()
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]"], ["tls", "nats"])
    func `a connection to a trusted server works`(host: String, scheme: String) async throws {
        let encrypted = try await Encrypted()
        let failure = try encrypted.failure(encrypted.sink(scheme: scheme, host: host))
        #expect(failure.code == "broker_no_stream", "\(failure)")
    }

    @Test(arguments: ["tls", "nats"])
    func `an unknown authority is rejected, whether the sink or the server requires TLS`(scheme: String) async throws {
        let encrypted = try await Encrypted()
        let other = try encrypted.directory.file("other.pem", TestAuthority(leaf: Self.leaf).root.pem)
        for authorities in [other, nil] {
            let failure = try encrypted.failure(encrypted.sink(scheme: scheme) { $0.authorities = authorities })
            #expect(failure.code == "broker_tls", "\(failure)")
        }
    }

    @Test func `a certificate for another name is rejected`() async throws {
        let encrypted = try await Encrypted(
            CertificateTemplate.server(names: ["other.test"]).with {
                $0.notBefore = TestDate.utc(2020)
                $0.notAfter = TestDate.utc(2040)
            }
        )
        for host in ["localhost", "127.0.0.1"] {
            let failure = try encrypted.failure(encrypted.sink(host: host))
            #expect(failure.code == "broker_tls", "\(failure)")
        }
    }

    @Test func `a server without TLS is rejected where TLS is required`() async throws {
        let server = try await NATSServer()
        let loop = try natsLoop(natsSink(server.port, scheme: "tls"))
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_tls" && failure.detail.contains("offers no TLS"), "\(failure)")
    }

    @Test func `a client certificate gives access`() async throws {
        let clients = try TestAuthority(
            leaf: CertificateTemplate.client().with {
                $0.notBefore = TestDate.utc(2020)
                $0.notAfter = TestDate.utc(2040)
            }
        )
        let encrypted = try await Encrypted(clientAuthority: clients.root.pem)
        let chain = try encrypted.directory.file("client.pem", clients.presentedPEM)
        let key = try encrypted.directory.file("client.key", clients.leaf.key.pkcs8PEM)
        let accepted = try encrypted.failure(
            encrypted.sink { ($0.credentials.clientCertificate, $0.credentials.clientKey) = (chain, key) }
        )
        #expect(accepted.code == "broker_no_stream", "\(accepted)")
        #expect(try encrypted.failure(encrypted.sink()).code != "broker_no_stream")
        let missing = try encrypted.failure(
            encrypted.sink { ($0.credentials.clientCertificate, $0.credentials.clientKey) = (chain, key + "s") }
        )
        #expect(missing.code == "credentials_unreadable" && missing.detail.contains(key + "s"))
    }

    @Test func `one of a cluster's servers is enough`() async throws {
        let server = try await NATSServer()
        let client = try NATSTestClient(port: server.port)
        try client.makeStream("REACH")
        let loop = try natsLoop(
            natsSink(server.port) {
                $0.broker = try BrokerAddress("nats://127.0.0.1:1,127.0.0.1:\(server.port),localhost:2")
            }
        )
        for _ in 0..<8 {
            #expect(try loop.connect() == nil)
            loop.transport.disconnect()
        }
    }

    /// The times of these tests.
    private static let patience = {
        var patience = NATSTransport.Patience()
        patience.connection = .milliseconds(300)
        patience.answer = .milliseconds(300)
        return patience
    }()

    private static let words =
        #"INFO {"server_id":"X","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576"#

    /// The beginnings of a conversation after which a server says nothing more.
    static let silences = ["", words, words + ",\"tls_required\":true}\r\n", words + "}\r\n"]

    @Test(arguments: silences, ["nats", "tls"])
    func `a server that hangs is given up`(beginning: String, scheme: String) throws {
        let server = try RawServer([Array(beginning.utf8)], then: .silence, readsFirst: false)
        let loop = try natsLoop(natsSink(server.port, scheme: scheme), patience: Self.patience)
        let start = ContinuousClock.now
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(["broker_timeout", "broker_tls"].contains(failure.code), "\(failure)")
        #expect(start.duration(to: .now) < .seconds(10))
        loop.settle()
        #expect(connections(to: server.port) == 0)
    }

    @Test(arguments: silences, [false, true])
    func `a program that waits for a server that hangs continues`(beginning: String, isEncrypted: Bool) throws {
        let server = try RawServer([Array(beginning.utf8)], then: .silence, readsFirst: false)
        let settings = try natsSink(server.port)
        let address = try #require(settings.broker.servers.first)
        let options = try NATSOptions(settings, for: address, isEncrypted: isEncrypted)
        let start = ContinuousClock.now
        #expect(NATSAttempt.connect(options, to: address, within: .milliseconds(300)).connection == nil)
        #expect(start.duration(to: .now) < .seconds(10))
        #expect(connections(to: server.port) == 0)
    }

    @Test func `a server that takes no message is reported, and no event is lost to it`() throws {
        let words = Self.words.replacing("1048576", with: "0") + "}\r\n"
        let server = try RawServer(
            [Array(words.utf8)],
            then: .lastWords(Array("PONG\r\n".utf8), after: 1),
            readsFirst: false
        )
        let loop = try natsLoop(natsSink(server.port))
        loop.transport.connect()
        let failure = try withExtendedLifetime(server) { try loop.nextFailure() }
        #expect(failure.code == "broker_protocol" && failure.detail.contains("'max_payload' is 0"), "\(failure)")
    }

    @Test func `an attempt that hangs in the handshake is ended with the transport's connection`() throws {
        let server = try RawServer([Array(Self.silences[2].utf8)], then: .silence, readsFirst: false)
        let loop = try natsLoop(natsSink(server.port, scheme: "tls"))
        loop.transport.connect()
        loop.transport.disconnect()
        #expect(loop.transport.deadline != nil, "somebody has to look after the thread")
        loop.settle()
        #expect(connections(to: server.port) == 0)
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "INFO {\r\n", "\0\0\0\0\r\n", "-ERR 'no'\r\n"])
    func `a server other than NATS is named`(answer: String) throws {
        let server = try RawServer([Array(answer.utf8)], then: .close, readsFirst: false)
        let loop = try natsLoop(natsSink(server.port))
        loop.transport.connect()
        let failure = try withExtendedLifetime(server) { try loop.nextFailure() }
        #expect(["broker_protocol", "broker_unreachable"].contains(failure.code), "\(failure)")
    }

    @Test func `a server that stops answering is given up, and is retried when it answers again`() async throws {
        let server = try await NATSServer()
        let client = try NATSTestClient(port: server.port)
        try client.makeStream("REACH")
        var patience = NATSTransport.Patience()
        patience.answer = .seconds(2)
        let loop = try natsLoop(natsSink(server.port), patience: patience)
        try loop.connect()
        server.suspend()
        loop.transport.publish(natsMessage(1))
        #expect(try loop.nextFailure().code == "broker_timeout")
        server.resume()
        // The bytes in the former connection are stored in the meantime, or never.
        let next = try natsLoop(natsSink(server.port))
        _ = try next.connect()
        next.transport.publish(natsMessage(1))
        next.transport.publish(natsMessage(2))
        #expect(try next.acknowledgements(2) == [1, 2])
        #expect(try client.messages(of: "REACH").map { $0.message.json["seq"] as? Int } == [1, 2])
    }
}
