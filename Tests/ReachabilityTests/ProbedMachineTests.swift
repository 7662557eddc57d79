import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The machine with probes: what joins the paths and the checks.
struct ProbedMachineTests {
    static let web = ProbeRule(name: "web")
    static let cellular = ScriptedNetwork(wlan0: ScriptedNetwork.Port(isUp: false), wwan0: ScriptedNetwork.Port())

    @Test("the first verdict is published and makes the state full")
    func first() {
        var run = MachineRun(Self.web)
        #expect(run.machine.points.isEmpty)
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        #expect(run.takeWords() == ["path unknown→wifi", "unknown/unknown→wifi/unknown start initial"])
        #expect(run.machine.takeRechecks().map(\.description) == ["web@default/ipv4"])
        #expect(run.machine.takeRechecks().isEmpty)
        #expect(run.check("s", "web@default/ipv4", at: 100) == .steady)
        #expect(run.takeWords() == ["web@default/ipv4 unknown→up"])
        run.pass(to: 349)
        #expect(run.takeWords().isEmpty)
        run.pass(to: 350)
        #expect(run.takeWords() == ["wifi/unknown→wifi/full probe probe_up"])
        #expect(run.machine.probes.map(\.state.verdict) == [.up])
        #expect(run.machine.state.familyConnectivity == FamilyConnectivity(ipv4: .full, ipv6: .none))
    }

