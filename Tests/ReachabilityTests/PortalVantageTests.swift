import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// Probes beside one that looks for captive portals, at the same vantage.
struct PortalVantageTests {
    static let portal = ProbeRule(
        name: "portal",
        isRequired: false,
        isPortalCheck: true,
        usesTLS: false,
        families: .ipv4
    )
    static let web = ProbeRule(name: "web", families: .ipv4)
    static let plain = ProbeRule(name: "plain", usesTLS: false, families: .ipv4)

    /// All orders in which the letters of two words can follow each other, each word in its own order.
    static func orders(_ first: Substring, _ second: Substring) -> [String] {
        guard let one = first.first else { return [String(second)] }
        guard let two = second.first else { return [String(first)] }
        return orders(first.dropFirst(), second).map { String(one) + $0 }
            + orders(first, second.dropFirst()).map { String(two) + $0 }
    }

    /// A machine whose checks have gone like this: capital letters and `c` of the portal check, others of the web's.
    static func run(_ checks: String, settle: SettlePolicy = .standard) -> MachineRun {
        var run = MachineRun(web, portal, settle: settle)
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.follow(checks, from: 1000)
        return run
    }

    static let failures = ["ttt", "gtf", "uuu"]
    static let meetings = ["PP", "cPP", "ccPP"]
    static let arrivals = failures.flatMap { failure in
        meetings.flatMap { meeting in
            ["", "sO"].flatMap { start in orders(failure[...], meeting[...]).map { start + $0 } }
        }
    }

    @Test("whether the portal or the failures come first, the probe is unknown and never down")
    func arrival() {
        for checks in Self.arrivals {
            var run = Self.run(checks)
            run.pass(to: 60_000)
            let words = run.takeWords()
            #expect(!words.contains { $0.contains("→down") }, "\(checks): \(words)")
            #expect(!words.contains { $0.contains("partial") || $0.contains("local") }, "\(checks): \(words)")
            #expect(run.web.verdict == .unknown, "\(checks)")
            #expect(run.web.code == .behindPortal, "\(checks)")
            #expect(run.machine.state.connectivity == .portal, "\(checks)")
        }
    }

    @Test(
        "a failing probe is down once the portal check finds the open Internet or its retries end",
        arguments: [
            // The portal check, asked at the first failure, answers before the last one, or after it.
            ("sOtOtt", true), ("sOtttO", true), ("sOtttc", false), ("sOtttccc", true), ("sOtctctc", true),
            ("sOtctctcct", true), ("sOcctttc", true), ("sOcccttt", false), ("sOccctttc", true), ("sOtttP", false),
            ("sOtttPO", true), ("ttt", false), ("tttO", true), ("tttccc", true), ("sOtttuuu", false), ("sOtttuO", true),
        ]
    )
    func release(_ checks: String, _ isDown: Bool) {
        var run = Self.run(checks)
        run.pass(to: 60_000)
        #expect(run.takeWords().contains { $0.hasPrefix("web") && $0.hasSuffix("→down") } == isDown)
        #expect((run.web.verdict == .down) == isDown)
        if isDown {
            #expect(run.web.code == .tlsUntrustedRoot)
            #expect(run.machine.state.connectivity != .full)
        }
    }

    @Test("the check that found no portal is not the cause of the changes that it releases")
    func releaseCause() throws {
        let run = Self.run("sOtttO", settle: .none)
        let causes = run.transitions.compactMap { transition -> String? in
            switch transition {
            case .probe(_, let change) where change.to.verdict == .down: change.cause.detail
            case .reachability(let change) where change.to.connectivity == .partial: change.cause.detail
            default: nil
            }
        }
        let cause = "probe 'web@default/ipv4': tls_untrusted_root, as scripted"
        #expect(causes == [cause, cause])
    }

    @Test("a probe that starts to fail triggers the portal check at once, but at most once a second")
    func asks() {
        var run = Self.run("sO")
        _ = run.machine.takeRechecks()
        run.check("f", "web@default/ipv4", at: 5000)
        #expect(run.machine.takeRechecks().map(\.description) == ["portal@default/ipv4"])
        run.check("f", "web@default/ipv4", at: 5100)
        #expect(run.machine.takeRechecks().isEmpty)
        run.check("O", "portal@default/ipv4", at: 5200)
        run.check("s", "web@default/ipv4", at: 5300)
        run.check("f", "web@default/ipv4", at: 5400)
        #expect(run.machine.takeRechecks().isEmpty)
        run.check("f", "web@default/ipv4", at: 6200)
        #expect(run.machine.takeRechecks().map(\.description) == ["portal@default/ipv4"])
    }

