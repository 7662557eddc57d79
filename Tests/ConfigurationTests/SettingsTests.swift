import Configuration
import Foundation
import NetlinkMonitor
import Probes
import Reachability
import Testing

/// The settings that are read from a configuration.
@Suite struct SettingsTests {
    private let settings: Settings

    init() throws {
        settings = try ConfigurationFile.load("\(Fixtures.directory)/valid-everything.toml").settings
    }

    @Test func `the agent's section is read`() {
        let agent = settings.agent
        #expect(agent.journal == false)
        #expect(agent.journalDirectory == "\(Fixtures.directory)/journal")
        #expect(agent.journalBytes == 64 << 20)
        #expect(agent.journalAge == .seconds(43_200))
        #expect(agent.journalSync.map { "\($0)" } == "always")
        #expect(agent.compressesJournal == true)
        #expect(agent.sockets == true)
        #expect(agent.socketDirectory == "/run/test")
        #expect(agent.socketGroup == "netdev")
        #expect(agent.socketMode == 0o600)
        #expect(agent.maxConnections == 16)
        #expect(agent.logLevel == .debug)
    }

    @Test func `the sections about the network are read`() {
        #expect(settings.settle == SettlePolicy(up: .milliseconds(500), down: .milliseconds(1500)))
        #expect(settings.internetAddresses.map(\.description) == ["192.0.2.1", "2001:db8::1"])
        #expect(settings.metered.interfaces == ["wwan*", "ppp?"])
        #expect(!settings.metered.includesCellular)
        #expect(settings.metered.intervalFactor == 5)
        #expect(settings.metered.bytesPerDay == 5 << 20)
        #expect(settings.portal.recheck == .seconds(20))
        #expect(!settings.portal.asksNetwork)
        #expect(settings.quorum == .atLeast(2))
        #expect(settings.limits == ScheduleLimits(checks: 8, checksPerTarget: 1))
        #expect(settings.targets.map(\.name) == ["branch.two", "office"])
        #expect(settings.targets.map(\.address.description) == ["2001:db8::7", "192.0.2.7"])
    }

    @Test func `an IPv4-mapped address is an IPv4 one, as for the system`() throws {
        let text = """
            [interfaces]
            internet_addresses = ["::ffff:192.0.2.1"]
            [target.office]
            address = "::ffff:192.0.2.7"
            [probe.web]
            target = "https://[::ffff:192.0.2.8]/"
            """
        let settings = try Fixtures.load(text).settings
        #expect(settings.internetAddresses.map(\.description).contains("192.0.2.1"))
        #expect(settings.targets.map(\.address.description) == ["192.0.2.7"])
        #expect(settings.probes.map(\.rule.families) == [.ipv4])
        #expect(settings.probes.map(\.probe.target.description) == ["https://192.0.2.8/"])
    }

    @Test func `kinds keep the order of the text`() {
        #expect(settings.kindOverrides.map(\.description) == ["usb0=wired", "usb*=wwan", "a*=wifi"])
    }

