import Configuration
import Probes
import Reachability
import Testing

@testable import Configuration

/// The keys of transfers and of their thresholds.
@Suite struct TransferKeyTests {
    private static let transfer = "transfer = { download = '5M' }"

    private func probe(_ name: String, in file: String) throws -> ProbeDefinition {
        let settings = try ConfigurationFile.load("\(Fixtures.directory)/\(file).toml").settings
        return try #require(settings.probes.first { $0.name == name })
    }

    private func load(_ keys: String, _ rest: String = "") throws -> ConfigurationFile.Loaded {
        try Fixtures.load(
            "[probe.web]\ntarget = 'https://a.test/'\n[probe.a]\ntarget = 'https://a.test/'\n\(keys)\n\(rest)"
        )
    }

    @Test func `all keys of a transfer are read`() throws {
        let everything = try probe("everything", in: "valid-transfers")
        let plan = try #require(everything.probe.transfer)
        #expect(plan.downloadBytes == 5 << 20)
        #expect(plan.uploadBytes == 512 << 10)
        #expect(plan.uploadURL?.description == "https://speed.example.org:8443/upload")
        #expect(plan.resumes && plan.allowsMetered && plan.priority == .low)
        #expect(plan.stallTimeout == .seconds(5))
        #expect(plan.yieldShare == 0.35)
        #expect(
            everything.rule.transfer
                == TransferRule(
                    throughput: ThroughputBand(good: 5_000_000, bad: 1_500_000),
                    addedLatency: DeadBand(good: 50, bad: 300)
                )
        )
        #expect(everything.probe.request.headers.value(of: "x-test") == "1")
        #expect(everything.probe.maximumRedirects == 2)
        #expect(everything.probe.tls.applicationProtocols == ["http/1.1"])
    }

    @Test func `a transfer is rare, optional, and in one family, unless its table says otherwise`() throws {
        let least = try probe("least", in: "valid-transfers")
        #expect(least.pace.interval == .seconds(6 * 3600))
        #expect(least.pace.fastInterval == .seconds(600))
        #expect(least.pace.maximumBackoff == .seconds(6 * 3600))
        #expect(least.probe.timeout == .seconds(120))
        #expect(!least.rule.isRequired)
        #expect(least.rule.transfer == TransferRule())
        let plan = try #require(least.probe.transfer)
        #expect(!plan.resumes && !plan.allowsMetered && plan.priority == .normal && plan.uploadURL == nil)
        #expect(plan.stallTimeout == .seconds(10))
        #expect(plan.yieldShare == 0.2)
        #expect(try load(Self.transfer).settings.probes.map(\.rule.families) == [.any, .each])
        #expect(try probe("upload", in: "valid-transfers").rule.families == .ipv6)
    }

    @Test func `default times fit into a short interval`() throws {
        let probe = try #require(try load("\(Self.transfer)\ninterval = '20s'").settings.probes.first)
        #expect(probe.pace.interval == .seconds(20))
        #expect(probe.pace.fastInterval == .seconds(20))
        #expect(probe.probe.timeout == .seconds(20))
    }

    @Test func `an ordinary probe has neither a plan nor a rule for one`() throws {
        let web = try probe("web", in: "valid-transfers")
        #expect(web.probe.transfer == nil && web.rule.transfer == nil && web.rule.isRequired)
    }

    @Test(arguments: [
        (
            "throughput = { good = '1Mbit/s', bad = '200kbit/s' }",
            "5M take 210s at 200kbit/s, longer than the timeout of 2m: slow transfers are cut short"
        ),
        (
            "timeout = '30s'\nthroughput = { good = '5Mbit/s', bad = '1Mbit/s' }",
            "5M take 42s at 1Mbit/s, longer than the timeout of 30s: slow transfers are cut short"
        ),
        ("interval = '30s'", "up to 18 GB a day go over each uplink, every 30s"),
        ("throughput = { good = '5Mbit/s', bad = '1Mbit/s' }", nil), ("interval = '10m'", nil),
    ])
    func `a threshold or an interval that defeats its purpose is a warning`(keys: String, message: String?) throws {
        let warnings = try load("\(Self.transfer)\n\(keys)").warnings.map(\.message)
        #expect(warnings == [message].compactMap(\.self))
    }

    @Test func `a stall timeout beyond the timeout is a warning`() throws {
        let keys = "timeout = '20s'\ntransfer = { download = 1, stall_timeout = '20s' }"
        let warnings = try load(keys).warnings.map(\.message)
        #expect(warnings == ["is not shorter than the timeout of 20s: it never expires"])
    }

    @Test(arguments: [
        (6_422_528, 5 << 20, "6.2M"), (629_276_672, 5 << 20, "600.2M"), ((1 << 30) + 1, 1 << 30, "1.1G"),
        (6 << 20, 5 << 20, "6M"), ((2 << 20) - 1, 1 << 20, "2M"), (6_422_528, 5_000_000, "6422528"),
        (.max, 1 << 30, "8589934592G"), (0, 0, "0"),
    ])
    func `the bytes of a transfer are shown in the unit of the budget, and never as few`(
        bytes: Int,
        budget: Int,
        text: String
    ) {
        #expect(TOMLText.size(bytes, inUnitOf: budget) == text)
    }

    @Test(arguments: [("true", true), ("false", false)])
    func `a budget without room for a transfer is a warning where the transfer may use it`(
        metered: String,
        isWarned: Bool
    ) throws {
        let keys = "transfer = { download = '5M', metered = \(metered) }"
        let warnings = try load(keys, "[metered]\nbytes_per_day = '5M'\n").warnings
        let message =
            "a transfer of probe 'a' takes up to 6.2M with all headers, more than 5M: it is never made "
        #expect(warnings.map(\.message) == (isWarned ? [message + "over a metered link"] : []))
        #expect(warnings.compactMap(\.key) == (isWarned ? ["metered.bytes_per_day"] : []))
        #expect(try load(keys, "[metered]\nbytes_per_day = '7M'\n").warnings.isEmpty)
    }

    @Test func `transfers alone are a warning, because they say nothing about the connectivity`() throws {
        let warnings = try Fixtures.load("[probe.a]\ntarget = 'https://a.test/'\n\(Self.transfer)\n").warnings
        let message = "no probe is required, so nothing determines whether the Internet is reachable"
        #expect(warnings.map(\.message) == [message])
    }

    @Test(arguments: [
        "transfer = { download = '6M' }", "transfer = { download = '5M', upload = 1 }",
        "transfer = { download = '5M', resume = true }", "transfer = { download = '5M', metered = true }",
        "transfer = { download = '5M', priority = 'low' }", "transfer = { download = '5M', stall_timeout = '9s' }",
        "transfer = { download = '5M', yield_share = 0.5 }", "timeout = '3m'\n\(Self.transfer)",
    ])
    func `another transfer is another check`(keys: String) throws {
        let identities = try [Self.transfer, keys].map { try load($0).settings.probes.first?.identity }
        #expect(identities.first != identities.last)
    }

    @Test(arguments: [
        "transfer = { download = 5242880 }", "\(Self.transfer)\nthroughput = { good = '5Mbit/s', bad = '1Mbit/s' }",
        "\(Self.transfer)\nadded_latency = { good = '50ms', bad = '300ms' }", "\(Self.transfer)\ninterval = '12h'",
    ])
    func `other thresholds and times are the same check`(keys: String) throws {
        let identities = try [Self.transfer, keys].map { try load($0).settings.probes.first?.identity }
        #expect(identities.first == identities.last)
    }

    @Test func `changed thresholds are a changed probe`() throws {
        func settings(_ bad: Int) throws -> Settings {
            try load("\(Self.transfer)\nthroughput = { good = '9Mbit/s', bad = '\(bad)Mbit/s' }").settings
        }
        let difference = ConfigurationFile.differences(from: try settings(1), to: try settings(2))
        #expect(difference.changed == ["probe.a"])
    }
}
