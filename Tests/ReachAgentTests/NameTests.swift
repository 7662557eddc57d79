import AgentEvents
import Configuration
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

/// The arguments of `route`, `probe` and `diagnose`: addresses, names of the configuration, hosts and URLs.
@Suite struct NameTests {
    /// Answers every name at once, or never.
    private struct FakeResolver: HostResolver {
        struct Lookup: HostLookup {
            let isWaiting = false
            func abandon() {}
        }

        var answers: [HostAddress.Family: Result<[HostAddress], HostLookupFailure>] = [:]

        func lookUp(
            _ name: String,
            family: HostAddress.Family,
            completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
        ) -> any HostLookup {
            if let answer = answers[family] { completion(answer) }
            return Lookup()
        }
    }

    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private static func settings() throws -> Settings {
        var settings = Settings()
        settings.probes = [
            try ProbeDefinition.adHoc("https://host.test/", name: "web"),
            try ProbeDefinition.adHoc("icmp://192.0.2.9", name: "ping"),
        ]
        settings.targets = [Target(name: "office", address: try address("192.0.2.7"))]
        return settings
    }

    private static let found = FakeResolver(answers: [
        .ipv4: .success([HostAddress(bytes: [192, 0, 2, 80])].compactMap(\.self)),
        .ipv6: .failure(HostLookupFailure(.dnsNoAddress, reason: "none")),
    ])

    @Test(arguments: [
        ("192.0.2.5", "192.0.2.5"), ("2001:db8::7", "2001:db8::7"), ("office", "192.0.2.7"), ("ping", "192.0.2.9"),
        ("web", "192.0.2.80"), ("www.host.test", "192.0.2.80"), ("https://[2001:db8::8]/x", "2001:db8::8"),
        ("nas", "192.0.2.80"), ("nas/", "192.0.2.80"), ("nas:8443", "192.0.2.80"), ("nas:8443/a", "192.0.2.80"),
        ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"),
        ("192.0.2.6:22", "192.0.2.6"), ("www.host.test/x", "192.0.2.80"),
        ("::ffff:192.0.2.5", "192.0.2.5"), ("[::ffff:192.0.2.5]:22", "192.0.2.5"),
    ])
    func `a destination is an address, a name of the configuration, a host or a URL`(text: String, address: String)
        throws
    {
        let destination = try RouteDestination(text, try Self.settings(), resolver: Self.found)
        #expect(destination.addresses == [try Self.address(address)])
    }

