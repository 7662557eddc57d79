import AgentTestKit
import Brokers
import CheckResults
import Foundation
import ProbeTestKit
import ServerTrust
import Sinks
import Testing

/// The broker's certificate is judged by ServerTrust, and by nothing of OpenSSL's own.
@Suite(.onOwnThread, .enabled(if: MosquittoBroker.isInstalled, "mosquitto is not installed"))
struct MQTTTrustTests {
    /// A broker with a certificate for `localhost` and 127.0.0.1, and what a client needs to trust it.
    private struct Encrypted {
        let authority: TestAuthority
        let broker: MosquittoBroker
        let directory: TemporaryDirectory
        let authorities: String

        init(_ leaf: CertificateTemplate = Self.leaf, clientAuthority: String? = nil) async throws {
            authority = try TestAuthority(leaf: leaf)
            directory = try TemporaryDirectory()
            authorities = try directory.file("ca.pem", authority.root.pem)
            var options = MosquittoBroker.Options()
            options.tls = .init(
                chain: authority.presentedPEM,
                key: authority.leaf.key.pkcs8PEM,
                authority: authority.root.pem,
                clientAuthority: clientAuthority
            )
            broker = try await MosquittoBroker(options)
        }

        /// Valid whenever the test runs.
        static let leaf = CertificateTemplate.server(names: ["localhost"], addresses: ["127.0.0.1"]).with {
            $0.notBefore = TestDate.utc(2020)
            $0.notAfter = TestDate.utc(2040)
        }

        func sink(
            host: String = "localhost",
            version: MQTTSettings.Version = .five,
            _ change: (inout SinkSettings) -> Void = { _ in }
        ) throws -> SinkSettings {
            try mqttSink("mqtts://\(host):\(broker.port)", version: version) {
                $0.authorities = authorities
                change(&$0)
            }
        }
    }

    private static func pin(of certificate: IssuedCertificate) -> String {
        PublicKeyPin(subjectPublicKeyInfo: certificate.key.subjectPublicKeyInfo).digest
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(arguments: ["localhost", "127.0.0.1"], MQTTSettings.Version.allCases)
    func `a trusted broker gets the events`(host: String, version: MQTTSettings.Version) async throws {
        let encrypted = try await Encrypted()
        let seen = try await encrypted.broker.subscribe(to: ["reachagent/edge7/path.changed"])
        let loop = try mqttLoop(try encrypted.sink(host: host, version: version))
        try loop.connect()
        for number in UInt64(1)...50 { loop.transport.publish(mqttMessage(number, bytes: 2_000)) }
        #expect(try loop.acknowledgements(50) == Array(1...50))
        for number in 1...50 { try #require(await seen.next()?.contains(#""seq":\#(number)x"#) == true) }
        try loop.roundTrip()
        #expect(loop.isIdle(until: .now + .seconds(110)))
    }

    @Test func `a pinned key of the chain is accepted`() async throws {
        let encrypted = try await Encrypted()
        let other = Self.pin(of: try TestAuthority.standard().leaf)
        for pinned in [encrypted.authority.leaf, encrypted.authority.intermediate, encrypted.authority.root] {
            let pin = Self.pin(of: pinned)
            let loop = try mqttLoop(try encrypted.sink { $0.pins = [other, pin.uppercased()] })
            try loop.connect()
        }
    }

    @Test func `a chain without the pinned key is rejected`() async throws {
        let encrypted = try await Encrypted()
        let pin = Self.pin(of: try TestAuthority.standard().leaf)
        let loop = try mqttLoop(try encrypted.sink { $0.pins = [pin] })
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_tls")
        #expect(
            failure.detail.hasPrefix(
                "the certificate of localhost:\(encrypted.broker.port) is refused (tls_pin_mismatch): "
            ),
            "\(failure.detail)"
        )
    }

    @Test func `a certificate for another name is rejected`() async throws {
        let encrypted = try await Encrypted(
            Encrypted.leaf.with { $0.replaceExtension(with: .subjectAlternativeName(dns: ["broker.test"], ips: [])) }
        )
        for host in ["localhost", "127.0.0.1"] {
            let loop = try mqttLoop(try encrypted.sink(host: host))
            loop.transport.connect()
            #expect(
                try loop.nextFailure()
                    == TransportFailure(
                        code: "broker_tls",
                        detail: "the certificate of \(host):\(encrypted.broker.port) is refused (tls_hostname): "
                            + "'\(host)' was requested, and the certificate is for broker.test"
                    )
            )
        }
    }

    @Test func `an expired certificate is rejected`() async throws {
        let encrypted = try await Encrypted(Encrypted.leaf.with { $0.notAfter = TestDate.utc(2025) })
        let loop = try mqttLoop(try encrypted.sink())
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_tls")
        #expect(failure.detail.contains("is refused (tls_expired): "), "\(failure.detail)")
    }

