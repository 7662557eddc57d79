import AgentTestKit
import Foundation
import Probes
import Sinks
import Testing

@testable import Configuration

/// `[sink.NAME]`: the settings that are handed over to the program that ships.
@Suite struct SinkTests {
    private static func sink(_ keys: String) throws -> SinkSettings {
        let settings = try Fixtures.load("[sink.a]\n\(keys)\n").settings
        return try #require(settings.sinks.first)
    }

    private static func errors(_ keys: String) throws -> [String] { try Fixtures.errors("[sink.a]\n\(keys)\n") }

    @Test func `an address alone is enough`() throws {
        let sink = try Self.sink("url = 'nats://nats.example.org'")
        #expect(sink.name == "a" && sink.broker.description == "nats://nats.example.org")
        #expect(sink.subject == "reachagent.<device>.<type>" && sink.window == 32)
        #expect(sink.types.isEmpty && sink.media.isEmpty && sink.pins.isEmpty && sink.mqtt == nil)
        #expect(sink.maximumAge == nil && sink.stream == nil && sink.authorities == nil)
        #expect(sink.credentials == SinkSettings.Credentials())
        #expect(sink.device.utf8.count == 32)
        let mqtt = try Self.sink("url = 'mqtt://mqtt.example.org'")
        #expect(mqtt.subject == "reachagent/<device>/<type>" && mqtt.mqtt == MQTTSettings())
    }

    @Test func `every key reaches the settings`() throws {
        let settings = try ConfigurationFile.load("\(Fixtures.directory)/valid-sinks.toml").settings
        #expect(settings.sinks.map(\.name) == ["fleet", "home", "plain", "token"])
        let fleet = try #require(settings.sinks.first)
        #expect(fleet.broker.servers.map(\.port) == [4222, 4333] && fleet.device == "edge-7")
        #expect(fleet.types == ["reachagent.reachability.changed", "reachagent.path.changed", "reachagent.probe.*"])
        #expect(fleet.subject == "plants.7.<device>.<type>.<subject>" && fleet.stream == "PLANTS")
        #expect(fleet.media == ["wifi", "wired"] && fleet.maximumAge == 43_200 && fleet.window == 8)
        #expect(fleet.credentials.user == "edge-7")
        #expect(fleet.credentials.passwordFile == "/run/credentials/reachagent-sink.service/broker")
        let home = settings.sinks[1]
        #expect(home.subject == "plants/7/<device>/<type>" && home.media == ["wired"])
        #expect(home.mqtt?.version == .three && home.mqtt?.discoveryPrefix == "homeassistant")
        #expect(home.pins == ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"])
        #expect(home.authorities == "/run/credentials/reachagent-sink.service/ca.pem")
        #expect(home.credentials.clientKey == "/run/credentials/reachagent-sink.service/client.key")
        #expect(settings.sinks[3].types == ["reachagent.*"])
    }

    @Test func `the settings survive the document in which they are passed`() throws {
        let settings = try ConfigurationFile.load("\(Fixtures.directory)/valid-sinks.toml").settings
        let document = SinkDocument(host: "edge-7", sinks: settings.sinks)
        let read = try JSONDecoder().decode(SinkDocument.self, from: JSONEncoder().encode(document))
        #expect(read == document)
    }

    // MARK: Files

    /// A file with a secret, removed with the last use of its path.
    private final class SecretFile {
        let path: String
        private let directory: TemporaryDirectory

        init(_ text: String, mode: Int = 0o600) throws {
            directory = try TemporaryDirectory()
            path = try directory.file("secret", text, mode: mode)
        }
    }

    private static let seed = "SU" + String(repeating: "A", count: 56)
    private static let credentials = """
        -----BEGIN NATS USER JWT-----
        eyJ
        ------END NATS USER JWT------
        -----BEGIN USER NKEY SEED-----
        \(seed)
        ------END USER NKEY SEED------
        """

    @Test(arguments: [
        ("password_file", "hunter2\n", "user = 'x'"), ("token_file", "hunter2\n", ""), ("nkey_file", seed + "\n", ""),
        ("credentials_file", credentials, ""),
    ])
    func `a file with a secret is checked`(key: String, text: String, more: String) throws {
        func keys(_ path: String) -> String { "url = 'tls://nats.example.org'\n\(key) = '\(path)'\n\(more)" }
        let good = try SecretFile(text)
        let sink = try Self.sink(keys(good.path))
        let paths = [
            sink.credentials.passwordFile, sink.credentials.tokenFile, sink.credentials.nkeyFile,
            sink.credentials.credentialsFile,
        ]
        #expect(paths.compactMap(\.self) == [good.path])
        for (bad, reason) in [
            (try SecretFile(text, mode: 0o604), "can be read or written by others: use chmod o-rw"),
            (try SecretFile(text, mode: 0o602), "can be read or written by others: use chmod o-rw"),
            (try SecretFile(""), "contains no "),
            (try SecretFile(String(repeating: "x", count: 20_000)), "is larger than"),
        ] {
            let errors = try Self.errors(keys(bad.path))
            #expect(errors.count == 1 && errors.first?.contains("sink.a.\(key): \(bad.path) \(reason)") == true)
            #expect(!errors.joined().contains("hunter2"))
        }
    }

