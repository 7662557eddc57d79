import NetlinkMonitor
import Probes
import Testing

@testable import Reachability

/// What holds for the machine whatever it is told, in whatever order.
struct MachinePropertyTests {
    enum Input {
        case update(ScriptedNetwork, since: ScriptedNetwork?)
        case sample(ProbeSample)
        case tick
        case resume
        case configure(MachineConfiguration)
    }

    struct Timed {
        let at: Int
        let input: Input
    }

    static let settle = SettlePolicy(up: .milliseconds(250), down: .seconds(1))

    static let rules = [
        ProbeRule(name: "mail", families: .any),
        ProbeRule(name: "portal", isRequired: false, isPortalCheck: true, usesTLS: false, fall: 2, families: .ipv4),
        ProbeRule(name: "web", fall: 2, interfaces: .each),
    ]

    static let configuration = MachineConfiguration(settle: settle, probes: rules)

    /// A machine that is driven as the agent drives it: every deadline is kept.
    struct Driver {
        var machine = ReachabilityMachine(MachinePropertyTests.configuration)
        var transitions: [Transition] = []
        var now = 0
        /// Since when the raw and the published state have differed.
        var restless: Int?
        /// When a state was last published as settled.
        var published: Int?

        mutating func pass(to milliseconds: Int) {
            let end = ScriptedCheck.time(milliseconds).instant
            var ticks = 0
            while let deadline = machine.deadline, deadline <= end {
                now = max(now, Int(ScriptedCheck.start.duration(to: deadline) / .milliseconds(1)))
                note(machine.tick(at: deadline))
                ticks += 1
                guard ticks < 10_000 else {
                    Issue.record("the deadline does not move on")
                    return
                }
            }
            now = milliseconds
        }

        mutating func take(_ timed: Timed) {
            pass(to: timed.at)
            let observed = ScriptedCheck.time(timed.at)
            switch timed.input {
            case .update(let network, let old): note(machine.handle(network.update(at: timed.at, since: old)))
            case .sample(let sample): note(machine.handle(sample).transitions)
            case .tick: note(machine.tick(at: observed.instant))
            case .resume:
                restless = nil
                note(machine.resume(after: .seconds(60), observed: observed))
            case .configure(let configuration): note(machine.configure(configuration, observed: observed))
            }
        }