    @Test func `a certificate of another authority is rejected`() async throws {
        let encrypted = try await Encrypted()
        let other = try encrypted.directory.file("other.pem", try TestAuthority.standard().root.pem)
        for authorities in [other, nil] {
            let loop = try mqttLoop(try encrypted.sink { $0.authorities = authorities })
            loop.transport.connect()
            let failure = try loop.nextFailure()
            #expect(failure.code == "broker_tls")
            #expect(failure.detail.contains("is refused (tls_"), "\(failure.detail)")
        }
    }

    @Test func `the broker learns from the alert that its certificate was rejected`() async throws {
        let encrypted = try await Encrypted()
        let loop = try mqttLoop(try encrypted.sink { $0.authorities = nil })
        loop.transport.connect()
        _ = try loop.nextFailure()
        try await encrypted.broker.log(containing: "alert")
    }

    @Test(arguments: [true, false])
    func `a broker that requires a client certificate gets one`(hasOne: Bool) async throws {
        let clients = try TestAuthority.standard()
        let client = try clients.root.issue(
            .client("edge7").with {
                $0.notBefore = TestDate.utc(2020)
                $0.notAfter = TestDate.utc(2040)
            }
        )
        let encrypted = try await Encrypted(clientAuthority: clients.root.pem)
        let certificate = try encrypted.directory.file("client.pem", client.pem)
        let key = try encrypted.directory.file("client.key", client.key.pkcs8PEM)
        let settings = try encrypted.sink {
            guard hasOne else { return }
            $0.credentials.clientCertificate = certificate
            $0.credentials.clientKey = key
        }
        let loop = try mqttLoop(settings)
        guard !hasOne else {
            try loop.connect()
            return
        }
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_tls")
        #expect(
            failure.detail
                == "localhost:\(encrypted.broker.port) asks for a client's certificate, and none is configured",
            "\(failure.detail)"
        )
    }

    @Test func `files that cannot be used are named before anything is sent`() async throws {
        let directory = try TemporaryDirectory()
        let text = try directory.file("text.pem", "no certificate\n")
        let authority = try TestAuthority.standard()
        let certificate = try directory.file("leaf.pem", authority.leaf.pem)
        let otherKey = try directory.file("other.key", authority.root.key.pkcs8PEM)
        // Nobody is there to be asked for the passphrase.
        let plainKey = try directory.file("plain.key", authority.leaf.key.pkcs8PEM)
        let sealedKey = "\(directory.path)/sealed.key"
        let sealed = try await FinishedCommand.run(
            ["pkey", "-in", plainKey, "-aes256", "-passout", "pass:x", "-out", sealedKey],
            of: "/usr/bin/openssl"
        )
        try #require(sealed.status == 0)
        let cases: [(String, (inout SinkSettings) -> Void)] = [
            (
                "\(sealedKey) cannot be used: ",
                {
                    $0.credentials.clientCertificate = certificate
                    $0.credentials.clientKey = sealedKey
                }
            ),
            (
                "\(directory.path)/absent cannot be read: No such file or directory",
                { $0.authorities = "\(directory.path)/absent" }
            ),
            ("\(text) ", { $0.authorities = text }),
            ("the pin 'abc' is not a SHA-256 digest in hexadecimal", { $0.pins = ["abc"] }),
            (
                "\(directory.path)/absent cannot be used: No such file or directory",
                { $0.credentials.clientCertificate = "\(directory.path)/absent" }
            ),
            ("\(text) cannot be used: ", { $0.credentials.clientCertificate = text }),
            (
                "\(otherKey) cannot be used: ",
                {
                    $0.credentials.clientCertificate = certificate
                    $0.credentials.clientKey = otherKey
                }
            ),
            (
                "\(directory.path) cannot be used: it is not a regular file",
                {
                    $0.credentials.clientCertificate = certificate
                    $0.credentials.clientKey = directory.path
                }
            ),
        ]
        for (sentence, change) in cases {
            let loop = try mqttLoop(try mqttSink("mqtts://127.0.0.1:9") { change(&$0) })
            loop.transport.connect()
            let failure = try loop.nextFailure()
            #expect(failure.code == "credentials_unreadable")
            #expect(failure.detail.hasPrefix(sentence), "\(failure.detail)")
        }
    }

    @Test func `TLS to a port without it, and the reverse, end with an error in a sentence`() async throws {
        let plain = try await MosquittoBroker()
        let encrypted = try await Encrypted()
        var patience = MQTTTransport.Patience()
        patience.connection = .seconds(5)
        let toPlain = try mqttLoop(try mqttSink("mqtts://127.0.0.1:\(plain.port)"), patience: patience)
        toPlain.transport.connect()
        let first = try toPlain.nextFailure()
        #expect(["broker_tls", "broker_protocol"].contains(first.code), "\(first)")
        let toEncrypted = try mqttLoop(try mqttSink("mqtt://127.0.0.1:\(encrypted.broker.port)"), patience: patience)
        toEncrypted.transport.connect()
        let second = try toEncrypted.nextFailure()
        #expect(second.code == "broker_protocol", "\(second)")
    }
}