    @Test(arguments: ["hunter2", "SAAA", "SU" + String(repeating: "a", count: 56)])
    func `an invalid seed is an error that does not show it`(text: String) throws {
        let file = try SecretFile(text)
        let errors = try Self.errors("url = 'nats://nats.example.org'\nnkey_file = '\(file.path)'")
        #expect(
            errors.count == 1 && errors.first?.hasSuffix("contains no seed of a user's NKey in its first line") == true
        )
    }

    @Test(arguments: [
        (
            "url = 'mqtt://mqtt.example.org'",
            "the password is sent unencrypted; an address over TLS begins with mqtts://"
        ),
        ("url = 'nats://nats.example.org'", "the password is sent unencrypted; an address over TLS begins with tls://"),
        ("url = 'nats://127.0.0.1'", nil as String?), ("url = 'tls://nats.example.org'", nil),
    ])
    func `a secret that is sent unencrypted is a warning`(url: String, message: String?) throws {
        let file = try SecretFile("hunter2")
        let keys = "\(url)\nuser = 'edge-7'\npassword_file = '\(file.path)'"
        #expect(try Fixtures.load("[sink.a]\n\(keys)\n").warnings.map(\.message) == [message].compactMap(\.self))
    }

    @Test(arguments: [
        (
            "[agent]\njournal = false\n",
            "sinks ship only what happens while their broker is reached: 'journal' is false"
        ),
        ("", nil as String?),
    ])
    func `a sink without a journal is a warning`(text: String, message: String?) throws {
        let loaded = try Fixtures.load("\(text)[sink.a]\nurl = 'nats://127.0.0.1'\n")
        #expect(loaded.warnings.map(\.message) == [message].compactMap(\.self))
    }

    @Test(arguments: [("3.1.1", true), ("5", false)])
    func `a version without reasons is a warning`(version: String, isWarned: Bool) throws {
        let warnings = try Fixtures.load("[sink.a]\nurl = 'mqtt://127.0.0.1'\nmqtt_version = '\(version)'\n").warnings
        let message =
            "with 3.1.1 a broker cannot reject an event: one that it does not store counts as shipped, or it closes "
            + "the connection; 5 has reasons"
        #expect(warnings.map(\.message) == (isWarned ? [message] : []))
    }

    @Test func `an age without media is a warning`() throws {
        let warnings = try Fixtures.load("[sink.a]\nurl = 'nats://127.0.0.1'\nmax_age = '1h'\n").warnings
        #expect(warnings.map(\.message) == ["has no effect without 'when', which limits the media"])
    }

    @Test func `there are at most 16 sinks`() throws {
        let tables = (0..<17).map { "[sink.s\($0)]\nurl = 'nats://127.0.0.1'\n" }.joined()
        #expect(try Fixtures.errors(tables).first?.hasSuffix("there are 17 sinks; at most 16 are accepted") == true)
    }

    @Test func `sinks are compared by name`() throws {
        func settings(_ sinks: [String: String]) throws -> Settings {
            let tables = sinks.map { "[sink.\($0)]\nurl = '\($1)'\n" }.joined()
            return try Fixtures.load(tables).settings
        }
        let earlier = try settings(["same": "nats://a.test", "moved": "nats://a.test", "gone": "nats://a.test"])
        let later = try settings(["same": "nats://a.test", "moved": "nats://b.test", "new": "nats://a.test"])
        let difference = ConfigurationFile.differences(from: earlier, to: later)
        #expect(difference.added == ["sink.new"] && difference.removed == ["sink.gone"])
        #expect(difference.changed == ["sink.moved"] && difference.needsRestart.isEmpty)
    }

    // MARK: The machine's name

    @Test(arguments: [
        ("0123456789abcdef0123456789abcdef\n", "d4813e4e7a2a40a687e94715f25b3791" as String?),
        ("0123456789abcdef0123456789abcdef", "d4813e4e7a2a40a687e94715f25b3791"),
        ("0123456789ABCDEF0123456789ABCDEF\n", nil), ("uninitialized\n", nil), ("", nil),
        ("00000000000000000000000000000000\n", nil), ("0123456789abcdef0123456789abcdef\n\n", nil),
        ("0123456789abcdef0123456789abcde", nil), (String(repeating: "é", count: 16), nil),
    ])
    func `the name is derived from the machine ID as by systemd-id128`(id: String, name: String?) {
        // systemd-id128 machine-id --app-specific=5d1c3a8e6b0f4f529c772e41d890ab13
        #expect(DeviceName.name(ofMachine: id) == name)
    }
}