    @Test("a failing probe degrades the state after the settle time for losses, naming probe and reason")
    func falls() throws {
        var run = MachineRun.connected(Self.web)
        for step in 0..<3 { run.check("f", "web@default/ipv4", at: 1000 + step * 10) }
        #expect(run.takeWords() == ["web@default/ipv4 up→down"])
        run.pass(to: 2019)
        #expect(run.takeWords().isEmpty)
        run.pass(to: 2020)
        #expect(run.takeWords() == ["wifi/full→wifi/local probe connect_timeout"])
        guard case .reachability(let change) = try #require(run.transitions.last) else {
            Issue.record("the last transition is the state's")
            return
        }
        #expect(change.cause.detail == "probe 'web@default/ipv4': connect_timeout, as scripted")
        #expect(change.to.connectivityReason == ConnectivityReason(code: "connect_timeout", probe: "web"))
        #expect(change.settled == .seconds(1))
    }

    @Test("a failover with a quick verdict is one transition, with the cause of the path change")
    func failover() {
        var run = MachineRun.connected(Self.web)
        run.see(Self.cellular, at: 2000)
        #expect(run.takeWords() == ["path wifi→wwan"])
        #expect(run.machine.takeRechecks().map(\.description) == ["web@default/ipv4"])
        #expect(run.machine.probes.map(\.isStale) == [true])
        run.check("s", "web@default/ipv4", at: 2600)
        run.pass(to: 10_000)
        #expect(run.takeWords() == ["wifi/full→wwan/full link link_down"])
        #expect(run.machine.deadline == nil)
    }

    @Test("a failover without a verdict is published after the settle time for losses; the verdict follows later")
    func slowFailover() {
        var run = MachineRun.connected(Self.web)
        run.see(Self.cellular, at: 2000)
        run.check("f", "web@default/ipv4", at: 4000)
        #expect(run.takeWords() == ["path wifi→wwan", "wifi/full→wwan/unknown link link_down"])
        run.check("f", "web@default/ipv4", at: 4010)
        run.check("f", "web@default/ipv4", at: 4020)
        run.pass(to: 10_000)
        #expect(run.takeWords() == ["web@default/ipv4 up→down", "wwan/unknown→wwan/local probe connect_timeout"])
    }

    @Test("another router on the same link is a change of the path, not of the probe")
    func router() {
        var run = MachineRun.connected(Self.web)
        var network = ScriptedNetwork()
        network.wlan0?.router = 254
        run.see(network, at: 2000)
        #expect(run.machine.takeRechecks().count == 1)
        run.check("s", "web@default/ipv4", at: 2100)
        run.pass(to: 10_000)
        #expect(run.takeWords() == ["path wifi→wifi", "wifi/full→wifi/full route route_removed"])
    }

    @Test("a probe with another check is unknown until that is made, and a result of the former one is void")
    func otherCheck() throws {
        var former = Self.web, other = Self.web
        former.check = 1
        other.check = 2
        var run = MachineRun.connected(former)
        let observed = ScriptedCheck.time(2000)
        run.note(run.machine.configure(MachineConfiguration(probes: [former]), observed: observed))
        #expect(run.machine.probes.map(\.state.verdict) == [.up])
        #expect(run.machine.takeRechecks().isEmpty)
        #expect(run.takeWords().isEmpty)
        run.note(run.machine.configure(MachineConfiguration(probes: [other]), observed: observed))
        #expect(run.machine.probes.map(\.state.verdict) == [.unknown])
        #expect(run.machine.takeRechecks().count == 1)
        // Readers of the events know it too.
        #expect(run.takeWords() == ["web@default/ipv4 up→unknown"])
        let causes = run.transitions.compactMap {
            if case .probe(_, let change) = $0 { change.cause.code } else { nil }
        }
        #expect(causes.last == "config_reloaded")
        #expect(run.machine.publishedProbes.map(\.published) == [.unknown])
        run.check("s", "web@default/ipv4", at: 2100)
        #expect(run.takeWords() == ["web@default/ipv4 unknown→up"])
    }

    @Test func `a verdict that waits for its end ends with a reload that brings another check`() {
        var former = Self.web, other = Self.web
        former.check = 1
        other.check = 2
        var run = MachineRun.connected(former)
        var network = ScriptedNetwork()
        network.wlan0 = nil
        run.see(network, at: 2000)
        _ = run.takeWords()
        run.note(run.machine.configure(MachineConfiguration(probes: [other]), observed: ScriptedCheck.time(2100)))
        run.see(ScriptedNetwork(), at: 2200)
        #expect(run.words.contains("web@default/ipv4 up→unknown"))
        #expect(run.machine.publishedProbes.map(\.published) == [.unknown])
    }

    @Test(arguments: ["web@default/ipv4", "web@wlan0/ipv4"])
    func
        `a point that is unknown for a reason ends with an event when its interface goes, and its next one begins there`(
            _ point: String
        )
    {
        let bound = point.contains("wlan0" as String)
        var run = MachineRun(ProbeRule(name: "web", interfaces: bound ? .matching(["wlan0"]) : .default))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        var gone = ScriptedNetwork()
        gone.wlan0 = nil
        for start in [1000, 20_000] {
            for step in 0..<3 { run.check("r", point, at: start + step) }
            run.see(gone, at: start + 5000)
            run.pass(to: start + 9000)
            run.see(ScriptedNetwork(), at: start + 10_000)
        }
        let changes = run.transitions.compactMap { if case .probe(_, let change) = $0 { change } else { nil } }
        let reason = ProbeState(.unknown, code: .noRoute)
        #expect(changes.map(\.from) == [.unknown, reason, .unknown, reason])
        #expect(changes.map(\.to) == [reason, .unknown, reason, .unknown])
    }

    @Test("a change by several probes within one settle time is caused by the first of them")
    func firstCause() {
        var run = MachineRun.connected(Self.web, ProbeRule(name: "mail", fall: 1), ProbeRule(name: "news", fall: 1))
        run.check("s", "mail@default/ipv4", at: 1000)
        run.check("s", "news@default/ipv4", at: 1000)
        run.pass(to: 5000)
        _ = run.takeWords()
        run.check("g", "news@default/ipv4", at: 6000)
        run.check("f", "mail@default/ipv4", at: 6100)
        run.pass(to: 10_000)
        #expect(run.takeWords().last == "wifi/full→wifi/partial probe http_status")
        #expect(run.machine.state.connectivityReason == ConnectivityReason(code: "connect_timeout", probe: "mail"))
    }

    @Test("an expiring certificate is announced between the probe's change and the state's")
    func certificate() throws {
        var run = MachineRun(MachineConfiguration(settle: .none, probes: [Self.web]))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        _ = run.takeWords()
        let point = try #require(run.machine.points.first)
        var sample = ScriptedCheck.sample("s", at: 100, point: point)
        sample.certificates = [ExpiryWatchTests.certificate(lifetime: -900)]
        run.note(run.machine.handle(sample).transitions)
        #expect(
            run.takeWords() == [
                "web@default/ipv4 unknown→up", "certificate web expired", "wifi/unknown→wifi/full probe probe_up",
            ]
        )
    }

    @Test("with probes, too, a roam shorter than the settle time changes only the path")
    func roam() {
        var run = MachineRun.connected(Self.web)
        var down = ScriptedNetwork()
        down.wlan0?.isUp = false
        run.see(down, at: 2000)
        #expect(run.machine.points.isEmpty)
        run.see(ScriptedNetwork(), at: 2085)
        #expect(run.machine.takeRechecks().count == 1)
        run.check("s", "web@default/ipv4", at: 2900)
        run.pass(to: 10_000)
        #expect(run.takeWords() == ["path wifi→none", "path none→wifi"])
        #expect(run.machine.state.connectivity == .full)
    }

    @Test("a check of a removed point changes nothing")
    func late() {
        var run = MachineRun.connected(Self.web)
        let late = ScriptedCheck.sample("f", at: 2100, point: run.machine.points[0])
        run.see(ScriptedNetwork(wlan0: nil), at: 2000)
        _ = run.takeWords()
        let (transitions, cadence) = run.machine.handle(late)
        #expect(transitions.isEmpty)
        #expect(cadence == .steady)
    }

    @Test("a standby uplink has its own verdict, and the state does not depend on it")
    func standby() {
        var run = MachineRun(ProbeRule(name: "web", interfaces: .each))
        run.see(ScriptedNetwork(wwan0: ScriptedNetwork.Port()), at: 0, isFirst: true)
        run.check("s", "web@default/ipv4", at: 10)
        run.check("s", "web@wlan0/ipv4", at: 20)
        for step in 0..<3 { run.check("f", "web@wwan0/ipv4", at: 30 + step) }
        run.pass(to: 1000)
        #expect(run.machine.state.connectivity == .full)
        #expect(run.machine.uplinks.map(\.interface.name) == ["wlan0", "wwan0"])
        #expect(run.machine.uplinks.map(\.connectivity) == [.full, .local])
        #expect(run.machine.uplinks.map(\.isUsed) == [true, false])
        #expect(run.machine.uplinks.map { $0.reason?.code } == [nil, "connect_timeout"])
        #expect(run.takeWords().contains("web@wwan0/ipv4 unknown→down"))
    }

    @Test("a portal is published with its URL, and its end at once")
    func portal() {
        let portal = ProbeRule(name: "portal", isRequired: false, isPortalCheck: true, usesTLS: false)
        var run = MachineRun.connected(Self.web, portal)
        run.check("O", "portal@default/ipv4", at: 1000)
        run.check("P", "portal@default/ipv4", at: 2000)
        #expect(run.check("P", "portal@default/ipv4", at: 2010) == .portal)
        run.pass(to: 5000)
        #expect(run.machine.state.connectivityReason?.portalURL == "http://portal.test/")
        run.check("O", "portal@default/ipv4", at: 6000)
        run.pass(to: 9000)
        #expect(
            run.takeWords() == [
                "portal@default/ipv4 unknown→up", "portal@default/ipv4 up→portal",
                "wifi/full→wifi/portal probe portal_redirect", "portal@default/ipv4 portal→up",
                "wifi/portal→wifi/full probe probe_up",
            ]
        )
    }

    @Test("a portal certificate seen for a moment after the portal is gone is not published as an interception")
    func portalCertificate() {
        let portal = ProbeRule(name: "portal", isRequired: false, isPortalCheck: true, usesTLS: false)
        var run = MachineRun.connected(Self.web, portal)
        run.check("O", "portal@default/ipv4", at: 1000)
        for step in 0..<3 {
            run.check("P", "portal@default/ipv4", at: 2000 + step)
            run.check("t", "web@default/ipv4", at: 2000 + step)
        }
        run.pass(to: 5000)
        _ = run.takeWords()
        run.check("O", "portal@default/ipv4", at: 6000)
        run.pass(to: 6800)
        run.check("s", "web@default/ipv4", at: 6800)
        run.check("s", "web@default/ipv4", at: 6810)
        run.pass(to: 9000)
        #expect(run.takeWords().filter { $0.hasPrefix("wifi") } == ["wifi/portal→wifi/full probe probe_up"])
    }

    @Test("a check of one of ten thousand probes is evaluated without a scan of all of them")
    func many() {
        let rules = (0..<10_000).map { ProbeRule(name: "probe-\($0)") }
        var machine = ReachabilityMachine(MachineConfiguration(probes: rules))
        _ = machine.handle(ScriptedNetwork().update(at: 0))
        let points = machine.points
        #expect(points.count == 10_000)
        let clock = ContinuousClock()
        let taken = clock.measure {
            for (index, point) in points.enumerated() {
                _ = machine.handle(ScriptedCheck.sample("s", at: index, point: point))
            }
        }
        #expect(machine.probes.allSatisfy { $0.state.verdict == .up })
        // A machine that looked at every probe for each check would take minutes in a debug build.
        #expect(taken < .seconds(30))
        let worse = clock.measure {
            for point in points.suffix(3) {
                for index in 0..<3 { _ = machine.handle(ScriptedCheck.sample("f", at: 20_000 + index, point: point)) }
            }
            for letter in "fffss" {
                for point in points.prefix(2_000) {
                    _ = machine.handle(ScriptedCheck.sample(letter, at: 30_000, point: point))
                }
            }
        }
        #expect(machine.reachability.raw.connectivityReason?.probe == points[9_997].probe)
        #expect(worse < .seconds(30))
    }

    @Test("a target without an address of one family does not fail in that family", arguments: ["ns", "sn"])
    func singleFamilyTarget(_ order: String) {
        var run = MachineRun(MachineConfiguration(probes: [Self.web]))
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 0, isFirst: true)
        for round in 1..<6 {
            for letter in order {
                let point = letter == "n" ? "web@default/ipv6" : "web@default/ipv4"
                run.check(letter, point, at: round * 1000)
            }
        }
        run.pass(to: 20_000)
        #expect(run.machine.state.connectivity == .full)
        #expect(run.machine.state.familyConnectivity == FamilyConnectivity(ipv4: .full, ipv6: .unknown))
        #expect(run.machine.probes.map(\.state.verdict) == [.up, .unknown])
        #expect(run.machine.probes.last?.state.code == .dnsNoAddress)
    }

    @Test("a target without any address fails")
    func addresslessTarget() {
        var run = MachineRun(MachineConfiguration(probes: [Self.web]))
        run.see(ScriptedNetwork(wlan0: ScriptedNetwork.Port(hasIPv6: true)), at: 0, isFirst: true)
        for round in 1..<6 {
            run.check("n", "web@default/ipv4", at: round * 1000)
            run.check("n", "web@default/ipv6", at: round * 1000 + 10)
        }
        run.pass(to: 20_000)
        #expect(run.machine.state.connectivity == .partial)
        #expect(run.machine.state.connectivityReason?.code == "dns_no_address")
        #expect(run.machine.probes.map(\.state.verdict) == [.down, .down])
    }
}
