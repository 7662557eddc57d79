import AgentTestKit
import Foundation
import Hooks
import NetlinkMonitor
import ProbeTestKit
import Probes
import Reachability
import Testing

@testable import Configuration

/// The values in effect, the examples, and what differs between configurations.
@Suite struct EffectiveTests {
    private func keys(_ lines: [String]) -> [String] { lines.compactMap { $0.components(separatedBy: "    # ").first } }

    @Test(arguments: Fixtures.names("valid-"))
    func `the values in effect are a configuration file that means the same`(name: String) throws {
        let loaded = try ConfigurationFile.load("\(Fixtures.directory)/\(name).toml", listsEffective: true)
        let again = try Fixtures.load(loaded.effective.joined(separator: "\n") + "\n")
        #expect(keys(again.effective) == keys(loaded.effective))
        #expect(again.settings.probes.map(\.rule) == loaded.settings.probes.map(\.rule))
        #expect(again.settings.probes.map(\.pace) == loaded.settings.probes.map(\.pace))
        #expect(again.settings.probes.map(\.identity) == loaded.settings.probes.map(\.identity))
        // A hidden value cannot be read again.
        let hidden = loaded.effective.filter { $0.contains(SecretName.placeholder) }
        func identities(_ loaded: ConfigurationFile.Loaded) -> [String] {
            loaded.settings.hooks.definitions.filter { hook in !hidden.contains { $0.hasPrefix("hook.\(hook.name).") } }
                .map(\.identity)
        }
        #expect(identities(again) == identities(loaded))
        #expect(again.settings.hooks.definitions.map(\.trigger) == loaded.settings.hooks.definitions.map(\.trigger))
        #expect(again.settings.kindOverrides == loaded.settings.kindOverrides)
    }

