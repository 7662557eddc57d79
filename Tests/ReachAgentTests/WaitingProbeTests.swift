import AgentEvents
import Reachability
import Testing

@testable import ReachAgent

/// Probes without a path to be checked over: their interface is missing, or a family has no path.
@Suite struct WaitingProbeTests {
    @Test(arguments: [
        (ProbeRule.Interfaces.default, ProbeRule.Families.each, "no path"),
        (.each, .ipv6, "no IPv6 path"),
        (.matching(["wan7"]), .any, "no path over wan7"),
        (.matching(["eth1", "wwan"]), .ipv4, "no IPv4 path over eth1 or wwan"),
        (
            .matching((0..<10).map { "e\($0)" }), .each,
            "no path over e0 or e1 or e2 or e3 or e4 or e5 or e6 or e7 or 2 more"
        ),
    ])
    func `the status has the path that a probe waits for`(
        interfaces: ProbeRule.Interfaces,
        families: ProbeRule.Families,
        detail: String
    ) {
        let rule = ProbeRule(name: "web", interfaces: interfaces, families: families)
        let probe = AgentStatus.ProbeStatus(waiting: rule)
        #expect(probe.verdict == "unknown")
        #expect(probe.detail == detail)
        #expect(probe.streak == nil)
    }

    /// The probes of a status, and the beginning of the problem and the commands that are expected.
    private static let rows: [(probes: String, problem: String, commands: [String])] = [
        (
            #"{"probe":"bound","verdict":"unknown","detail":"no path over wan7"}"#,
            "no probe can be checked: bound has no path over wan7", ["reachagent interfaces", "reachagent config show"]
        ),
        (
            #"{"probe":"first-hop","interface":"eth0","family":"ipv4","verdict":"up","streak":2},"#
                + #"{"probe":"bound","verdict":"unknown","detail":"no path over wan7"}"#,
            "no probe can be checked: bound has no path over wan7", ["reachagent interfaces", "reachagent config show"]
        ),
        (
            #"{"probe":"bound","verdict":"unknown","detail":"no path over wan7"},"#
                + #"{"probe":"web","family":"ipv4","verdict":"unknown","streak":0}"#,
            "no probe has a verdict yet", ["reachagent check web"]
        ),
        (
            #"{"probe":"bound","interface":"wan7","family":"ipv4","verdict":"up","streak":3}"#,
            "no probe checks the default path: each is bound to an interface",
            ["reachagent status uplinks", "reachagent config show"]
        ),
        (
            #"{"probe":"bound","interface":"wan7","family":"ipv4","verdict":"unknown","streak":0}"#,
            "no probe has a verdict yet", ["reachagent check bound"]
        ),
        (
            #"{"probe":"open","verdict":"up","streak":1},{"probe":"web","verdict":"unknown","streak":0}"#,
            "web has no verdict yet", ["reachagent check web"]
        ),
        (
            #"{"probe":"open","verdict":"up","streak":1},{"probe":"ping","verdict":"unknown","code":"icmp_not_permitted","#
                + #""streak":3},{"probe":"web","verdict":"unknown","streak":1}"#,
            "web has no verdict yet", ["reachagent check web"]
        ),
        // An agent that does not say what is missing.
        (#"{"probe":"web","verdict":"unknown"}"#, "no probe has a verdict yet", ["reachagent check web"]),
    ]

    @Test(arguments: rows.indices)
    func `a check is only suggested of a probe that can be checked`(row: Int) throws {
        let row = Self.rows[row]
        let state = StatusScenes.state(StatusScenes.wlan0, #""connectivity":"unknown""#)
        let line = #"{\#(state),"probes":[\#(row.probes)]}"#
        let status = try EventDecoder.decode(AgentStatus.self, from: Array(line.utf8))
        let advice = try #require(status.advice { _ in nil })
        #expect(advice.problem == row.problem)
        #expect(advice.action.commands == row.commands)
    }
}
