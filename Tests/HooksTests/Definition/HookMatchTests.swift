import AgentEvents
import Testing

@testable import Hooks

@Suite
struct HookMatchTests {
    private static func filter(_ change: (inout HookFilter) -> Void) -> HookFilter {
        var filter = HookFilter()
        change(&filter)
        return filter
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var golden: String
        var filter: HookFilter
        var expected: HookMatch

        init(_ golden: String, _ expected: HookMatch, _ change: (inout HookFilter) -> Void) {
            self.golden = golden
            self.expected = expected
            filter = HookMatchTests.filter(change)
        }

        var testDescription: String { "\(golden): \(expected)" }
    }

    @Test(arguments: [
        Case("reachability.changed", .matches) { _ in },
        Case("reachability.changed", .matches) { $0.fromVia = ["wired", "wifi"] },
        Case("reachability.changed", .filter(name: "from_via", wanted: ["wired"], found: "wifi")) {
            $0.fromVia = ["wired"]
        },
        Case("reachability.changed", .filter(name: "to_via", wanted: ["wifi"], found: "none")) { $0.toVia = ["wifi"] },
        Case("reachability.changed", .matches) {
            $0.toVia = ["none"]
            $0.fromConnectivity = ["unknown"]
            $0.toConnectivity = ["none", "local"]
        },
        Case("reachability.changed", .filter(name: "to_connectivity", wanted: ["full"], found: "none")) {
            $0.toConnectivity = ["full"]
        },
        Case("reachability.changed", .filter(name: "from_connectivity", wanted: ["full"], found: "unknown")) {
            $0.fromConnectivity = ["full"]
            $0.toConnectivity = ["full"]
        },
        Case("reachability.changed", .filter(name: "target", wanted: ["office"], found: nil)) {
            $0.targets = ["office"]
        },
        Case("target.changed", .matches) { $0.targets = ["home", "office"] },
        Case("target.changed", .filter(name: "target", wanted: ["home"], found: "office")) { $0.targets = ["home"] },
        Case("path.changed", .filter(name: "target", wanted: ["default"], found: nil)) { $0.targets = ["default"] },
        Case("probe.changed", .matches) { $0.probes = ["web"] },
        Case("certificate.expiring", .matches) { $0.probes = ["web"] },
        Case("probe.changed", .filter(name: "probe", wanted: ["dns"], found: "web")) { $0.probes = ["dns"] },
        Case("reachability.changed", .matches) { $0.causes = ["link_down"] },
        Case("reachability.changed", .filter(name: "cause", wanted: ["link_up"], found: "link_down")) {
            $0.causes = ["link_up"]
        },
        Case("suspend.resumed", .filter(name: "cause", wanted: ["link_up"], found: nil)) { $0.causes = ["link_up"] },
        Case("reachability.changed", .matches) { $0.interfaces = ["eth*", "wl*"] },
        Case("reachability.changed", .matches) { $0.interfaces = ["wlan[0-9]"] },
        Case("probe.changed.portal", .matches) { $0.interfaces = ["wwan?"] },
        Case("reachability.changed", .filter(name: "interface", wanted: ["wl"], found: "wlan0")) {
            $0.interfaces = ["wl"]
        },
        Case("agent.started", .filter(name: "interface", wanted: ["*"], found: nil)) { $0.interfaces = ["*"] },
        Case("reachability.changed", .matches) { $0.changes = [.verdict, .via] },
        Case("reachability.changed", .filter(name: "changed", wanted: ["interface"], found: "via, connectivity")) {
            $0.changes = [.interface]
        },
        Case("reachability.changed.portal", .filter(name: "changed", wanted: ["via"], found: "connectivity")) {
            $0.changes = [.via]
        },
        Case("probe.changed", .matches) { $0.changes = [.verdict] },
        Case("probe.changed.flapping", .filter(name: "changed", wanted: ["verdict"], found: nil)) {
            $0.changes = [.verdict]
        },
    ])
    func `a hook runs when all conditions hold, and otherwise names the one that does not`(_ example: Case) throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden(example.golden)))
        let trigger = HookTrigger(types: [event.type], filter: example.filter)
        #expect(trigger.matches(event) == example.expected)
    }

    @Test(arguments: [
        ("wlp3*", HookMatch.matches), ("wlan0", .matches),
        ("wlp4*", .filter(name: "interface", wanted: ["wlp4*"], found: "wlan0")),
    ])
    func `an interface matches by an alternative name, and is explained by its own`(
        pattern: String,
        expected: HookMatch
    ) throws {
        var event = try #require(HookEvent(line: try SampleEvent.golden("reachability.changed")))
        event.addAlternativeNames { $0 == "wlan0" ? ["wlp3s0", "a"] : ["other"] }
        let trigger = HookTrigger(types: [event.type], filter: Self.filter { $0.interfaces = [pattern] })
        #expect(trigger.matches(event) == expected)
    }

    @Test(arguments: [
        ("eth0", "eth1", HookMatch.filter(name: "interface", wanted: ["eth0"], found: "eth1")),
        ("eth0", "eth0", .matches), ("port0", "eth0", .matches),
        ("port0", "eth1", .filter(name: "interface", wanted: ["port0"], found: "eth1")),
    ])
    func `the interface of an uplink's event is the uplink, and not the one whose loss is the cause`(
        pattern: String,
        uplink: String,
        expected: HookMatch
    ) {
        var event = HookEvent(SampleEvent.uplink(uplink, cause: "eth0"))
        event.addAlternativeNames { $0 == "eth0" ? ["port0"] : [] }
        let trigger = HookTrigger(types: [.uplinkChanged], filter: Self.filter { $0.interfaces = [pattern] })
        #expect(trigger.matches(event) == expected)
    }

    @Test(arguments: [
        ([], HookMatch.behindPortal), (["behind_portal"], .matches),
        (["link_up"], .filter(name: "cause", wanted: ["link_up"], found: "behind_portal")),
    ])
    func `a probe behind a captive portal runs only hooks with that cause`(causes: [String], match: HookMatch) throws {
        let event = HookEvent(SampleEvent.probeBehindPortal("web"))
        let trigger = HookTrigger(types: [.probeChanged], filter: Self.filter { $0.causes = causes })
        #expect(trigger.matches(event) == match)
    }

    @Test
    func `a mismatched type is reported before any condition`() throws {
        let event = HookEvent(SampleEvent.probe("web"))
        let trigger = HookTrigger(filter: Self.filter { $0.toVia = ["wifi"] })
        #expect(trigger.matches(event) == .type)
    }

    @Test(arguments: [(true, "start", HookMatch.matches), (false, "start", .atStartOnly), (false, "link", .matches)])
    func `the state at the start runs only hooks that request it`(runsAtStart: Bool, cause: String, match: HookMatch)
        throws
    {
        let event = HookEvent(SampleEvent.reachability(cause: cause))
        let hook = HookDefinition(
            name: "x",
            action: .command(HookCommand(arguments: ["true"])),
            pace: HookPace(runsAtStart: runsAtStart)
        )
        #expect(hook.matches(event) == match)
    }

    @Test
    func `an interface is named once, the present one first`() throws {
        let event = try #require(HookEvent(line: try SampleEvent.golden("target.changed")))
        #expect(event.interfaces == ["wg0"])
    }

    @Test
    func `why a hook does not run can be read`() {
        let match = HookMatch.filter(name: "to_via", wanted: ["wifi", "wired"], found: "none")
        #expect(match.description == "'to_via' asks for wifi or wired, and the event says none")
    }

    @Test
    func `a hook cannot run for its own end`() {
        #expect(!HookTrigger.types.contains(.agentStopping))
        #expect(!HookTrigger.types.contains { !$0.isNumbered })
    }
}