    @Test(arguments: ["http//nas", "http:/nas", "nas/status", "/"])
    func `a destination that is neither a host nor a URL is one error for route and probe`(text: String) throws {
        let check = #expect(throws: CheckTarget.Unknown.self) { try CheckTarget(text, Settings()) }
        let route = #expect(throws: CheckTarget.Unknown.self) {
            try RouteDestination(text, Settings(), resolver: Self.found)
        }
        #expect(route?.description == check?.description)
    }

    @Test(arguments: ["fe80::1", "[fe80::1]:22", "https://[fe80::1]/", "nas.host.test"])
    func `a destination with link-local addresses alone is refused, because each interface has a route to them`(
        text: String
    ) throws {
        let bytes: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        let resolver = FakeResolver(answers: [
            .ipv4: .failure(HostLookupFailure(.dnsNoAddress, reason: "none")),
            .ipv6: .success([HostAddress(bytes: bytes)].compactMap(\.self)),
        ])
        let error = #expect(throws: CheckTarget.Unknown.self) {
            try RouteDestination(text, Settings(), resolver: resolver)
        }
        #expect(error?.description.hasPrefix("'fe80::1' is link-local") == true)
    }

    @Test(arguments: ["999.1.1.1", "192.0.2.256", "1.2.3", "a b", ""])
    func `a destination that can be neither an address nor a host is not looked up`(text: String) throws {
        let error = #expect(throws: CheckTarget.Unknown.self) {
            try RouteDestination(text, Settings(), resolver: Self.found)
        }
        let reason = "'\(text)' is neither an address nor a host name, and there is no probe or target '\(text)'"
        #expect(error?.description.hasPrefix(reason) == true)
    }

    @Test func `an unknown destination is an error with a suggestion`() throws {
        let unknown = FakeResolver(answers: [
            .ipv4: .failure(HostLookupFailure(.dnsNXDomain, reason: "unknown")),
            .ipv6: .failure(HostLookupFailure(.dnsNoAddress, reason: "none")),
        ])
        let failure = #expect(throws: RouteDestination.Failure.self) {
            try RouteDestination("ofice", try Self.settings(), resolver: unknown)
        }
        #expect(
            failure?.description == """
                the host 'ofice' was not found: unknown [dns_nxdomain]; there is no probe or target 'ofice' in the \
                configuration; did you mean 'office'?
                """
        )
    }

    @Test func `a resolver that does not answer costs only the timeout`() {
        let result = HostNameLookup.addresses(of: "host.test", timeout: .milliseconds(1), resolver: FakeResolver())
        guard case .failure(let failure) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(failure.code == .dnsTimeout)
    }

    @Test(arguments: [
        ("web", "https://host.test/"), ("office", "icmp://192.0.2.7"), ("192.0.2.5", "icmp://192.0.2.5"),
        ("::ffff:192.0.2.5", "icmp://192.0.2.5"), ("https://[::ffff:192.0.2.5]/", "https://192.0.2.5/"),
        ("www.host.test", "https://www.host.test/"), ("tcp://host.test:22", "tcp://host.test:22"),
        ("nas/", "https://nas/"), ("nas:8443", "https://nas:8443/"), ("nas:8443/a", "https://nas:8443/a"),
        ("https://nas/", "https://nas/"), ("icmp://nas", "icmp://nas"), ("dns://router/nas", "dns://router/nas?type=A"),
    ])
    func `a check is one of the configuration, an echo request or a request`(text: String, target: String) throws {
        #expect(try CheckTarget(text, try Self.settings()).probe.target.description == target)
    }

    /// The page of `diagnose` is made to be shared.
    @Test(arguments: [
        ("web", true), ("office", true), ("wob", false), ("192.0.2.5", false), ("https://host.test/", false),
        ("www.host.test/health?token=secret", false), ("nas:8443/?token=secret", false),
    ])
    func `only the name of a probe or a target is shown as it was typed`(text: String, isShown: Bool) throws {
        #expect(CheckTarget.isConfigured(text, in: try Self.settings()) == isShown)
    }

    @Test func `a name without a dot is one of the configuration`() throws {
        let unknown = #expect(throws: CheckTarget.Unknown.self) { try CheckTarget("wob", try Self.settings()) }
        #expect(unknown?.description == "there is no probe or target 'wob' in the configuration; did you mean 'web'?")
        let none = #expect(throws: CheckTarget.Unknown.self) { try CheckTarget("nas", Settings()) }
        #expect(
            none?.description == """
                there is no probe or target 'nas' in the configuration, which has none; a host of that name is https://nas/
                """
        )
        let other = #expect(throws: CheckTarget.Unknown.self) { try CheckTarget("printer", try Self.settings()) }
        #expect(
            other?.description == """
                there is no probe or target 'printer' in the configuration; there are web, ping, office; a host of that name \
                is https://printer/
                """
        )
        for mistyped in ["http//nas", "http:/nas", "nas/status", "/"] {
            let error = #expect(throws: CheckTarget.Unknown.self) { try CheckTarget(mistyped, Settings()) }
            #expect(error?.description.hasPrefix("'\(mistyped)' is not a URL; ") == true)
        }
        let noHost = #expect(throws: CheckTarget.Unknown.self) { try CheckTarget("a b", Settings()) }
        #expect(noHost?.description == "there is no probe or target 'a b' in the configuration, which has none")
    }

    @Test func `the check of gateways is not one of the configuration, and has a command`() throws {
        let check = "'first-hop' is the agent's own check of gateways; run it with 'reachagent check first-hop'"
        var settings = try Self.settings()
        let off = #expect(throws: CheckTarget.Unknown.self) { try CheckTarget("first-hop", settings) }
        #expect(off?.description == "\(check), where [connectivity] has 'first_hop = true'")
        settings.checksFirstHops = true
        let on = #expect(throws: CheckTarget.Unknown.self) { try CheckTarget("first-hop", settings) }
        #expect(on?.description == check)
    }

    @Test func `completions are the agent's names, without those that a shell would have to quote`() {
        var status = DiagnosisTests.status(
            [DiagnosisTests.probe("web", nil), DiagnosisTests.probe("web", nil), DiagnosisTests.probe("a b;", nil)],
            connectivity: .full
        )
        status.targets = [.init(name: "office", settled: status.reachability)]
        #expect(AgentNames.names(of: .probes, in: status) == ["web"])
        #expect(AgentNames.names(of: .destinations, in: status) == ["office", "web"])
        #expect(AgentNames.names(of: .subjects, in: status) == ["default", "agent", "office", "web"])
        #expect(AgentNames.names(of: .hooks, in: nil) == [])
        #expect(AgentNames.names(of: .codes, in: nil) == Explanation.codes)
        status.probes[0].code = "tls_expired"
        #expect(AgentNames.names(of: .codes, in: status) == ["tls_expired"])
        #expect(AgentNames.names(of: .probes, words: ["reachagent", "check", "--socket", "/nonexistent"]) == [])
    }
}
