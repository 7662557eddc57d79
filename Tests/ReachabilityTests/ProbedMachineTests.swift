import NetlinkMonitor
import Probes
import Testing

@testable import Reachability

/// The machine with probes: what joins the paths and the checks.
struct ProbedMachineTests {
    /// A machine on its way through time.
    struct Run {
        var machine: ReachabilityMachine
        var network = ScriptedNetwork()
        var words: [String] = []
        var transitions: [Transition] = []

        init(_ configuration: MachineConfiguration) { machine = ReachabilityMachine(configuration) }

        init(_ rules: ProbeRule..., settle: SettlePolicy = .standard) {
            self.init(MachineConfiguration(settle: settle, probes: rules))
        }

        mutating func see(_ next: ScriptedNetwork, at milliseconds: Int, isFirst: Bool = false) {
            pass(to: milliseconds)
            note(machine.handle(next.update(at: milliseconds, since: isFirst ? nil : network)))
            network = next
        }

        @discardableResult
        mutating func check(_ letter: Character, _ point: String, at milliseconds: Int) -> Cadence? {
            pass(to: milliseconds)
            guard let point = machine.points.first(where: { "\($0)" == point }) else { return nil }
            let (transitions, cadence) = machine.handle(ScriptedCheck.sample(letter, at: milliseconds, point: point))
            note(transitions)
            return cadence
        }

        mutating func note(_ transitions: [Transition]) {
            self.transitions += transitions
            words += transitions.map(Self.words)
        }

        /// Ticks at each deadline up to a moment.
        mutating func pass(to milliseconds: Int) {
            let end = ScriptedCheck.time(milliseconds).instant
            while let deadline = machine.deadline, deadline <= end { note(machine.tick(at: deadline)) }
        }

        mutating func takeWords() -> [String] {
            defer { words = [] }
            return words
        }

        static func words(_ transition: Transition) -> String {
            switch transition {
            case .path(let change): "path \(change.from.via)→\(change.to.via)"
            case .reachability(let change):
                "\(brief(change.from))→\(brief(change.to)) \(change.cause.kind) \(change.cause.code)"
            case .targetPath(let target, let change): "path \(target.name) \(change.from.via)→\(change.to.via)"
            case .target(let target, let change): "target \(target.name) \(change.from.via)→\(change.to.via)"
            case .probe(let point, let change): "\(point) \(change.from.verdict)→\(change.to.verdict)"
            case .certificate(let expiry): "certificate \(expiry.probe) \(expiry.threshold)"
            case .resumed(let suspended, _): "resumed after \(suspended)"
            }
        }

        private static func brief(_ state: ReachabilityState) -> String {
            "\(state.via)/\(state.connectivity)" + (state.isFlapping ? "!" : "")
        }
    }

    static let web = ProbeRule(name: "web")
    static let cellular = ScriptedNetwork(wlan0: ScriptedNetwork.Port(isUp: false), wwan0: ScriptedNetwork.Port())

    /// A machine whose Wi-Fi is fully connected, one second after its start.
    static func connected(_ rules: ProbeRule..., point: String = "web@default/ipv4") -> Run {
        var run = Run(MachineConfiguration(probes: rules))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.check("s", point, at: 100)
        run.pass(to: 1000)
        _ = run.takeWords()
        _ = run.machine.takeFreshLooks()
        return run
    }

    @Test("the first verdict is published, and makes the state full")
    func first() {
        var run = Run(Self.web)
        #expect(run.machine.points.isEmpty)
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        #expect(run.takeWords() == ["path unknown→wifi", "unknown/unknown→wifi/unknown start initial"])
        #expect(run.machine.takeFreshLooks().map(\.description) == ["web@default/ipv4"])
        #expect(run.machine.takeFreshLooks().isEmpty)
        #expect(run.check("s", "web@default/ipv4", at: 100) == .steady)
        #expect(run.takeWords() == ["web@default/ipv4 unknown→up"])
        run.pass(to: 349)
        #expect(run.takeWords().isEmpty)
        run.pass(to: 350)
        #expect(run.takeWords() == ["wifi/unknown→wifi/full probe probe_up"])
        #expect(run.machine.probes.map(\.standing.verdict) == [.up])
        #expect(run.machine.state.familyConnectivity == FamilyConnectivity(ipv4: .full, ipv6: .none))
    }

