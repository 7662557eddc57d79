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

    // MARK: Two sinks at one broker

    /// The errors of two sinks, the second of which begins in line 4.
    private static func errors(_ first: String, _ second: String) throws -> [String] {
        try Fixtures.errors("[sink.all]\n\(first)\n\n[sink.alerts]\n\(second)\n")
    }

    private static let cluster = "url = 'nats://n1.test,n2.test:4333'\ndevice = 'edge-7'"

    @Test(arguments: [
        ("url = 'nats://n1.test'", "url = 'nats://n1.test'", 4),
        (cluster, "device = 'edge-7'\nurl = 'tls://N2.test.:4333'\ntypes = 'path.*'", 5),
        (cluster, "device = 'edge-7'\nurl = 'nats://other.test,n1.test'\nsubject = 'other.<device>.<type>'", 5),
        (cluster + "\nstream = 'A'", "device = 'edge-7'\nurl = 'nats://n1.test'\nstream = 'A'", 5),
        ("url = 'nats://[2001:db8::1]'", "url = 'nats://[2001:DB8:0:0::0001]:4222'", 4),
        ("url = 'nats://[fe80::1%eth0]'", "url = 'nats://[fe80:0::1%eth0]'", 4),
    ])
    func `two NATS sinks of one device at one broker are an error`(first: String, second: String, line: Int) throws {
        // The second begins after the lines of the first, and an empty one.
        let place = line + first.count { $0 == "\n" }
        let expected = """
            a.toml:\(place):1: sink.alerts.device: the sink 'all' (a.toml:1) ships as the same device to the same broker, and \
            either would pass over events that the other has shipped: give one of them another 'device', or each a 'stream' of \
            its own
            """
        #expect(try Self.errors(first, second) == [expected])
    }

    @Test(arguments: [
        ("", ""), ("mqtt_version = '3.1.1'", "types = 'path.*'"),
        ("topic = 'a/<device>/<type>'", "topic = 'a/<device>/<type>/<subject>'"),
        ("topic = 'a/<device>/<type>'\nhome_assistant = 'ha'", "home_assistant = 'ha'"),
    ])
    func `two MQTT sinks that keep the state of one device at one broker are an error`(
        first: String,
        second: String
    ) throws {
        let url = "url = 'mqtt://m.test'\ndevice = 'edge-7'"
        let errors = try Self.errors("\(url)\n\(first)", "\(url)\n\(second)")
        let expected = """
            1: sink.alerts.device: the sink 'all' (a.toml:1) keeps the state of the same device at the same broker, and the end \
            of either would set the device offline: give one of them another 'device', or 'keep_state = false'
            """
        #expect(errors.count == 1 && errors.first?.hasSuffix(":\(expected)") == true, "\(errors)")
    }

    @Test(arguments: [
        ("url = 'nats://n1.test'", "url = 'nats://n2.test'"),
        ("url = 'nats://n1.test'", "url = 'nats://n1.test:4223'"),
        ("url = 'nats://b.test:1883'", "url = 'mqtt://b.test'"),
        ("url = 'nats://n1.test'", "url = 'nats://n1.test'\ndevice = 'other'"),
        ("url = 'nats://n1.test'\nstream = 'A'", "url = 'nats://n1.test'\nstream = 'B'"),
        ("url = 'mqtt://m.test'", "url = 'mqtt://m.test'\nkeep_state = false"),
        ("url = 'mqtt://m.test'\ndevice = 'a'", "url = 'mqtt://m.test'\ndevice = 'b'"),
        ("url = 'mqtt://m.test'", "url = 'mqtt://m.test'\ntopic = 'a/<device>/<type>'"),
        (
            "url = 'mqtt://m.test'\nhome_assistant = 'a'",
            "url = 'mqtt://m.test'\ntopic = 'a/<device>/<type>'\nhome_assistant = 'b'"
        ),
    ])
    func `sinks that share neither events nor a state are accepted`(first: String, second: String) throws {
        #expect(try Self.errors(first, second) == [])
    }

    @Test func `sinks are compared by name`() throws {
        func settings(_ sinks: [String: String]) throws -> Settings {
            let tables = sinks.map { "[sink.\($0)]\nurl = '\($1)'\n" }.joined()
            return try Fixtures.load(tables).settings
        }
        let earlier = try settings(["same": "nats://a.test", "moved": "nats://b.test", "gone": "nats://c.test"])
        let later = try settings(["same": "nats://a.test", "moved": "nats://d.test", "new": "nats://c.test"])
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
