import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// A probe that is checked once in each family, of whose target one family may have no address.
struct ProbedFamiliesTests {
    /// The checks of each round in order: `4` and `6` for the family, each followed by the result.
    ///
    /// `s` succeeds, `f` fails without an answer, `g` by its answer; `x` no such name, `n` no address, `d` no name server
    /// answers usefully, `u` none at all, `p` a timeout in the lookup, `b` the budget is used up; a name server that is
    /// itself the target answers nothing (`q`), or that there is no such name (`z`).
    struct Case: Sendable, CustomTestStringConvertible {
        let rounds: String
        let connectivity: Connectivity
        let families: FamilyConnectivity
        let verdicts: [ProbeState.Verdict]
        var reason: String?
        var testDescription: String { rounds }

        init(
            _ rounds: String,
            _ connectivity: Connectivity,
            _ ipv4: Connectivity,
            _ ipv6: Connectivity,
            _ verdicts: [ProbeState.Verdict],
            _ reason: String? = nil
        ) {
            self.rounds = rounds
            self.connectivity = connectivity
            families = FamilyConnectivity(ipv4: ipv4, ipv6: ipv6)
            self.verdicts = verdicts
            self.reason = reason
        }
    }

    private static func rounds(_ round: String, _ count: Int = 6) -> String {
        Array(repeating: round, count: count).joined(separator: " ")
    }

    static let cases = [
        // A name with addresses of one family only, however the other one is denied.
        Case(rounds("6x4s"), .full, .full, .unknown, [.up, .unknown]),
        Case(rounds("4s6x"), .full, .full, .unknown, [.up, .unknown]),
        Case(rounds("4x6s"), .full, .unknown, .full, [.unknown, .up]),
        Case(rounds("6d4s"), .full, .full, .unknown, [.up, .unknown]),
        Case(rounds("4s6d"), .full, .full, .unknown, [.up, .unknown]),
        Case(rounds("6u4s"), .full, .full, .unknown, [.up, .unknown]),
        // The same, while the other family is not checked again: its last check was before the failure, and the next one, which
        // is under way, decides.
        Case("4s6d 6d 6d 6d 6d 6d 6d", .unknown, .full, .unknown, [.up, .unknown]),
        Case("4s6d 6d 6d 6d 6d 6d 4s6d", .full, .full, .unknown, [.up, .unknown]),
        Case("4s6s 6u 6u 6u 6u", .full, .full, .full, [.up, .up]),
        Case("4g6d 6d 6d 6d", .unknown, .unknown, .unknown, [.unknown, .unknown]),
        Case("4s6d 6d 6d 4s6d", .full, .full, .unknown, [.up, .unknown]),
        Case("4s6d 6d 6d 4d6d", .partial, .full, .local, [.up, .unknown], "dns_failure"),
        // The other family's first check is still under way.
        Case("6d 6d 6d 6d", .unknown, .unknown, .unknown, [.unknown, .unknown]),
        Case("6x 6x 6x 6x", .unknown, .unknown, .unknown, [.unknown, .unknown]),
        Case("6x 6x 6x 4x6x 4x 4x", .partial, .partial, .partial, [.down, .down], "dns_nxdomain"),
        // The target itself fails, with an address.
        Case(rounds("4f6x"), .local, .local, .unknown, [.down, .unknown], "connect_timeout"),
        Case(rounds("4g6x"), .partial, .partial, .unknown, [.down, .unknown], "http_status"),
        Case(rounds("4g6d"), .partial, .partial, .unknown, [.down, .unknown], "http_status"),
        // A name that is gone, or a resolver that is dead, is not excused.
        Case(rounds("4x6x"), .partial, .partial, .partial, [.down, .down], "dns_nxdomain"),
        Case("4s6s " + rounds("6x4x"), .partial, .partial, .partial, [.down, .down], "dns_nxdomain"),
        Case("4s6x 4s6x 4s6x " + rounds("6x4x"), .partial, .partial, .partial, [.down, .down], "dns_nxdomain"),
        Case(rounds("4d6d"), .local, .local, .local, [.unknown, .unknown], "dns_failure"),
        Case("4s6s " + rounds("6u4u"), .local, .local, .local, [.unknown, .unknown], "dns_timeout"),
        Case("4s6d 4s6d 4s6d 4s6d " + rounds("6d4d", 8), .local, .local, .local, [.unknown, .unknown], "dns_failure"),
        // The result of the other family is not known.
        Case(rounds("4n6x"), .partial, .partial, .partial, [.down, .down], "dns_no_address"),
        Case(rounds("4p6x"), .partial, .local, .partial, [.down, .down], "timeout"),
        Case(rounds("4b6x"), .partial, .unknown, .partial, [.unknown, .down], "dns_nxdomain"),
        // A name server that fails in one family, to which its own name has led.
        Case(rounds("4q6s"), .partial, .local, .full, [.down, .up], "dns_timeout"),
        Case(rounds("6q4s"), .partial, .full, .local, [.up, .down], "dns_timeout"),
        Case(rounds("4z6s"), .partial, .partial, .full, [.down, .up], "dns_nxdomain"),
        // The first check of the other family, which is under way, may still get an answer.
        Case("6q 6q 6q 6q", .unknown, .unknown, .local, [.unknown, .down]),
        Case(rounds("4q6n"), .local, .local, .unknown, [.down, .unknown], "dns_timeout"),
        Case(rounds("4z6n"), .partial, .partial, .unknown, [.down, .unknown], "dns_nxdomain"),
        Case(rounds("4z6x"), .partial, .partial, .unknown, [.down, .unknown], "dns_nxdomain"),
        // A failure of the resolver that is over.
        Case(rounds("4s6x") + " 4u6x 4u6x " + rounds("4s6x", 1), .full, .full, .unknown, [.up, .unknown]),
        // Nothing is known yet, and a family that the target lacks is no reason for that.
        Case(rounds("6n"), .unknown, .unknown, .unknown, [.unknown, .unknown]),
    ]