    @Test func `all keys of a probe are read`() throws {
        let web = try #require(settings.probes.first { $0.name == "web" })
        #expect(web.probe.target.description == "https://example.org:8443/health?full=1")
        #expect(web.pace.interval == .seconds(30))
        #expect(web.pace.fastInterval == .seconds(1))
        #expect(web.pace.maximumBackoff == .seconds(300))
        #expect(web.pace.portalInterval == .seconds(20))
        #expect(
            web.rule
                == ProbeRule(
                    name: "web",
                    isRequired: false,
                    fall: 4,
                    rise: 1,
                    latency: DeadBand(good: 200, bad: 1000),
                    loss: DeadBand(good: 10, bad: 40.5),
                    lossWindow: 50,
                    interfaces: .matching(["wlan0", "wwan"]),
                    families: .ipv6,
                    expiry: ExpiryPolicy(lifetimePercents: [50, 10], days: [14, 1])
                )
        )
        let probe = web.probe
        #expect(probe.timeout == .seconds(5))
        #expect(probe.families == .ipv6)
        #expect(!probe.request.allowsCellularAccess)
        #expect(probe.request.method == "PUT")
        #expect(probe.request.headers.value(of: "x-test") == "1")
        #expect(probe.request.query == .dictionary(["a": "b", "c": .repeated(["d", "e"])]))
        #expect(probe.maximumRedirects == 2)
        #expect(probe.connectTo?.port == 443)
        #expect(probe.limits.bodyBytes == 512 << 10)
        #expect(probe.tls.minimumVersion == .tls13)
        #expect(probe.tls.applicationProtocols == ["http/1.1"])
        #expect(probe.expectations.acceptableStatusCodes.description == "200-204,304")
        #expect(probe.expectations.acceptableContentTypes == ["application/json"])
        #expect(probe.expectations.bodyExpectations.count == 3)
        let policy = probe.trust.policy
        #expect(policy.pinningMode == .publicKey)
        #expect(policy.pinnedPublicKeys.count == 1)
        #expect(policy.backupPublicKeys.count == 1)
        #expect(policy.allowsInvalidCertificates)
        #expect(!policy.validatesDomainName)
    }

    @Test func `a portal check is not required and judges no status`() throws {
        let portal = try #require(settings.probes.first { $0.name == "portal" })
        #expect(portal.rule.isPortalCheck)
        #expect(!portal.rule.isRequired)
        #expect(!portal.rule.usesTLS)
        #expect(portal.probe.maximumRedirects == 0)
        #expect(portal.probe.request.method == "GET")
    }

    @Test(arguments: [
        ("gateway", ProbeRule.Families.ipv6, false), ("name.server", .ipv4, false), ("ssh", .ipv4, false),
        ("portal", .each, false), ("web", .ipv6, true),
    ])
    func `an address fixes the family, and a scheme whether there is TLS`(
        name: String,
        families: ProbeRule.Families,
        usesTLS: Bool
    ) throws {
        let probe = try #require(settings.probes.first { $0.name == name })
        #expect(probe.rule.families == families)
        #expect(probe.rule.usesTLS == usesTLS)
    }

    @Test func `an omitted key has its default`() throws {
        let settings = try ConfigurationFile.load("\(Fixtures.directory)/valid-minimal.toml").settings
        let web = try #require(settings.probes.first)
        #expect(web.rule == ProbeRule(name: "web"))
        #expect(web.pace == ProbePace())
        #expect(web.probe.timeout == .seconds(10))
        #expect(settings.agent == AgentSettings())
        #expect(settings.quorum == .all)
    }

    @Test func `a default timeout fits into a short interval`() throws {
        let text = "[probe.web]\ntarget = 'https://example.org/'\ninterval = '2s'\n"
        let probe = try #require(try Fixtures.load(text).settings.probes.first)
        #expect(probe.probe.timeout == .seconds(2))
        #expect(probe.pace.fastInterval == .seconds(2))
    }

    @Test func `probes with the same policy share an evaluator`() throws {
        let text = (0..<3).map { "[probe.p\($0)]\ntarget = 'https://h\($0).test/'\n" }.joined()
        #expect(try Fixtures.load(text).settings.probes.count == 3)
    }

    @Test func `a probe that is switched off is read and not made`() throws {
        let text = "[probe.a]\ntarget = 'https://a.test/'\nenabled = false\n[probe.b]\ntarget = 'https://b.test/'\n"
        let settings = try Fixtures.load(text).settings
        #expect(settings.probes.map(\.name) == ["b"])
        #expect(settings.disabledProbes == 1)
        let errors = try Fixtures.errors("[probe.a]\ntarget = 'https://a.test/'\nenabled = false\nrise = 0\n")
        #expect(errors == ["a.toml:4:1: probe.a.rise: 0 is not from 1 to 1000"])
        let hook = "[hook.x]\ncommand = ['true']\non = 'probe.changed'\nwhen = { probe = 'a' }\n"
        #expect(try Fixtures.errors(text + hook).isEmpty)
        let all = try Fixtures.load(text.replacing("enabled = false\n", with: "")).settings
        #expect(ConfigurationFile.differences(from: all, to: settings).removed == ["probe.a"])
        #expect(ConfigurationFile.differences(from: settings, to: all).added == ["probe.a"])
    }

    @Test func `without a file every key has its default`() {
        let loaded = ConfigurationFile.defaults()
        #expect(loaded.settings.probes.isEmpty && loaded.files.isEmpty)
        #expect(loaded.effective.contains("settle.down = \"1s\"    # default"))
    }
}
