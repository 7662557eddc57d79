import AgentTestKit
import Configuration
import Foundation
import ProbeTestKit
import Testing

/// Every file `invalid-*.toml` is refused with exactly the messages beside it.
@Suite struct InvalidFileTests {
    @Test(arguments: Fixtures.names("invalid-"))
    func `an invalid file has exactly these errors`(name: String) throws {
        let expected = try Fixtures.text("\(name).expected").split(separator: "\n").map(String.init)
        #expect(!expected.isEmpty)
        #expect(Fixtures.errors(at: "\(Fixtures.directory)/\(name).toml", in: Fixtures.directory) == expected)
    }

    @Test(arguments: Fixtures.names("valid-"))
    func `a valid file is accepted`(name: String) throws {
        let loaded = try ConfigurationFile.load("\(Fixtures.directory)/\(name).toml")
        #expect(loaded.files.first == "\(Fixtures.directory)/\(name).toml")
    }

    @Test func `there are fixtures for all of the schema`() {
        #expect(Fixtures.names("invalid-").count >= 40)
        #expect(Fixtures.names("valid-").count >= 3)
    }

    @Test func `no message shows a secret`() throws {
        let texts = Fixtures.names("invalid-").map { name in
            Fixtures.errors(at: "\(Fixtures.directory)/\(name).toml", in: Fixtures.directory).joined()
        }
        #expect(!texts.joined().contains("secret@"))
        #expect(!texts.joined().contains("Bearer"))
    }
}

/// The files of a client certificate and of its key.
@Suite struct ClientIdentityFileTests {
    private static let tables = [
        "[probe.a]\ntarget = 'https://example.org/'\n", "[hook.a]\nurl = 'https://chat.example/'\n",
        "[sink.a]\nurl = 'tls://nats.example.org'\ndevice = 'edge-7'\n",
    ]

    @Test(
        arguments: [
            ("web.pem", "web.key", nil),
            (
                "web.pem", "soon.key",
                "client_key: soon.key does not belong to the certificate, or is of a kind that TLS does not have"
            ),
            ("web.pem", "open.key", "client_key: open.key can be read or written by others: use chmod o-rw"),
            ("web.pem", "no.key", "client_key: no.key cannot be opened: No such file or directory"),
            ("web.pem", "notes", "client_key: notes holds no unencrypted private key in PEM form"),
            ("no.pem", "web.key", "client_certificate: no.pem cannot be opened: No such file or directory"),
            ("notes", "web.key", "client_certificate: notes holds no certificate in PEM form"),
        ] as [(String, String, String?)]
    )
    func `an error is reported at the key whose file it concerns`(certificate: String, key: String, error: String?)
        throws
    {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (web, soon) = (try TestAuthority.standard().leaf, try TestAuthority.standard().leaf)
        try directory.file("web.pem", web.pem)
        try directory.file("web.key", web.key.pkcs8PEM)
        try directory.file("soon.key", soon.key.pkcs8PEM)
        try directory.file("open.key", web.key.pkcs8PEM, mode: 0o644)
        try directory.file("notes", "nothing\n")
        for table in Self.tables {
            let text = "\(table)client_certificate = '\(certificate)'\nclient_key = '\(key)'\n"
            let file = try directory.file("a.toml", text)
            let lines = table.count { $0 == "\n" }
            let name = table.dropFirst().prefix { $0 != "]" }
            let expected = error.map { error in
                "a.toml:\(error.hasPrefix("client_key") ? lines + 2 : lines + 1):1: \(name).\(error)"
            }
            #expect(Fixtures.errors(at: file, in: directory.path) == [expected].compactMap(\.self))
        }
    }
}

/// The text of configuration errors.
@Suite struct ConfigurationErrorTests {
    @Test(arguments: [
        (ConfigurationError(file: "a.toml", message: "cannot be read"), "a.toml: cannot be read"),
        (ConfigurationError(file: "a.toml", line: 3, message: "no value"), "a.toml:3: no value"),
        (ConfigurationError(file: "a.toml", line: 3, column: 9, message: "no value"), "a.toml:3:9: no value"),
        (
            ConfigurationError(
                file: "a.toml",
                line: 7,
                column: 1,
                key: "probe.web.interval",
                message: "'10x' is wrong"
            ),
            "a.toml:7:1: probe.web.interval: '10x' is wrong"
        ),
    ])
    func `an error names the file, the line, the column and the key`(error: ConfigurationError, text: String) {
        #expect(error.description == text)
    }
}
