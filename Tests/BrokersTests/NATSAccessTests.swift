import AgentTestKit
import CNATS
import Foundation
import Sinks
import Testing

@testable import Brokers

/// Credentials, and what a broker permits.
@Suite(.onOwnThread, .enabled(if: NATSServer.isInstalled, "nats-server is not installed"))
struct NATSAccessTests {
    /// A user's seed, and its public key.
    private static let seed = "SUAOPHSADAPFMJ6CIQRGGHG2GMAKFDFWTOCORCIFXRTTHFM3Q52TCFKWTQ"
    private static let key = "UDE7YNTS7OCVMWX4VRKMFMKR5LSMB6LFJ3HIGTTB5EHRXNNRXWCG2LSV"

    /// A way to prove who one is: to the server, to the test's own client, and to the sink.
    struct Proof: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The members of the server's block `authorization`.
        var server: String
        /// The file that the sink reads.
        var secret: String
        var sink: @Sendable (inout SinkSettings.Credentials, String) -> Void
        /// A secret that is wrong.
        var wrong: String
    }

    static let proofs = [
        Proof(
            testDescription: "user and password",
            server: #"user: "ed\"ge", password: "a\"b\\c d'é""#,
            secret: "a\"b\\c d'é\nnot the password",
            sink: { ($0.user, $0.passwordFile) = ("ed\"ge", $1) },
            wrong: "an0ther"
        ),
        Proof(
            testDescription: "token",
            server: #"token: "s3cr\"et""#,
            secret: "s3cr\"et\n",
            sink: { $0.tokenFile = $1 },
            wrong: "s3cret"
        ),
        Proof(
            testDescription: "NKey",
            server: "users: [ { nkey: \(key) } ]",
            secret: seed + "\n",
            sink: { $0.nkeyFile = $1 },
            // Another user's.
            wrong: "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
        ),
    ]

    @Test(arguments: proofs)
    func `only a client with valid credentials may ship`(proof: Proof) async throws {
        let server = try await NATSServer(authorization: proof.server)
        let directory = try TemporaryDirectory()
        let file = try directory.file("secret", proof.secret)
        let settings = try natsSink(server.port) {
            proof.sink(&$0.credentials, file)
            $0.stream = "REACH"
        }
        let loop = try natsLoop(settings)
        loop.transport.connect()
        // Past the door; there is no stream yet.
        let inside = try loop.nextFailure()
        #expect(inside.code == "broker_no_stream", "\(inside)")

        try directory.file("secret", proof.wrong)
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_denied")
        #expect(!failure.detail.contains(proof.wrong))

        try FileManager.default.removeItem(atPath: file)
        loop.transport.connect()
        let missing = try loop.nextFailure()
        #expect(missing.code == "credentials_unreadable" || missing.code == "broker_denied", "\(missing)")
        #expect(missing.detail.contains(file))
    }

    /// A server that denies the first clients in the words of `nats-server`, and takes no message from the next.
    private static func server(denying count: Int) throws -> RawServer {
        // The first signature begins with a zero byte.
        let nonces = ["LU_NkouTysZmnkA", "wCRoUAqHd2_9Hwh", "nYThBQrm1-dkN8R"]
        return try RawServer(
            nonces.enumerated().map { index, nonce in
                let words = #"INFO {"version":"2.9.10","proto":1,"headers":true,"max_payload":0,"nonce":"\#(nonce)"}"#
                let answer = index < count ? "-ERR 'Authorization Violation'\r\n" : "PONG\r\n"
                return ([Array("\(words)\r\n".utf8)], .lastWords(Array(answer.utf8), after: 1))
            },
            readsFirst: false
        )
    }

    /// libnats may have sent an empty signature; a password is what it is.
    @Test(arguments: [(1, "NKey", true), (2, "NKey", false), (1, "token", false)])
    func `a denial counts when it is not due to a signature that was left out`(
        count: Int,
        kind: String,
        isAccepted: Bool
    ) throws {
        let proof = try #require(Self.proofs.first { $0.testDescription == kind })
        let directory = try TemporaryDirectory()
        let file = try directory.file("secret", proof.secret)
        func settings(_ server: RawServer) throws -> SinkSettings {
            try natsSink(server.port) { proof.sink(&$0.credentials, file) }
        }
        let server = try Self.server(denying: count)
        let loop = try natsLoop(settings(server))
        loop.transport.connect()
        let failure = try withExtendedLifetime(server) { try loop.nextFailure() }
        #expect(failure.code == (isAccepted ? "broker_protocol" : "broker_denied"), "\(failure)")

        let other = try Self.server(denying: count)
        let sink = try settings(other)
        let address = try #require(sink.broker.servers.first)
        let options = try NATSOptions(sink, for: address, isEncrypted: false)
        let attempt = withExtendedLifetime(other) { NATSAttempt.connect(options, to: address) }
        #expect((attempt.status == NATS_OK) == isAccepted)
        natsConnection_Destroy(attempt.connection)
    }

    @Test func `a file with a JWT and a seed opens an account`() async throws {
        let server = try await NATSServer(
            configuration: String(contentsOfFile: fixture("nats-operator.conf"), encoding: .utf8)
        )
        let loop = try natsLoop(natsSink(server.port) { $0.credentials.credentialsFile = fixture("nats-device.creds") })
        loop.transport.connect()
        let inside = try loop.nextFailure()
        #expect(inside.code == "broker_no_stream", "\(inside)")

        let directory = try TemporaryDirectory()
        let empty = try directory.file("device.creds", "nothing\n")
        let other = try natsLoop(natsSink(server.port) { $0.credentials.credentialsFile = empty })
        other.transport.connect()
        let failure = try other.nextFailure()
        #expect(["credentials_unreadable", "broker_denied"].contains(failure.code), "\(failure)")
    }

    /// A server with an administrator, and a device with permissions.
    private static func server(publish: [String], subscribe: [String]) async throws -> (NATSServer, NATSTestClient) {
        func list(_ subjects: [String]) -> String { subjects.map { "\"\($0)\"" }.joined(separator: ", ") }
        let server = try await NATSServer(
            authorization: """
                users: [
                  { user: admin, password: admin }
                  { user: edge7, password: device, permissions: {
                    publish: { allow: [ \(list(publish)) ] }, subscribe: { allow: [ \(list(subscribe)) ] } } }
                ]
                """
        )
        let client = try NATSTestClient(port: server.port, options: #""user":"admin","pass":"admin""#)
        try client.makeStream("REACH", options: #""allow_direct":true"#)
        return (server, client)
    }

    private static func loop(_ server: NATSServer, _ directory: TemporaryDirectory) throws -> TransportLoop {
        let password = try directory.file("password", "device")
        return try natsLoop(
            natsSink(server.port) { ($0.credentials.user, $0.credentials.passwordFile) = ("edge7", password) }
        )
    }

    @Test func `a device that may only request its own newest event ships`() async throws {
        let (server, client) = try await Self.server(
            publish: [
                "reachagent.edge7.>", "$JS.API.STREAM.NAMES", "$JS.API.DIRECT.GET.REACH.reachagent.edge7.>",
            ],
            subscribe: ["_INBOX.edge7.>"]
        )
        let directory = try TemporaryDirectory()
        let loop = try Self.loop(server, directory)
        #expect(try loop.connect() == nil)
        for number in 1...40 as ClosedRange<UInt64> { loop.transport.publish(natsMessage(number)) }
        _ = try loop.acknowledgements(40)
        loop.transport.disconnect()
        #expect(try loop.connect() == natsPosition(40))
        loop.transport.publish(natsMessage(41))
        _ = try loop.acknowledgements(1)
        #expect(try client.state(of: "REACH").messages == 41)
    }

    @Test func `a subject that is not permitted is rejected at once, and nothing overtakes it`() async throws {
        let (server, client) = try await Self.server(
            publish: ["reachagent.edge7.path.>", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.MSG.GET.REACH"],
            subscribe: ["_INBOX.edge7.>"]
        )
        let directory = try TemporaryDirectory()
        let loop = try Self.loop(server, directory)
        try loop.connect()
        loop.transport.publish(natsMessage(1))
        _ = try loop.acknowledgements(1)
        loop.transport.publish(natsMessage(2, type: "target.changed"))
        let event = try loop.next()
        guard case .refused(2, let failure) = event else {
            Issue.record("expected a refusal, got \(event)")
            return
        }
        #expect(failure.code == "broker_denied" && failure.detail.contains("reachagent.edge7.target.changed"))
        loop.transport.publish(natsMessage(3))
        #expect(try loop.next().refusedSequence == 3)
        #expect(try client.state(of: "REACH").messages == 1)
    }

    @Test(
        arguments: [
            // No answers.
            (["reachagent.edge7.>", "$JS.API.>"], ["other.>"]),
            // No questions.
            (["reachagent.edge7.>"], ["_INBOX.edge7.>"]),
            // The stream's name, and nothing of what is in it.
            (["reachagent.edge7.>", "$JS.API.STREAM.NAMES"], ["_INBOX.edge7.>"]),
        ]
    )
    func `a device that may not request its newest event does not connect`(publish: [String], subscribe: [String])
        async throws
    {
        let (server, _) = try await Self.server(publish: publish, subscribe: subscribe)
        let directory = try TemporaryDirectory()
        let loop = try Self.loop(server, directory)
        loop.transport.connect()
        let failure = try loop.nextFailure()
        #expect(failure.code == "broker_denied" && failure.detail.contains("Permissions Violation"))
    }

    @Test func `credentials that are revoked end the connection`() async throws {
        let users = { (names: [String]) in
            "users: [ \(names.map { "{ user: \($0), password: device }" }.joined(separator: ", ")) ]"
        }
        let server = try await NATSServer(authorization: users(["admin", "edge7"]))
        let client = try NATSTestClient(port: server.port, options: #""user":"admin","pass":"device""#)
        try client.makeStream("REACH")
        let directory = try TemporaryDirectory()
        let loop = try Self.loop(server, directory)
        try loop.connect()
        try server.configure(authorization: users(["admin"]))
        try await server.reload()
        let failure = try loop.nextFailure()
        #expect(["broker_denied", "broker_unreachable"].contains(failure.code))
        loop.transport.connect()
        #expect(try loop.nextFailure().code == "broker_denied")
    }
}
