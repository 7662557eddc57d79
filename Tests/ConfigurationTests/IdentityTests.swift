import Configuration
import Foundation
import NetlinkMonitor
import Probes
import Reachability
import Testing

/// The identity that probes with the same check share.
@Suite struct IdentityTests {
    private func identity(_ keys: String) throws -> String {
        let text = "[probe.a]\ntarget = 'https://example.org/'\n\(keys)\n"
        return try #require(try Fixtures.load(text).settings.probes.first).identity
    }

    @Test(arguments: [
        ("", "timeout = '10s'"), ("timeout = '9s'", "timeout = '9000ms'"), ("", "method = 'GET'"),
        ("", "interval = '5m'"), ("", "interval = '10s'"), ("interval = '3s'", "interval = '4s'\ntimeout = '3s'"),
        ("interval = '3s'", "timeout = '3s'"), ("interval = '3s'", "interval = '3s'\ntimeout = '3s'"),
        ("", "fall = 7\nrise = 1"), ("", "interfaces = 'each'"), ("", "required = false"),
        ("", "latency = { good = '1s', bad = '2s' }"), ("", "expiry_days = [3]"), ("", "max_body_bytes = 1048576"),
        ("query = { a = 'b', c = 'd' }", "query = { c = 'd', a = 'b' }"),
        ("query = { a = 'b', c = ['e', 'd'] }", "query = ['a=b', 'c=e', 'c=d']"),
        ("query = { a = { b = 'c' } }", "query = ['a[b]=c']"), ("", "strict_certificates = false"),
        ("", "max_depth = 16"),
        ("json_body = '{\"a\":1}'", "json_body = { a = 1 }"),
    ])
    func `equal checks have one identity`(left: String, right: String) throws {
        #expect(try identity(left) == identity(right))
    }

    @Test(arguments: [
        "timeout = '9s'", "interval = '3s'", "method = 'HEAD'", "headers = { Accept = 'a' }", "query = { a = 'b' }",
        "json_body = '1'", "form = { a = 'b' }", "max_redirects = 1", "connect_to = '192.0.2.1:443'",
        "expect_status = 204", "expect_content_type = ['a/b']", "expect_format = 'json'",
        "expect_body_contains = ['a']",
        "expect_body_matches = ['a']", "expect_json = ['a=1']", "max_body_bytes = 1", "tls_minimum = '1.3'",
        "http1_only = true", "allow_invalid_certificates = true", "validate_domain_name = false",
        "afnetworking_compatible = true", "allow_cellular = false", "strict_certificates = true", "max_depth = 2",
        "query = ['a']", "form = ['a[]=1']", "json_body = [1]",
    ])
    func `keys that change the check change its identity`(keys: String) throws {
        #expect(try identity(keys) != identity(""))
    }

    @Test func `an identity changes with a secret, and does not show it`() throws {
        try Fixtures.inDirectory { directory in
            func write(_ text: String, to name: String) throws {
                try text.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
                chmod("\(directory)/\(name)", 0o600)
            }
            try write(
                """
                [probe.a]
                target = "https://example.org/"
                header_files = { Authorization = "token" }
                form = { password = "hunter2" }
                """,
                to: "a.toml"
            )
            try write("Bearer first\n", to: "token")
            let first = try ConfigurationFile.load("\(directory)/a.toml", listsEffective: true)
            try write("Bearer other\n", to: "token")
            let other = try ConfigurationFile.load("\(directory)/a.toml")
            let probes = [first, other].compactMap(\.settings.probes.first)
            #expect(
                probes.map { $0.probe.request.headers.value(of: "authorization") } == ["Bearer first", "Bearer other"]
            )
            #expect(probes[0].identity != probes[1].identity)
            #expect(!probes[0].identity.contains("Bearer") && !probes[0].identity.contains("hunter2"))
            #expect(!first.effective.joined().contains("Bearer"))
            #expect(first.effective.joined().contains("\(directory)/token"))
            #expect(ConfigurationFile.differences(from: first.settings, to: other.settings).changed == ["probe.a"])
        }
    }

    @Test func `a secret that others can read is rejected`() throws {
        try Fixtures.inDirectory { directory in
            try "[probe.a]\ntarget = 'https://example.org/'\nheader_files = { Authorization = 'token' }\n"
                .write(toFile: "\(directory)/a.toml", atomically: false, encoding: .utf8)
            try "Bearer x".write(toFile: "\(directory)/token", atomically: false, encoding: .utf8)
            chmod("\(directory)/token", 0o644)
            let errors = Fixtures.errors(at: "\(directory)/a.toml", in: directory)
            #expect(
                errors == [
                    "a.toml:3:1: probe.a.header_files: token can be read or written by others: use chmod o-rw"
                ]
            )
        }
    }

    @Test func `a probe of the command line is the same as one of a file`() throws {
        let adHoc = try ProbeDefinition.adHoc("https://example.org/", name: "a")
        #expect(adHoc.identity == (try identity("")))
        do throws(ConfigurationErrors) {
            _ = try ProbeDefinition.adHoc("example.org", name: "a")
            Issue.record("accepted")
        } catch {
            #expect(
                error.errors.first?.description.hasPrefix("--probe: probe.a.target: 'example.org' has no scheme")
                    == true
            )
        }
    }
}
