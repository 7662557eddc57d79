import AgentTestKit
import Foundation
import Hooks
import Probes
import Testing

@testable import Configuration

/// Secrets in the configuration, which no listing shows.
@Suite struct SecretsShownTests {
    private static let text = """
        [probe.a]
        target = "https://a.test/?q=open&token=hidden1"
        headers = { X-Auth-Token = "hidden2", X-Api-Key = "hidden3", Accept = "open" }
        query = { api_key = "hidden4", q = "open", user = { password = "hidden5" } }
        form = { password = "hidden6", q = "open" }
        [probe.b]
        target = "https://b.test/"
        json_body = { login = { access_token = "hidden7" }, q = "open" }
        [probe.c]
        target = "https://c.test/"
        json_body = '{"client_secret": "hidden8"}'
        query = ["token=hidden9"]
        [hook.d]
        url = "https://chat.test/services/hidden10?key=hidden11"
        headers = { X-Auth-Token = "hidden12" }
        body = '{"token": "hidden13", "text": "${REACH_TO_VIA}"}'
        [hook.e]
        url = "https://chat.test/"
        body = "not JSON: hidden14"

        """

    @Test(arguments: [
        ("http://web.test/", ["basic_auth_file", "header_files"]),
        ("http://192.0.2.1/", ["basic_auth_file", "header_files"]),
        ("https://web.test/", []), ("http://localhost/", []), ("http://127.1.2.3:8080/", []), ("http://[::1]/", []),
    ])
    func `a secret that is sent to another machine unencrypted is a warning`(url: String, keys: [String]) throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let password = try directory.file("password", "alice:secret\n")
        let token = try directory.file("token", "secret\n")
        let secrets = "basic_auth_file = '\(password)'\nheader_files = { X-Token = '\(token)' }\n"
        for (section, key) in [("probe.web", "target"), ("hook.chat", "url")] {
            let warnings = try Fixtures.load("[\(section)]\n\(key) = '\(url)'\n\(secrets)").warnings
            let open = warnings.filter {
                $0.message.hasSuffix("sent unencrypted; an address over TLS begins with https://")
            }
            #expect(open.compactMap(\.key) == keys.map { "\(section).\($0)" })
            let plain = try Fixtures.load("[\(section)]\n\(key) = '\(url)'\n").warnings
            #expect(!plain.contains { $0.message.contains("unencrypted") })
        }
    }

    @Test func `the values in effect and identities hold no secret`() throws {
        let loaded = try Fixtures.load(Self.text)
        let shown =
            loaded.effective + loaded.warnings.map(\.description)
            + loaded.settings.probes.map(\.identity) + loaded.settings.hooks.definitions.map(\.identity)
        for line in shown { #expect(!line.contains("hidden"), "\(line)") }
        let open = loaded.effective.filter { $0.contains("open") }
        #expect(open.count == 4)
        #expect(loaded.effective.contains { $0.contains(#"hook.d.url = "https://chat.test/(not-shown)""#) })
        #expect(loaded.effective.contains { $0.contains(#"hook.e.url = "https://chat.test/""#) })
        #expect(loaded.warnings.count == 3)
    }

    @Test(arguments: 1...13)
    func `another secret is another probe or hook`(number: Int) throws {
        let earlier = try Fixtures.load(Self.text).settings
        let later = try Fixtures.load(Self.text.replacing("hidden\(number)\"", with: "changed\"")).settings
        let isSame =
            earlier.probes.map(\.identity) == later.probes.map(\.identity)
            && earlier.hooks.definitions.map(\.identity) == later.hooks.definitions.map(\.identity)
        // The path of hook.d is followed by its query.
        #expect(isSame == (number == 10))
    }

    @Test(arguments: [
        "https://chat.test:84430/hidden", "https://chat.test:443hidden/", "https:/chat.test/hidden",
        "https:chat.test/hidden",
        "https://[::1/hidden", "https://[::1]hidden/", "https://[fe80::1%hidden]/", "https:///hidden",
        "https://chat.test\\\\hidden", "https://chat.test hidden", "https://chat.test%2Fhidden", "https://höst/hidden",
        "https://chat..test/hidden", "https://1.2.3/hidden", "https://user:hidden@chat.test/",
        "htps://chat.test/hidden",
        "hidden", "//chat.test/hidden", "https://chat.test/\\thidden",
    ])
    func `a mistake in the address of a webhook shows no part of it`(url: String) throws {
        let error = try #require(throws: ConfigurationErrors.self) {
            try Fixtures.load("[hook.x]\nurl = \"\(url)\"\n")
        }
        #expect(error.errors.contains { $0.key == "hook.x.url" })
        for error in error.errors {
            #expect(!error.description.contains("hidden") && !error.description.contains("chat"), "\(error)")
        }
    }

    @Test func `a webhook's address is read from a file, and is not shown`() throws {
        try Fixtures.inDirectory { directory in
            let path = "\(directory)/url"
            try "https://chat.test/services/hidden\n".write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let loaded = try Fixtures.load("[hook.chat]\nurl_file = '\(path)'\n")
            #expect(!loaded.effective.contains { $0.contains("hidden") })
            let hook = try #require(loaded.settings.hooks.definitions.first)
            guard case .webhook(let webhook) = hook.action else {
                Issue.record("it is a webhook")
                return
            }
            #expect(webhook.probe.target.description == "https://chat.test/services/hidden")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            #expect(try Fixtures.errors("[hook.chat]\nurl_file = '\(path)'\n").count == 1)
            #expect(try Fixtures.errors("[hook.chat]\nurl_file = '\(path)'\nurl = 'https://a.test/'\n").count == 2)
            try "ftp://hidden/".write(toFile: path, atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let errors = try Fixtures.errors("[hook.chat]\nurl_file = '\(path)'\n")
            #expect(errors.count == 1 && !errors.joined().contains("hidden"))
        }
    }
}