    @Test("a probe that falls makes the state worse after the loss's time, and says which and why")
    func falls() throws {
        var run = Self.connected(Self.web)
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

    @Test("a failover with a quick verdict is one transition, and its cause is the path's")
    func failover() {
        var run = Self.connected(Self.web)
        run.see(Self.cellular, at: 2000)
        #expect(run.takeWords() == ["path wifi→wwan"])
        #expect(run.machine.takeFreshLooks().map(\.description) == ["web@default/ipv4"])
        #expect(run.machine.probes.map(\.isStale) == [true])
        run.check("s", "web@default/ipv4", at: 2600)
        run.pass(to: 10_000)
        #expect(run.takeWords() == ["wifi/full→wwan/full link link_down"])
        #expect(run.machine.deadline == nil)
    }

    @Test("a failover without a verdict is published after the loss's time, and the verdict when it comes")
    func slowFailover() {
        var run = Self.connected(Self.web)
        run.see(Self.cellular, at: 2000)
        run.check("f", "web@default/ipv4", at: 4000)
        #expect(run.takeWords() == ["path wifi→wwan", "wifi/full→wwan/unknown link link_down"])
        run.check("f", "web@default/ipv4", at: 4010)
        run.check("f", "web@default/ipv4", at: 4020)
        run.pass(to: 10_000)
        #expect(run.takeWords() == ["web@default/ipv4 up→down", "wwan/unknown→wwan/local probe connect_timeout"])
    }

    @Test("a roam that is shorter than the settle time changes nothing with probes either")
    func roam() {
        var run = Self.connected(Self.web)
        var down = ScriptedNetwork()
        down.wlan0?.isUp = false
        run.see(down, at: 2000)
        #expect(run.machine.points.isEmpty)
        run.see(ScriptedNetwork(), at: 2085)
        #expect(run.machine.takeFreshLooks().count == 1)
        run.check("s", "web@default/ipv4", at: 2900)
        run.pass(to: 10_000)
        #expect(run.takeWords() == ["path wifi→none", "path none→wifi"])
        #expect(run.machine.state.connectivity == .full)
    }

    @Test("a check of a point that is gone changes nothing")
    func late() {
        var run = Self.connected(Self.web)
        let late = ScriptedCheck.sample("f", at: 2100, point: run.machine.points[0])
        run.see(ScriptedNetwork(wlan0: nil), at: 2000)
        _ = run.takeWords()
        let (transitions, cadence) = run.machine.handle(late)
        #expect(transitions.isEmpty)
        #expect(cadence == .steady)
    }

    @Test("a standby uplink has a verdict of its own, and the state does not depend on it")
    func standby() {
        var run = Run(ProbeRule(name: "web", interfaces: .each))
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

    @Test("a portal is told with its address, and its end at once")
    func portal() {
        let portal = ProbeRule(name: "portal", isRequired: false, isPortalCheck: true, usesTLS: false)
        var run = Self.connected(Self.web, portal)
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

    @Test("a suspended machine keeps its verdicts, begins to settle anew and looks at everything")
    func suspend() {
        var run = Self.connected(Self.web)
        run.check("f", "web@default/ipv4", at: 2000)
        run.check("f", "web@default/ipv4", at: 2010)
        run.note(run.machine.resume(after: .seconds(3600), observed: ScriptedCheck.time(3_602_000)))
        #expect(run.takeWords() == ["resumed after 3600.0 seconds"])
        #expect(run.machine.takeFreshLooks().map(\.description) == ["web@default/ipv4"])
        #expect(run.machine.probes.map(\.isStale) == [true])
        run.check("f", "web@default/ipv4", at: 3_602_100)
        #expect(run.machine.state.connectivity == .full)
        #expect(run.takeWords().isEmpty)
    }

    @Test("a loss that began before the machine was suspended has to hold anew")
    func suspendedLoss() {
        var run = Self.connected(Self.web)
        run.see(ScriptedNetwork(wlan0: nil), at: 2000)
        run.note(run.machine.resume(after: .seconds(60), observed: ScriptedCheck.time(62_000)))
        #expect(run.takeWords() == ["path wifi→none", "resumed after 60.0 seconds"])
        run.pass(to: 62_999)
        #expect(run.takeWords().isEmpty)
        run.pass(to: 63_000)
        #expect(run.takeWords() == ["wifi/full→none/none link link_removed"])
    }

    @Test("a reload keeps the rules that stay, and asks the others anew")
    func reload() {
        let mail = ProbeRule(name: "mail", isRequired: false)
        var run = Self.connected(Self.web, mail)
        run.check("s", "mail@default/ipv4", at: 1000)
        _ = run.takeWords()
        let changed = ProbeRule(name: "mail", isRequired: false, fall: 9)
        run.note(
            run.machine.configure(
                MachineConfiguration(probes: [Self.web, changed, ProbeRule(name: "new")]),
                observed: ScriptedCheck.time(2000)
            )
        )
        #expect(run.takeWords().isEmpty)
        #expect(run.machine.probes.map(\.standing.verdict) == [.unknown, .unknown, .up])
        #expect(run.machine.takeFreshLooks().map(\.probe) == ["mail", "new"])
        run.note(run.machine.configure(MachineConfiguration(), observed: ScriptedCheck.time(3000)))
        run.pass(to: 9000)
        #expect(run.takeWords() == ["wifi/full→wifi/unknown configuration config_reloaded"])
        #expect(run.machine.points.isEmpty)
    }

    @Test("a reload keeps the targets that stay")
    func reloadTargets() {
        let office = Target(name: "office", address: ScriptedNetwork.internet[0])
        let home = Target(name: "home", address: ScriptedNetwork.internet[1])
        var run = Run(MachineConfiguration(targets: [office]))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        _ = run.takeWords()
        run.note(
            run.machine.configure(MachineConfiguration(targets: [home, office]), observed: ScriptedCheck.time(10))
        )
        #expect(run.machine.targetPaths.map(\.state.via) == [.unknown, .wifi])
        run.see(ScriptedNetwork(), at: 1000)
        #expect(run.takeWords() == ["path home unknown→none", "target home unknown→none"])
    }

    @Test("a reload with another settle policy counts at once")
    func reloadSettle() {
        var run = Self.connected(Self.web)
        run.see(ScriptedNetwork(wlan0: nil), at: 2000)
        _ = run.takeWords()
        let configuration = MachineConfiguration(settle: .none, probes: [Self.web])
        run.note(run.machine.configure(configuration, observed: ScriptedCheck.time(2010)))
        #expect(run.takeWords() == ["wifi/full→none/none link link_removed"])
    }

    @Test("a state that changes too often flaps, is published all the same, and calms down by a timer of its own")
    func flaps() throws {
        var run = Self.connected(Self.web)
        var down = ScriptedNetwork()
        down.wlan0?.isUp = false
        for step in 0..<4 {
            run.see(down, at: 2000 + step * 4000)
            run.see(ScriptedNetwork(), at: 4000 + step * 4000)
            run.check("s", "web@default/ipv4", at: 4010 + step * 4000)
        }
        let words = run.takeWords()
        #expect(words.filter { $0.hasPrefix("path") }.count == 8)
        #expect(words.filter { $0.hasSuffix("flapping flapping_started") }.count == 1)
        run.pass(to: 17_000)
        #expect(run.machine.state.isFlapping)
        let deadline = try #require(run.machine.deadline)
        #expect(deadline > ScriptedCheck.time(20_000).instant)
        run.pass(to: 400_000)
        #expect(run.takeWords().last == "wifi/full!→wifi/full flapping flapping_stopped")
        #expect(run.machine.deadline == nil)
    }

    @Test("a quick verdict after the first view is no edge, and roams that come seldom do not flap")
    func seldom() {
        var run = Self.connected(Self.web)
        var down = ScriptedNetwork()
        down.wlan0?.isUp = false
        for step in 1..<50 {
            run.see(down, at: step * 120_000)
            run.see(ScriptedNetwork(), at: step * 120_000 + 85)
            run.check("s", "web@default/ipv4", at: step * 120_000 + 300)
        }
        #expect(run.takeWords().allSatisfy { $0.hasPrefix("path") })
    }

    @Test("ten thousand probes are judged one by one without looking at all of them")
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
        #expect(machine.probes.allSatisfy { $0.standing.verdict == .up })
        // A machine that looked at every probe for each check would take minutes in a debug build.
        #expect(taken < .seconds(30))
    }
}