    @Test("results from behind the portal do not count after the login, and are rechecked at once")
    func login() {
        // As it was: three seconds after the login the portal's certificate was published as an interception.
        var run = Self.run("sOtttPPtt", settle: SettlePolicy(up: .milliseconds(250), down: .seconds(3)))
        run.pass(to: 20_000)
        _ = run.takeWords()
        _ = run.machine.takeRechecks()
        run.check("O", "portal@default/ipv4", at: 20_000)
        #expect(run.web == .unknown)
        #expect(run.machine.takeRechecks().map(\.description) == ["web@default/ipv4"])
        run.check("s", "web@default/ipv4", at: 22_900)
        run.pass(to: 60_000)
        #expect(
            run.takeWords() == [
                "portal@default/ipv4 portal→up", "web@default/ipv4 unknown→up", "wifi/portal→wifi/full probe probe_up",
            ]
        )
    }

    @Test(
        "after the portal is gone, a target that is really down is reported as down in due time",
        arguments: [
            ("PPO", "ttt", Connectivity.partial), ("PPttO", "fff", .partial), ("PPccc", "fff", .local),
            ("PPtccc", "fffc", .local), ("PPOPP", "ttt", .portal), ("PPO", "sfff", .partial),
            ("PPO", "sfffO", .partial),
            ("PPO", "ss", .full), ("PPOPPO", "s", .full),
        ]
    )
    func afterwards(_ portal: String, _ checks: String, _ connectivity: Connectivity) {
        var run = Self.run("sO" + portal)
        run.pass(to: 20_000)
        // Asked by the first failure, the portal check has its retries.
        let ending: Character = portal.hasSuffix("ccc") ? "c" : portal.hasSuffix("PP") ? "P" : "O"
        run.follow(checks + String(ending), from: 20_000)
        run.pass(to: 60_000)
        #expect(run.machine.state.connectivity == connectivity)
    }

    @Test("behind a portal, only a success over TLS counts")
    func successes() {
        var run = MachineRun(Self.web, Self.plain, Self.portal)
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        for (index, letter) in "PP".enumerated() { run.check(letter, "portal@default/ipv4", at: 100 + index * 10) }
        #expect(run.check("s", "plain@default/ipv4", at: 200) == .steady)
        #expect(run.check("s", "web@default/ipv4", at: 300) == .steady)
        #expect(run.verdicts == ["plain unknown behind_portal", "portal portal portal_redirect", "web up"])
        #expect(run.check("t", "web@default/ipv4", at: 400) == .steady)
        #expect(run.verdicts.last == "web unknown behind_portal")
        #expect(run.machine.state.connectivity == .portal)
    }

    @Test("a portal in one family, or behind one uplink, says nothing about the others")
    func otherVantages() {
        var run = MachineRun(
            ProbeRule(name: "web", interfaces: .each),
            ProbeRule(name: "portal", isRequired: false, isPortalCheck: true, usesTLS: false, interfaces: .each)
        )
        let port = ScriptedNetwork.Port(hasIPv6: true)
        run.see(ScriptedNetwork(wlan0: port, wwan0: port), at: 0, isFirst: true)
        var now = 0
        for vantage in ["default/ipv4", "default/ipv6", "wlan0/ipv4", "wlan0/ipv6", "wwan0/ipv4", "wwan0/ipv6"] {
            for letter in vantage == "wlan0/ipv4" ? "PP" : "OO" {
                now += 100
                run.check(letter, "portal@\(vantage)", at: now)
            }
            for letter in "fff" {
                now += 100
                run.check(letter, "web@\(vantage)", at: now)
            }
            run.check(vantage == "wlan0/ipv4" ? "P" : "O", "portal@\(vantage)", at: now + 50)
        }
        let web = run.machine.probes.filter { $0.point.probe == "web" }
        #expect(web.map(\.state.verdict) == [.down, .down, .unknown, .down, .down, .down])
    }

    @Test func `an uplink has the page of the portal that a check of the default path finds, until that is gone`() {
        var bound = Self.portal
        bound.interfaces = .matching(["wlan0"])
        var other = Self.portal
        other.name = "api"
        var run = MachineRun(other, bound, settle: .none)
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        func check(_ point: Int, _ evidence: PortalEvidence, at milliseconds: Int) -> [Transition] {
            var sample = ScriptedCheck.sample("P", at: milliseconds, point: run.machine.points[point])
            if evidence.verdict == .open { (sample.outcome, sample.code) = (.ok, nil) }
            sample.portal = evidence
            return run.machine.handle(sample).transitions
        }
        #expect(run.machine.points.map(\.description) == ["api@default/ipv4", "portal@wlan0/ipv4"])
        _ = check(1, PortalEvidence(.portal, code: .portalLoginPage), at: 1000)
        #expect(run.machine.uplinks.map(\.connectivity) == [.portal])
        #expect(run.machine.uplinks.map(\.reason?.portalURL) == [nil])
        let found = check(0, PortalEvidence(.portal, code: .portalAPI, url: "http://portal.test/"), at: 2000)
        #expect(run.machine.uplinks.map(\.reason?.portalURL) == ["http://portal.test/"])
        #expect(found.filter(\.isOfUplink).count == 1)
        let gone = check(0, PortalEvidence(.open), at: 3000)
        #expect(run.machine.uplinks.map(\.reason?.portalURL) == [nil])
        #expect(gone.filter(\.isOfUplink).count == 1)
    }

    @Test("two portal checks that only fail do not wait for each other")
    func twoPortalChecks() {
        var other = Self.portal
        other.name = "other"
        var run = MachineRun(Self.web, Self.portal, other)
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        for step in 1...6 {
            for name in ["web", "portal", "other"] {
                let letter: Character = step == 1 ? (name == "web" ? "t" : "P") : "c"
                run.check(letter, "\(name)@default/ipv4", at: step * 1000)
            }
        }
        for step in 7...12 {
            for name in ["web", "portal", "other"] {
                run.check(name == "web" ? "f" : "c", "\(name)@default/ipv4", at: step * 1000)
            }
        }
        #expect(run.machine.probes.map(\.state.verdict) == [.down, .down, .down])
    }

    @Test("a portal check removed from the configuration leaves no probe behind a portal")
    func reload() {
        var run = Self.run("sOPPt")
        run.pass(to: 20_000)
        #expect(run.web.code == .behindPortal)
        _ = run.machine.takeRechecks()
        run.note(run.machine.configure(MachineConfiguration(probes: [Self.web]), observed: ScriptedCheck.time(20_000)))
        #expect(run.web == .unknown)
        #expect(run.machine.takeRechecks().map(\.description) == ["web@default/ipv4"])
        run.follow("fff", from: 21_000)
        run.pass(to: 60_000)
        #expect(run.machine.state.connectivity == .local)
    }

    @Test(
        "the network's portal API takes precedence over a redirect, and a redirect over a login page",
        arguments: [
            ([FindingCode.portalLoginPage], nil),
            ([.portalLoginPage, .portalRedirect], "http://portal_redirect.test/"),
            ([.portalLoginPage, .portalAPI], "http://portal_api.test/"),
            ([.portalRedirect, .portalAPI], "http://portal_api.test/"),
            ([.portalAPI, .portalRedirect], "http://portal_api.test/"),
        ]
    )
    func urls(_ codes: [FindingCode], _ url: String?) {
        let rules = codes.indices.map {
            ProbeRule(name: "portal\($0)", isRequired: false, isPortalCheck: true, usesTLS: false, families: .ipv4)
        }
        var run = MachineRun(MachineConfiguration(settle: .none, probes: rules))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        for (index, code) in codes.enumerated() {
            let point = run.machine.points[index]
            var sample = ScriptedCheck.sample("P", at: 1000 + index, point: point)
            let own = code == .portalLoginPage ? nil : "http://\(code.rawValue).test/"
            sample.portal = PortalEvidence(.portal, code: code, url: own)
            run.note(run.machine.handle(sample).transitions)
        }
        #expect(run.machine.state.connectivityReason?.code == codes[0].rawValue)
        #expect(run.machine.state.connectivityReason?.portalURL == url)
    }
}

extension MachineRun {
    /// Checks of `portal` for capital letters and `c`, of `web` for others, 100 ms apart.
    fileprivate mutating func follow(_ checks: String, from start: Int) {
        for (index, letter) in checks.enumerated() {
            let probe = letter.isUppercase || letter == "c" ? "portal" : "web"
            check(letter, "\(probe)@default/ipv4", at: start + index * 100)
        }
    }

    fileprivate var web: ProbeState {
        machine.probes.first { $0.point.probe == "web" }?.state ?? ProbeState(.unknown, code: .cancelled)
    }

    fileprivate var verdicts: [String] {
        machine.probes.map { record in
            let code = record.state.code.map { " \($0.rawValue)" } ?? ""
            return "\(record.point.probe) \(record.state.verdict)\(code)"
        }
    }
}