    @Test func `a default is marked as such, and a value with its place`() throws {
        let effective = try ConfigurationFile.load("\(Fixtures.directory)/valid-minimal.toml", listsEffective: true)
            .effective
        #expect(effective.contains(#"probe.web.interval = "60s"    # default"#))
        #expect(
            effective.contains(
                #"probe.web.target = "https://example.org/"    # \#(Fixtures.directory)/valid-minimal.toml:2"#
            )
        )
        #expect(effective.contains(#"agent.journal_size = "64M"    # default"#))
    }

    @Test func `nothing is listed unless requested`() throws {
        #expect(try ConfigurationFile.load("\(Fixtures.directory)/valid-minimal.toml").effective.isEmpty)
    }

    @Test(arguments: Fixtures.files(in: Fixtures.examples))
    func `an example is valid and has no warnings`(name: String) throws {
        let loaded = try ConfigurationFile.load("\(Fixtures.examples)/\(name)")
        #expect(loaded.warnings.isEmpty)
        #expect(!loaded.settings.probes.isEmpty)
    }

    @Test func `the newcomer's file has ten lines`() throws {
        let text = try String(contentsOfFile: "\(Fixtures.examples)/ten-lines.toml", encoding: .utf8)
        #expect(text.split(separator: "\n").count <= 10)
    }

    @Test func `the README shows the newcomer's file as it is`() throws {
        let text = try String(contentsOfFile: "\(Fixtures.examples)/ten-lines.toml", encoding: .utf8)
        let readme = try String(contentsOfFile: "\(Fixtures.examples)/../../README.md", encoding: .utf8)
        #expect(readme.contains("```toml\n\(text)```"))
    }

    @Test func `the defaults stated in the full example are the defaults`() throws {
        let loaded = try ConfigurationFile.load("\(Fixtures.examples)/full.toml", listsEffective: true)
        let minimal = try ConfigurationFile.load("\(Fixtures.directory)/valid-minimal.toml", listsEffective: true)
        let chosen = ["target", "headers", "latency", "loss", "kinds", "command", "url", "when", "environment"]
        let hooks = try Fixtures.load("[hook.vpn]\ncommand = ['x']\n[hook.chat]\nurl = 'https://x.test/'\n")
        let defaults = Set(keys(minimal.effective) + keys(hooks.effective))
        let (named, compared) = (["target.", "probe.", "hook.", "sink."], ["probe.web.", "hook.vpn.", "hook.chat."])
        for line in keys(loaded.effective)
        where !named.contains(where: line.hasPrefix) || compared.contains(where: line.hasPrefix) {
            let path = line.split(separator: " ").first ?? ""
            guard !chosen.contains(where: { path.split(separator: ".").contains(Substring($0)) }) else { continue }
            #expect(defaults.contains(line), "\(line) is not the default")
        }
    }

    @Test(arguments: [
        ("[settle]\nup = '3s'", ["settle"]), ("[interfaces]\nkinds = { a = 'wifi' }", ["interfaces"]),
        ("[metered]\ncellular = false", ["metered"]), ("[portal]\nrecheck = '3s'", ["portal"]),
        ("[connectivity]\nquorum = 1", ["connectivity"]), ("[limits]\nchecks = 3", ["limits"]),
        ("[agent]\nlog_level = 'debug'", ["agent"]),
    ])
    func `a section that changed is named`(text: String, changed: [String]) throws {
        let probe = "[probe.a]\ntarget = 'https://a.test/'\n"
        let earlier = try Fixtures.load(probe).settings
        let difference = ConfigurationFile.differences(from: earlier, to: try Fixtures.load(probe + text).settings)
        #expect(difference.changed == changed)
        #expect(difference.added.isEmpty && difference.removed.isEmpty && difference.needsRestart.isEmpty)
    }

    @Test func `probes and targets are compared by name`() throws {
        func settings(_ probes: [String: String], _ targets: [String: String], _ rest: String = "") throws -> Settings {
            var text = rest + "\n"
            for (name, keys) in probes { text += "[probe.\(name)]\ntarget = 'https://a.test/'\n\(keys)\n" }
            for (name, address) in targets { text += "[target.\(name)]\naddress = '\(address)'\n" }
            return try Fixtures.load(text).settings
        }
        let earlier = try settings(
            ["same": "", "pace": "", "rule": "", "check": "", "gone": ""],
            ["same": "192.0.2.1", "moved": "192.0.2.2", "gone": "192.0.2.3"]
        )
        let later = try settings(
            [
                "same": "interval = '60s'", "pace": "interval = '50s'", "rule": "fall = 9", "check": "timeout = '3s'",
                "new": "",
            ],
            ["same": "192.0.2.1", "moved": "192.0.2.9", "new": "192.0.2.3"],
            "agent.journal = false"
        )
        let difference = ConfigurationFile.differences(from: earlier, to: later)
        #expect(difference.added == ["probe.new", "target.new"])
        #expect(difference.removed == ["probe.gone", "target.gone"])
        #expect(difference.changed == ["probe.check", "probe.pace", "probe.rule", "target.moved"])
        #expect(difference.needsRestart == ["agent"])
        #expect(ConfigurationFile.differences(from: later, to: later).isEmpty)
    }

    @Test(arguments: [
        (
            "allow_invalid_certificates = true",
            "every server is refused: its name needs 'pins', or 'validate_domain_name = false'"
        ),
        (
            "allow_invalid_certificates = true\nvalidate_domain_name = false",
            "any certificate of any server is accepted"
        ),
        ("latency = { good = '1s', bad = '30s' }", "is longer than the timeout of 10s, so no check takes so long"),
        ("required = false", "no probe is required, so nothing determines whether the Internet is reachable"),
    ])
    func `a surprising setting is a warning`(keys: String, message: String) throws {
        let warnings = try Fixtures.load("[probe.a]\ntarget = 'https://a.test/'\n\(keys)\n").warnings
        #expect(warnings.map(\.message) == [message])
    }
    @Test
    func `revocation lists limit what is accepted without pins, and the warning says so`() throws {
        let directory = try TemporaryDirectory()
        let list = try TestAuthority.standard().root.revocationListPEM(RevocationListTemplate())
        let keys = """
            allow_invalid_certificates = true
            validate_domain_name = false
            crl_files = ['\(try directory.file("ca.crl", list))']
            """
        let warnings = try Fixtures.load("[probe.a]\ntarget = 'https://a.test/'\n\(keys)\n").warnings
        let accepted = "any certificate of any server is accepted that 'crl_files' covers and does not revoke"
        #expect(warnings.map(\.message) == [accepted])
    }
}