        /// What holds after every input.
        mutating func note(_ new: [Transition]) {
            for transition in new {
                guard case .reachability(let change) = transition else { continue }
                #expect(change.from != change.to)
                check(change.to)
                // What settled has held, or a restless state was told after the longest wait.
                if change.cause.kind != .flapping, change.cause.kind != .start {
                    let isOverdue = published.map { now - $0 >= 750 } ?? true
                    #expect(change.settled >= .milliseconds(250) || isOverdue)
                    published = now
                }
            }
            transitions += new
            check(machine.reachability.raw)
            if machine.reachability.raw.grade == machine.state.grade {
                restless = nil
            } else {
                restless = restless ?? now
            }
            // Three times the longer settle time, and the wait for the next edge.
            if let restless { #expect(now - restless <= 3000 + 3000) }
            checkProbes()
        }

        private func check(_ state: ReachabilityState) {
            guard state != .unknown else { return }
            let hasPath = state.ipv4.via.isReachable || state.ipv6.via.isReachable
            #expect((state.connectivity == .none) == !hasPath)
            if state.connectivity == .portal || state.connectivity == .partial || state.connectivity == .local {
                #expect(state.connectivityReason != nil)
            }
            if state.connectivity == .full {
                #expect(state.connectivityReason == nil)
                #expect(state.familyConnectivity.ipv4 != .local && state.familyConnectivity.ipv6 != .local)
            }
        }

        private func checkProbes() {
            let raw = machine.reachability.raw
            let concerned = machine.probes.filter { $0.point.vantage.interface == nil && $0.point.probe != "portal" }
            let isDown = concerned.contains { $0.standing.verdict == .down }
            if isDown { #expect(raw.connectivity != .full) }
            let isTold = concerned.contains { $0.standing.verdict != .unknown || $0.standing.code == nil }
            if raw.connectivity == .full, isTold { #expect(concerned.contains { $0.standing.verdict == .up }) }
            #expect(machine.points == machine.points.sorted())
            #expect(machine.points == machine.probes.map(\.point))
        }
    }

    /// A story of one machine, made from a number.
    static func story(_ seed: UInt64, length: Int = 300) -> [Timed] {
        var random = SplitMix(state: seed)
        var network = ScriptedNetwork()
        var story = [Timed(at: 0, input: .update(network, since: nil))]
        var shadow = ReachabilityMachine(configuration)
        _ = shadow.handle(network.update(at: 0))
        var now = 0
        // Some stories are restless, some are quiet.
        let pace = [40, 400, 4000].randomElement(using: &random) ?? 400
        let failing = Int.random(in: 0...9, using: &random)
        for _ in 0..<length {
            now += Int.random(in: 0...pace, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<12:
                let old = network
                change(&network, &random)
                _ = shadow.handle(network.update(at: now))
                story.append(Timed(at: now, input: .update(network, since: old)))
            case 12..<15: story.append(Timed(at: now, input: .resume))
            case 15..<25: story.append(Timed(at: now, input: .tick))
            default:
                // Now and then a check of a point that is gone.
                let gone = ProbePoint(probe: "web", vantage: Vantage(interface: "gone0"))
                let point = shadow.points.randomElement(using: &random) ?? gone
                let good: [Character] = point.probe == "portal" ? ["O"] : ["s"]
                let bad: [Character] = point.probe == "portal" ? ["P", "c", "Q"] : ["f", "g", "t", "u", "b"]
                let isBad = Int.random(in: 0..<10, using: &random) < failing
                guard let letter = (isBad ? bad : good).randomElement(using: &random) else { continue }
                story.append(Timed(at: now, input: .sample(ScriptedCheck.sample(letter, at: now, point: point))))
            }
        }
        return story
    }

    private static func change(_ network: inout ScriptedNetwork, _ random: inout SplitMix) {
        func port(_ port: inout ScriptedNetwork.Port?) {
            guard port != nil else {
                port = ScriptedNetwork.Port()
                return
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: port = nil
            case 1: port?.router = UInt8.random(in: 1...3, using: &random)
            case 2: port?.hasIPv6.toggle()
            case 3: port?.hasIPv4.toggle()
            default: port?.isUp.toggle()
            }
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: network.preferred = network.preferred == .wlan0 ? .wwan0 : .wlan0
        case 1, 2: port(&network.wwan0)
        default: port(&network.wlan0)
        }
    }

    @Test("the states are never contradictory, and settle in time", arguments: 0..<60)
    func isConsistent(_ seed: Int) {
        var driver = Driver()
        for timed in Self.story(UInt64(seed)) { driver.take(timed) }
        #expect(!driver.transitions.isEmpty)
    }

    @Test("each change starts where the last one of its subject ended", arguments: 0..<60)
    func isContiguous(_ seed: Int) {
        var driver = Driver()
        for timed in Self.story(UInt64(seed)) { driver.take(timed) }
        var state = ReachabilityState.unknown
        var paths = [ReachabilityState.unknown.ipv4, ReachabilityState.unknown.ipv6]
        var standings: [ProbePoint: ProbeStanding] = [:]
        var interfaces: Set<String> = []
        for transition in driver.transitions {
            switch transition {
            case .reachability(let change):
                #expect(change.from == state)
                state = change.to
            case .path(let change):
                #expect([change.from.ipv4, change.from.ipv6] == paths)
                paths = [change.to.ipv4, change.to.ipv6]
                #expect([change.from.ipv4, change.from.ipv6] != paths)
            case .probe(let point, let change):
                // An interface that is gone takes its history along.
                if point.vantage.interface == nil || change.from != .unknown {
                    #expect(change.from == standings[point] ?? .unknown)
                }
                #expect(change.from != change.to)
                standings[point] = change.to
                if let interface = point.vantage.interface { interfaces.insert(interface) }
            default: break
            }
        }
        #expect(state == driver.machine.state)
    }

    @Test("after a long quiet time the last change is published, and no timer is wanted", arguments: 0..<60)
    func missesNothing(_ seed: Int) {
        var driver = Driver()
        for timed in Self.story(UInt64(seed)) { driver.take(timed) }
        driver.pass(to: driver.now + 3_600_000)
        #expect(driver.machine.state == driver.machine.reachability.raw)
        #expect(driver.machine.deadline == nil)
        #expect(!driver.machine.state.isFlapping)
    }

    @Test("the same inputs give the same transitions", arguments: 0..<20)
    func isRepeatable(_ seed: Int) {
        var drivers = [Driver(), Driver()]
        for index in drivers.indices {
            for timed in Self.story(UInt64(seed)) { drivers[index].take(timed) }
        }
        #expect(drivers[0].transitions == drivers[1].transitions)
    }

    @Test("what is counted check by check is what counting everything gives", arguments: 0..<20)
    func countsRight(_ seed: Int) {
        var driver = Driver()
        for timed in Self.story(UInt64(seed)) {
            driver.take(timed)
            let counted = driver.machine.board.connectivity
            var tally = ConnectivityTally()
            let records = driver.machine.probes.filter { $0.point.vantage.interface == nil }
            for record in records {
                guard let rule = Self.rules.first(where: { $0.name == record.point.probe }) else { continue }
                tally.add(record.standing, rule, record.point.vantage.families)
            }
            let whole = ConnectivityVerdict(
                tally,
                ways: driver.machine.board.vantages.defaults,
                quorum: .all,
                probes: records.map { record in
                    ProbeView(
                        name: record.point.probe,
                        isRequired: record.point.probe != "portal",
                        standing: record.standing
                    )
                }
            )
            #expect(counted == whole)
        }
    }

    @Test("a configuration that changes on the way breaks none of it", arguments: 0..<20)
    func survivesReloads(_ seed: Int) {
        var random = SplitMix(state: UInt64(seed) ^ 0xABCD)
        var driver = Driver()
        for timed in Self.story(UInt64(seed)) {
            driver.take(timed)
            guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
            let kept = Self.rules.filter { _ in Bool.random(using: &random) }
            let configuration = MachineConfiguration(settle: Self.settle, probes: kept)
            driver.take(Timed(at: timed.at, input: .configure(configuration)))
            #expect(Set(driver.machine.points.map(\.probe)).isSubset(of: kept.map(\.name)))
        }
        driver.pass(to: driver.now + 3_600_000)
        #expect(driver.machine.state == driver.machine.reachability.raw)
    }
}
