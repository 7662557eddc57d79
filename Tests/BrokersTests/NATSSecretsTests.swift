import AgentTestKit
import CheckResults
import Foundation
import Sinks
import Testing

@testable import Brokers

/// Servers that echo the credentials which they were sent.
@Suite(.onOwnThread) struct NATSSecretsTests {
    private static let secret = "s3cr3t\"token-0123"
    private static let greeting =
        #"INFO {"server_id":"X","version":"2.9.10","proto":1,"headers":true,"auth_required":true,"max_payload":1048576}"#
        + "\r\n"

    static let errors = [
        "Authorization Violation: wrong token \(secret)", "invalid: \(secret)", "User Authentication Revoked \(secret)",
        #"invalid: {"auth_token":"s3cr3t\"token-0123"}"#, "invalid: \(Data(secret.utf8).base64EncodedString())",
        // libnats truncates it within the secret.
        String(repeating: "x", count: 231) + secret,
    ]

    private static func settings(_ port: UInt16, _ directory: TemporaryDirectory, isToken: Bool) throws -> SinkSettings
    {
        let file = try directory.file("secret", secret + "\n")
        return try natsSink(port) {
            $0.stream = "REACH"
            if isToken {
                $0.credentials.tokenFile = file
            } else {
                ($0.credentials.user, $0.credentials.passwordFile) = ("edge", file)
            }
        }
    }

    private static func check(_ detail: String) {
        // A long text of JetStream is truncated, also within the placeholder.
        #expect(detail.contains(SecretName.placeholder) || detail.contains("…"), "\(detail)")
        for part in ["s3cr", "token-0123", String(Data(secret.utf8).base64EncodedString().prefix(8))] {
            #expect(!detail.contains(part), "\(detail)")
        }
    }

    @Test(arguments: errors, [true, false])
    func `an error of a server while connecting is shown without the credentials`(error: String, isToken: Bool) throws {
        let directory = try TemporaryDirectory()
        let clients = [[UInt8]](repeating: Array(Self.greeting.utf8), count: 2).map { greeting in
            ([greeting], RawServer.Ending.lastWords(Array("-ERR '\(error)'\r\n".utf8), after: 1))
        }
        let server = try RawServer(clients, readsFirst: false)
        let settings = try Self.settings(server.port, directory, isToken: isToken)
        let loop = try natsLoop(settings)
        loop.transport.connect()
        try withExtendedLifetime(server) {
            Self.check(try loop.nextFailure().detail)
            let failure = try #require(throws: TransportFailure.self) { try NATSReader(settings) }
            Self.check(failure.detail)
        }
    }

    @Test(arguments: errors)
    func `an error of a server that has accepted them is shown without them`(error: String) throws {
        let directory = try TemporaryDirectory()
        let server = try RawServer(
            [Array(Self.greeting.utf8)],
            then: .answers([
                ("PING", Array("PONG\r\n".utf8)), ("SUB", Array("-ERR '\(error)'\r\n".utf8)),
            ]),
            readsFirst: false
        )
        let loop = try natsLoop(Self.settings(server.port, directory, isToken: true))
        loop.transport.connect()
        let failure = try withExtendedLifetime(server) { try loop.nextFailure() }
        Self.check(failure.detail)
    }

    static let texts = [
        secret, #"s3cr3t\"token-0123"#, Data(secret.utf8).base64EncodedString(),
        String(repeating: "x", count: 250) + secret,
    ]

    @Test(arguments: texts)
    func `the texts of JetStream are shown without the credentials`(text: String) throws {
        let settings = try natsSink(4222)
        let now = ContinuousClock.now
        var quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        func answer(_ number: Int, _ json: String) -> NATSInput {
            .message(NATSMessage(subject: "_INBOX.edge7.T.\(number)", payload: Array(json.utf8)))
        }
        let name = #""REACH""#
        func details(_ inputs: [NATSInput], publishing: Bool = false) throws -> [String] {
            var session = try JetStreamSession(settings, template: settings.template(), token: "T")
            var outputs = session.handle(
                .opened(maximumPayload: 1 << 20, secrets: BrokerSecrets(texts: [Self.secret])),
                at: now
            )
            for (index, input) in inputs.enumerated() {
                outputs += session.handle(input, at: now)
                if publishing, index == 1 { outputs += session.publish(natsMessage(1), at: now) }
            }
            return outputs.compactMap { output in
                switch output {
                case .report(.disconnected(let failure)), .report(.refused(_, let failure)): failure.detail
                default: nil
                }
            }
        }
        let found = answer(1, #"{"streams":[\#(name)]}"#)
        let none = answer(2, #"{"error":{"code":404,"err_code":10037,"description":"no message found"}}"#)
        let error = #"{"error":{"code":500,"err_code":1,"description":\#(quoted)}}"#
        var shown = try details([answer(1, error)])
        shown += try details([.denied("Permissions Violation for Publish to \"$JS.API.STREAM.NAMES\" \(text)")])
        shown += try details([found, answer(2, #"{"message":{"subject":\#(quoted),"seq":1}}"#)])
        shown += try details([found, none, answer(3, error)], publishing: true)
        #expect(shown.count == 4)
        quoted = quoted.replacing("\(String(repeating: "x", count: 250))", with: "")
        shown += try details([answer(1, #"{"streams":[\#(name),\#(quoted)]}"#)])
        shown += try details([answer(1, #"{"streams":[\#(quoted)]}"#), none, answer(3, error)], publishing: true)
        #expect(shown.count == 6)
        for detail in shown { Self.check(detail) }
    }

    @Test func `the JWT and the seed of a file of credentials are secrets, and its words are not`() throws {
        let path = fixture("nats-device.creds")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let secrets = try CredentialFile.secrets(of: path)
        #expect(secrets.contains { $0.hasPrefix("eyJ") } && secrets.contains { $0.hasPrefix("SU") })
        #expect(secrets.allSatisfy { lines.contains($0) && !$0.contains(" ") })
        let settings = try natsSink(4222) { $0.credentials.credentialsFile = path }
        let server = try #require(settings.broker.servers.first)
        #expect(try NATSOptions(settings, for: server, isEncrypted: false).secrets.texts == secrets)
    }
}
