import Foundation
import PortAccess
import ProbeTestKit
import Testing

@testable import Configuration

/// `[http] listen` beyond the loopback: refused unless clients are checked over TLS, or the file says that they need not be.
@Suite struct PortAccessReaderTests {
    private static let hash = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"

    /// Loads a `[http]` section in a directory with a certificate, its key, an authority and passwords.
    private func load(
        _ section: String,
        keyMode: Int = 0o640,
        passwords: String = "alice:\(hash)\n"
    ) throws -> (settings: Settings?, messages: [String]) {
        let authority = try TestAuthority.standard()
        return try Fixtures.inDirectory { directory in
            try authority.presentedPEM.write(toFile: "\(directory)/http.pem", atomically: false, encoding: .utf8)
            try authority.root.pem.write(toFile: "\(directory)/ca.pem", atomically: false, encoding: .utf8)
            for (name, text) in [("http.key", authority.leaf.key.pkcs8PEM), ("users", passwords)] {
                try text.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
                try FileManager.default.setAttributes(
                    [.posixPermissions: keyMode],
                    ofItemAtPath: "\(directory)/\(name)"
                )
            }
            try "[http]\n\(section)\n".write(toFile: "\(directory)/a.toml", atomically: false, encoding: .utf8)
            func short(_ error: ConfigurationError) -> String {
                error.description.replacing("\(directory)/", with: "")
            }
            do throws(ConfigurationErrors) {
                let loaded = try ConfigurationFile.load("\(directory)/a.toml")
                return (loaded.settings, loaded.warnings.map(short))
            } catch {
                return (nil, error.errors.map(short))
            }
        }
    }

    private static let open = #"listen = ["0.0.0.0:9718", "[::]:9718"]"#
    private static let tls = "tls_certificate = \"http.pem\"\ntls_key = \"http.key\""
    private static let passwords = #"basic_auth_file = "users""#

    @Test(
        arguments: [
            (
                open,
                "which needs 'tls_certificate' and 'tls_key', and 'client_ca_file' or 'basic_auth_file'; or listen on"
            ),
            ("\(open)\n\(tls)", "which needs 'client_ca_file' or 'basic_auth_file'"),
            ("\(open)\n\(passwords)", "which needs 'tls_certificate' and 'tls_key';"),
            ("\(open)\n\(passwords)\ntls_key = \"http.key\"", "'tls_certificate' and 'tls_key' need each other"),
            ("\(open)\nclient_ca_file = \"ca.pem\"", "client_ca_file: needs 'tls_certificate'"),
            ("\(open)\n\(tls)\nclient_ca_file = \"none.pem\"", "none.pem cannot be opened"),
            ("\(open)\n\(tls)\nclient_ca_file = \"http.key\"", "http.key holds no certificate in PEM form"),
            (
                "\(open)\n\(passwords)\ntls_certificate = \"http.key\"\ntls_key = \"http.key\"",
                "tls_certificate: http.key"
            ),
            (
                "\(open)\n\(passwords)\ntls_certificate = \"http.pem\"\ntls_key = \"users\"",
                "tls_key: users holds no unencrypted private key"
            ),
            ("\(open)\n\(passwords)\ntls_certificate = \"ca.pem\"\ntls_key = \"http.key\"", "does not belong to the"),
            ("listen = \"192.0.2.300:9718\"", "is not an address and a port"),
        ]
    )
    func `a port with incomplete or invalid access settings is an error`(section: String, message: String) throws {
        let (settings, messages) = try load(section)
        #expect(settings == nil)
        #expect(messages.contains { $0.contains(message) }, "\(messages)")
    }

    @Test(arguments: ["\(tls)\n\(passwords)", "\(tls)\nclient_ca_file = \"ca.pem\""])
    func `one that checks its clients over TLS is accepted`(section: String) throws {
        let (settings, warnings) = try load("\(Self.open)\n\(section)")
        #expect(warnings.allSatisfy { $0.contains("has expired") }, "\(warnings)")
        #expect(settings?.http.access?.isUsable == true)
        #expect(settings?.http.listen.count == 2)
    }

    @Test(
        arguments: [
            ("", "everyone who reaches 0.0.0.0:9718 can read everything, and nothing is encrypted"),
            (tls, "everyone who reaches 0.0.0.0:9718 can read everything"),
            (passwords, "the passwords are sent unencrypted"),
        ]
    )
    func `one that the file calls insecure is accepted with a warning in words`(section: String, warning: String) throws
    {
        let (settings, warnings) = try load("\(Self.open)\ninsecure = true\n\(section)")
        #expect(settings?.http.access?.isUsable == true)
        #expect(warnings.contains { $0.contains(warning) }, "\(warnings)")
    }

    @Test func `an IPv4-mapped address is that of IPv4`() throws {
        let (settings, messages) = try load("listen = \"[::ffff:127.0.0.1]:9718\"")
        #expect(settings?.http.listen.map(\.description) == ["127.0.0.1:9718"])
        #expect(messages.isEmpty)
        let twice = try load("listen = [\"127.0.0.1:9718\", \"[::ffff:127.0.0.1]:9718\"]")
        #expect(twice.messages.contains { $0.contains("127.0.0.1:9718 is already listed") }, "\(twice.messages)")
    }

    @Test func `a setting without effect is a warning`() throws {
        let loopback = try load("listen = \"127.0.0.1:9718\"\n\(Self.tls)\n\(Self.passwords)\ninsecure = true")
        #expect(loopback.settings != nil)
        #expect(loopback.messages.filter { $0.contains("has no effect") }.count == 3)
        let secure = try load("\(Self.open)\n\(Self.tls)\n\(Self.passwords)\ninsecure = true")
        #expect(secure.messages.contains { $0.contains("clients are checked over TLS") })
    }

    @Test func `a key or passwords that others can read are rejected, and never shown`() throws {
        let (settings, messages) = try load("\(Self.open)\n\(Self.tls)\n\(Self.passwords)", keyMode: 0o644)
        #expect(settings == nil)
        #expect(messages.filter { $0.contains("can be read or written by others: use chmod o-rw") }.count == 2)
        let wrong = try load("\(Self.open)\n\(Self.tls)\n\(Self.passwords)", passwords: "alice:topsecret")
        #expect(wrong.messages.contains { $0.contains("users has an error in line 1: unknown hash method") })
        #expect(wrong.messages.allSatisfy { !$0.contains("topsecret") })
    }

    @Test(arguments: [(PasswordFile.maximumBytes, true), (PasswordFile.maximumBytes + 1, false)])
    func `passwords of more than 256 KiB are rejected`(size: Int, isRead: Bool) throws {
        let line = "alice:\(Self.hash)\n"
        let comment = "#" + String(repeating: "x", count: size - line.utf8.count - 1)
        let (settings, messages) = try load("\(Self.open)\n\(Self.tls)\n\(Self.passwords)", passwords: line + comment)
        #expect((settings != nil) == isRead, "\(messages)")
        #expect(messages.contains { $0.contains("users is larger than 262144 bytes") } == !isRead, "\(messages)")
    }

    @Test func `a renewed certificate is a change of the section`() throws {
        let section = "\(Self.open)\n\(Self.tls)\n\(Self.passwords)"
        let (one, other) = (try #require(try load(section).settings), try #require(try load(section).settings))
        #expect(ConfigurationFile.differences(from: one, to: one).isEmpty)
        #expect(ConfigurationFile.differences(from: one, to: other).changed == ["http"])
    }
}
