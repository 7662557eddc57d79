import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// Required probes whose first verdict is still to come, or never comes.
struct PendingVerdictTests {
    private static let web = ProbeRule(name: "web")
    private static let mail = ProbeRule(name: "mail")
    private static let latency = ProbeRule(name: "mail", latency: DeadBand(good: 100, bad: 400))
    private static let loss = ProbeRule(name: "mail", loss: DeadBand(good: 10, bad: 80), lossWindow: 2)
    private static let portal = ProbeRule(name: "mail", isPortalCheck: true, usesTLS: false)

    @Test func `after the start the state is not full before a probe that never answers has a verdict`() {
        var run = MachineRun(Self.web, Self.mail)
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.check("s", "web@default/ipv4", at: 100)
        for second in [10, 22, 34] { run.check("f", "mail@default/ipv4", at: second * 1000) }
        run.pass(to: 60_000)
        #expect(
            run.takeWords().filter { $0.hasPrefix("wifi") || $0.hasPrefix("unknown") } == [
                "unknown/unknown→wifi/unknown start initial", "wifi/unknown→wifi/partial probe connect_timeout",
            ]
        )
    }

    @Test func `a quorum that is met by the others does not wait`() {
        let probes = [Self.web, Self.mail]
        var run = MachineRun(MachineConfiguration(settle: .none, probes: probes, quorum: .atLeast(1)))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.check("s", "web@default/ipv4", at: 100)
        #expect(run.machine.state.connectivity == .full)
    }

    @Test(
        arguments: [(2500, []), (3200, ["wifi/full→wifi/unknown", "wifi/unknown→wifi/full"])] as [(Int, [String])]
    )
    func `a reload that adds a probe is no loss if its first check ends within the settle time`(
        end: Int,
        states: [String]
    ) {
        var run = MachineRun.connected(Self.web)
        let both = MachineConfiguration(probes: [Self.web, Self.mail])
        run.note(run.machine.configure(both, observed: ScriptedCheck.time(2000)))
        run.check("s", "mail@default/ipv4", at: end)
        run.pass(to: 60_000)
        let changes = run.takeWords().filter { $0.hasPrefix("wifi") }
        #expect(changes.map { String($0.prefix { $0 != " " }) } == states)
        #expect(run.machine.state.connectivity == .full)
    }

    /// A failover after which the first of two probes, both of which were up, is up.
    private static func failover() -> MachineRun {
        var run = MachineRun.connected(web, mail)
        run.check("s", "mail@default/ipv4", at: 1000)
        run.pass(to: 1900)
        _ = run.takeWords()
        run.see(ProbedMachineTests.cellular, at: 2000)
        run.check("s", "web@default/ipv4", at: 2200)
        return run
    }

    @Test func `after a failover the state is not full before every probe has a verdict over the new path`() {
        var run = Self.failover()
        for second in [3, 5, 7] { run.check("f", "mail@default/ipv4", at: second * 1000) }
        run.pass(to: 60_000)
        #expect(
            run.takeWords().filter { $0.contains("/") && $0.hasPrefix("w") && !$0.contains("@") } == [
                "wifi/full→wwan/unknown link link_down", "wwan/unknown→wwan/partial probe connect_timeout",
            ]
        )
    }

    @Test func `a failover is one transition if the checks of all probes end within the settle time`() {
        var run = Self.failover()
        run.check("s", "mail@default/ipv4", at: 2900)
        run.pass(to: 60_000)
        #expect(run.takeWords() == ["path wifi→wwan", "wifi/full→wwan/full link link_down"])
    }

    @Test func `a family with a new path is not full before its checks end`() {
        var run = MachineRun.connected(Self.web)
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 2000)
        #expect(run.machine.reachability.raw.connectivity == .unknown)
        run.check("s", "web@default/ipv6", at: 2500)
        run.pass(to: 60_000)
        #expect(run.takeWords().filter { $0.contains("unknown") } == ["web@default/ipv6 unknown→up"])
        #expect(run.machine.state.familyConnectivity == FamilyConnectivity(ipv4: .full, ipv6: .full))
    }

    /// The checks of a probe beside another one that is up, and the connectivity after each.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let checks: String
        let connectivity: [Connectivity]
        var rule = PendingVerdictTests.mail
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "an answer", checks: "s", connectivity: [.full]),
        Case(name: "no answer", checks: "fff", connectivity: [.unknown, .unknown, .partial]),
        Case(name: "a name that is not resolved", checks: "uuu", connectivity: [.unknown, .unknown, .partial]),
        Case(name: "a path that is missing at first", checks: "rs", connectivity: [.unknown, .full]),
        Case(name: "a path that is missing", checks: "rrr", connectivity: [.unknown, .unknown, .full]),
        Case(name: "a check that may not be made", checks: "bb", connectivity: [.full, .full]),
        Case(
            name: "one that may be made later, and fails",
            checks: "bfff",
            connectivity: [.full, .unknown, .unknown, .partial]
        ),
        Case(
            name: "one that fails, and then may not be made",
            checks: "fbfs",
            connectivity: [.unknown, .unknown, .unknown, .full]
        ),
        Case(name: "a latency between good and bad", checks: "mm", connectivity: [.full, .full], rule: latency),
        Case(
            name: "a latency that becomes bad",
            checks: "mlll",
            connectivity: [.full, .unknown, .unknown, .partial],
            rule: latency
        ),
        Case(
            name: "a loss that begins with failures",
            checks: "fff",
            connectivity: [.unknown, .unknown, .partial],
            rule: loss
        ),
        Case(
            name: "a loss between good and bad",
            checks: "fsfsfs",
            connectivity: [.unknown, .full, .full, .full, .full, .full],
            rule: loss
        ),
    ]

    @Test("the state waits for a verdict that comes, and for no other", arguments: cases)
    func waits(_ scripted: Case) {
        var run = MachineRun(MachineConfiguration(settle: .none, probes: [Self.web, scripted.rule]))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.check("s", "web@default/ipv4", at: 100)
        var found: [Connectivity] = []
        for (index, letter) in scripted.checks.enumerated() {
            run.check(letter, "mail@default/ipv4", at: 1000 * (index + 1))
            found.append(run.machine.state.connectivity)
        }
        #expect(found == scripted.connectivity)
    }

    @Test("no mixture of results leaves the state unknown for good", arguments: [mail, latency, loss, portal])
    func isBounded(_ rule: ProbeRule) {
        let letters = Array("smlfgntruvbPO")
        for first in letters {
            for second in letters {
                for third in "smf" {
                    var run = MachineRun(MachineConfiguration(settle: .none, probes: [Self.web, rule]))
                    run.see(ScriptedNetwork(), at: 0, isFirst: true)
                    for round in 0..<4 {
                        for (index, letter) in [first, second, third].enumerated() {
                            let time = 3000 * round + 1000 * (index + 1)
                            run.check("s", "web@default/ipv4", at: time)
                            run.check(letter, "mail@default/ipv4", at: time + 100)
                        }
                    }
                    #expect(run.machine.state.connectivity != .unknown, "\(first)\(second)\(third)")
                }
            }
        }
    }
}