    @Test("a family that the target lacks has no vote, and a target without a name has one in each", arguments: cases)
    func votes(_ scripted: Case) throws {
        let web = ProbeRule(name: "web", usesTLS: true)
        var run = MachineRun(MachineConfiguration(settle: .none, probes: [web]))
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 0, isFirst: true)
        for (round, checks) in scripted.rounds.split(separator: " ").map(Array.init).enumerated() {
            for index in stride(from: 0, to: checks.count - 1, by: 2) {
                let point = try #require(run.machine.points.first { "\($0)" == "web@default/ipv\(checks[index])" })
                let sample = Self.sample(checks[index + 1], at: (round + 1) * 1000 + index, point)
                run.note(run.machine.handle(sample).transitions)
            }
        }
        let state = run.machine.state
        #expect(state.connectivity == scripted.connectivity)
        #expect(state.familyConnectivity == scripted.families)
        #expect(state.connectivityReason?.code == scripted.reason)
        #expect(run.machine.probes.map(\.state.verdict) == scripted.verdicts)
    }

    @Test(
        "where the other family has no path, the last check that looked for an address there counts",
        arguments: [
            // One that was never checked may have the address.
            ("6n 6n 6n 6n", .unknown, .unknown), ("6x 6x 6x 6x", .down, .partial),
            // A name that had an address in this family has lost it.
            ("6s 6n 6n 6n", .down, .partial), ("4s6s - 6n 6n 6n", .down, .partial),
            ("4s6s - 6x 6x 6x", .down, .partial),
            ("4s6n 4s6n - 6n 6n 6n 6n", .unknown, .unknown), ("4s6x 4s6x - 6x 6x 6x 6x", .unknown, .unknown),
            ("4n6n - 6n 6n 6n 6n", .down, .partial), ("4x6n - 6n 6n 6n 6n", .down, .partial),
            // A resolver that fails is a fault of its own.
            ("4s6d 4s6d - 6d 6d 6d 6d", .unknown, .local),
        ] as [(String, ProbeState.Verdict, Connectivity)]
    )
    func alone(_ rounds: String, _ verdict: ProbeState.Verdict, _ connectivity: Connectivity) throws {
        let onlyIPv6 = ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv4: false, hasIPv6: true))
        let both = ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true))
        var run = MachineRun(MachineConfiguration(settle: .none, probes: [ProbeRule(name: "web")]))
        run.see(rounds.contains("4") ? both : onlyIPv6, at: 0, isFirst: true)
        for (round, checks) in rounds.split(separator: " ").map(Array.init).enumerated() {
            let time = (round + 1) * 1000
            if checks == ["-"] { run.see(onlyIPv6, at: time) }
            for index in stride(from: 0, to: checks.count - 1, by: 2) {
                let point = try #require(run.machine.points.first { "\($0)" == "web@default/ipv\(checks[index])" })
                run.note(run.machine.handle(Self.sample(checks[index + 1], at: time + index, point)).transitions)
            }
        }
        #expect(run.machine.probes.map(\.state.verdict) == [verdict])
        #expect(run.machine.state.connectivity == connectivity)
    }

    @Test(
        "a check is excused only beside one that found an address",
        arguments: [("s", true), ("x", false), ("b", false)] as [(Character, Bool)]
    )
    func excuses(_ other: Character, _ isExcused: Bool) throws {
        var run = MachineRun(MachineConfiguration(probes: [ProbeRule(name: "web")]))
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 0, isFirst: true)
        let (ipv4, ipv6) = (run.machine.points[0], run.machine.points[1])
        let failed = Self.sample("x", at: 2000, ipv6)
        #expect(!run.machine.excuses(failed))
        _ = run.machine.handle(Self.sample(other, at: 1000, ipv4))
        #expect(run.machine.excuses(failed) == isExcused)
        #expect(!run.machine.excuses(Self.sample("s", at: 2000, ipv6)))
        #expect(!run.machine.excuses(Self.sample("f", at: 2000, ipv6)))
    }

    @Test("a family in which the resolver fails has the other one checked, once, and a second after its last check")
    func request() throws {
        var run = MachineRun(MachineConfiguration(probes: [ProbeRule(name: "web")]))
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 0, isFirst: true)
        let (ipv4, ipv6) = (run.machine.points[0], run.machine.points[1])
        _ = run.machine.takeRechecks()
        func requested(after letter: Character, _ point: ProbePoint, at milliseconds: Int) -> [ProbePoint] {
            _ = run.machine.handle(Self.sample(letter, at: milliseconds, point))
            return run.machine.takeRechecks()
        }
        // The first check of the other family is pending.
        #expect(requested(after: "d", ipv6, at: 100) == [])
        #expect(requested(after: "s", ipv4, at: 200) == [])
        #expect(requested(after: "s", ipv6, at: 1000) == [])
        #expect(requested(after: "d", ipv6, at: 1100) == [])
        #expect(requested(after: "d", ipv6, at: 3100) == [ipv4])
        #expect(requested(after: "d", ipv6, at: 5100) == [])
        #expect(requested(after: "s", ipv4, at: 5200) == [])
        #expect(requested(after: "d", ipv6, at: 7100) == [])
        // Answers and silence say themselves what they say.
        #expect(requested(after: "f", ipv6, at: 9100) == [])
    }

    @Test(
        "the check that shows that the name is found in neither family is the verdict in both",
        arguments: [("u", "unknown"), ("x", "down"), ("b", "unknown")] as [(Character, String)]
    )
    func release(_ other: Character, _ verdict: String) throws {
        var run = MachineRun(MachineConfiguration(settle: .none, probes: [ProbeRule(name: "web", fall: 1)]))
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 0, isFirst: true)
        let (ipv4, ipv6) = (run.machine.points[0], run.machine.points[1])
        for point in [ipv4, ipv6] { run.note(run.machine.handle(Self.sample("s", at: 1000, point)).transitions) }
        _ = run.takeWords()
        run.note(run.machine.handle(Self.sample("u", at: 3000, ipv6)).transitions)
        #expect(run.takeWords() == [])
        run.note(run.machine.handle(Self.sample(other, at: 3100, ipv4)).transitions)
        let changes = ["web@default/ipv4 up→\(verdict)", "web@default/ipv6 up→unknown"]
        #expect(run.takeWords().filter { $0.hasPrefix("web") } == changes)
        #expect(run.machine.handle(Self.sample("u", at: 5000, ipv6)).transitions.isEmpty)
    }

    /// A machine with a probe and a portal check, in both families, that has met a portal over IPv6.
    private static func captive() throws -> (run: MachineRun, point: (String) throws -> ProbePoint) {
        let portal = ProbeRule(name: "portal", isRequired: false, isPortalCheck: true, usesTLS: false)
        var run = MachineRun(MachineConfiguration(settle: .none, probes: [ProbeRule(name: "web"), portal]))
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 0, isFirst: true)
        let points = run.machine.points
        let point = { (name: String) in try #require(points.first { "\($0)" == name }) }
        let checks: [(Character, String)] = [
            ("s", "web@default/ipv4"), ("O", "portal@default/ipv4"), ("P", "portal@default/ipv6"),
            ("f", "web@default/ipv6"),
        ]
        for (letter, name) in checks {
            for time in [1000, 2000] {
                _ = run.machine.handle(ScriptedCheck.sample(letter, at: time, point: try point(name)))
            }
        }
        try #require(
            run.machine.probes.first { $0.point == (try? point("web@default/ipv6")) }?.state.code == .behindPortal
        )
        return (run, point)
    }

    @Test("behind a portal a failed lookup says nothing, so no check of the other family is requested")
    func behindPortal() throws {
        var (run, point) = try Self.captive()
        _ = run.machine.takeRechecks()
        for second in 5...9 {
            _ = run.machine.handle(Self.sample("d", at: second * 1000, try point("web@default/ipv6")))
        }
        #expect(run.machine.takeRechecks() == [])
    }

    @Test("a portal check that the other family's check ends frees the probes behind its portal")
    func portalEnds() throws {
        var (run, point) = try Self.captive()
        func look(_ name: String, at milliseconds: Int) throws {
            var sample = Self.sample("u", at: milliseconds, try point(name))
            sample.portal = PortalEvidence(.unclear, code: .dnsTimeout)
            _ = run.machine.handle(sample)
        }
        for second in 5...9 { try look("portal@default/ipv6", at: second * 1000) }
        let web = try point("web@default/ipv6")
        #expect(run.machine.probes.first { $0.point == web }?.state.code == .behindPortal)
        try look("portal@default/ipv4", at: 9500)
        #expect(run.machine.probes.first { $0.point == web }?.state.code == nil)
    }

    @Test("a family that the target lacks is not judged after a suspend either, before the other one is checked again")
    func suspend() throws {
        var run = MachineRun(MachineConfiguration(settle: .none, probes: [ProbeRule(name: "web")]))
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 0, isFirst: true)
        let (ipv4, ipv6) = (run.machine.points[0], run.machine.points[1])
        for second in 1...4 {
            _ = run.machine.handle(Self.sample("s", at: second * 1000, ipv4))
            _ = run.machine.handle(Self.sample("d", at: second * 1000 + 500, ipv6))
        }
        let excused = FamilyConnectivity(ipv4: .full, ipv6: .unknown)
        #expect(run.machine.state.familyConnectivity == excused)
        _ = run.machine.resume(after: .seconds(60), observed: ScriptedCheck.time(60_000))
        _ = run.machine.handle(Self.sample("s", at: 60_100, ipv4))
        for second in 61...65 { _ = run.machine.handle(Self.sample("d", at: second * 1000, ipv6)) }
        #expect(run.machine.state.familyConnectivity == excused)
        #expect(run.machine.state.connectivity == .full)
    }

    private static func sample(_ letter: Character, at milliseconds: Int, _ point: ProbePoint) -> ProbeSample {
        var sample = ScriptedCheck.sample(letter, at: milliseconds, point: point)
        switch letter {
        case "x": (sample.outcome, sample.code, sample.phase) = (.failed, .dnsNXDomain, .resolve)
        case "d": (sample.outcome, sample.code, sample.phase) = (.unknown, .dnsFailure, .resolve)
        case "p": (sample.outcome, sample.code, sample.phase) = (.failed, .timeout, .resolve)
        case "q": (sample.outcome, sample.code, sample.phase) = (.failed, .dnsTimeout, .query)
        case "z": (sample.outcome, sample.code, sample.phase) = (.failed, .dnsNXDomain, .query)
        default: break
        }
        return sample
    }
}
