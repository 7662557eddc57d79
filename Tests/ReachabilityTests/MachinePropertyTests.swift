import AgentTestKit
import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The invariants of the machine for any inputs in any order.
struct MachinePropertyTests {
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
        /// The time since which the raw and the published state have differed, in milliseconds.
        var restless: Int?
        /// The time at which a state was last published as settled, in milliseconds.
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

        mutating func take(_ timed: MachineStory.Timed) {
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

        /// Checks the invariants that hold after every input.
        mutating func note(_ new: [Transition]) {
            for transition in new {
                guard case .reachability(let change) = transition else { continue }
                #expect(change.from != change.to)
                check(change.to)
                // A settled state has held, or a restless one was published after the longest wait.
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
            let isDown = concerned.contains { $0.state.verdict == .down }
            if isDown { #expect(raw.connectivity != .full) }
            let isTold = concerned.contains { $0.state.verdict != .unknown || $0.state.code == nil }
            if raw.connectivity == .full, isTold { #expect(concerned.contains { $0.state.verdict == .up }) }
            #expect(machine.points == machine.points.sorted())
            #expect(machine.points == machine.probes.map(\.point))
            let table = machine.probeTracks.table
            var recounted = TrackTable()
            recounted.replace(with: table.tracks)
            #expect(Set(table.interfaces) == Set(recounted.interfaces))
            #expect(table.interfaces.allSatisfy { table.group(of: $0) == recounted.group(of: $0) })
        }
    }

    @Test("the states never contradict each other, and settle in time", arguments: 0..<60)
    func isConsistent(_ seed: Int) {
        var driver = Driver()
        for timed in MachineStory.make(UInt64(seed), Self.configuration) { driver.take(timed) }
        #expect(!driver.transitions.isEmpty)
    }

    @Test("each change starts where the last one of its subject ended", arguments: 100..<130)
    func isContiguous(_ seed: Int) {
        var driver = Driver()
        for timed in MachineStory.make(UInt64(seed), Self.configuration) { driver.take(timed) }
        var state = ReachabilityState.unknown
        var paths = [ReachabilityState.unknown.ipv4, ReachabilityState.unknown.ipv6]
        var states: [ProbePoint: ProbeState] = [:]
        for transition in driver.transitions {
            switch transition {
            case .reachability(let change):
                #expect(change.from == state)
                state = change.to
            case .path(let change):
                let before = paths
                #expect([change.from.ipv4, change.from.ipv6] == before)
                paths = [change.to.ipv4, change.to.ipv6]
                #expect(paths != before)
            case .probe(let point, let change):
                #expect(change.from == states[point] ?? .unknown)
                #expect(change.from != change.to)
                states[point] = change.to
            default: break
            }
        }
        #expect(state == driver.machine.state)
    }

    @Test(arguments: 400..<430)
    func `each verdict begins when its event says`(seed: Int) {
        var driver = Driver()
        var starts: [ProbePoint: Observed] = [:]
        for timed in MachineStory.make(UInt64(seed), Self.configuration) {
            driver.take(timed)
            for case .probe(let point, let change) in driver.transitions
            where change.from.verdict != change.to.verdict { starts[point] = change.observed }
            driver.transitions = []
            for record in driver.machine.publishedProbes
            where record.state == record.published && record.state.verdict != .unknown {
                #expect(record.since == starts[record.point])
            }
        }
        #expect(!starts.isEmpty)
    }

    @Test("after a long quiet period the last change is published, and no timer is pending", arguments: 200..<230)
    func missesNothing(_ seed: Int) {
        var driver = Driver()
        for timed in MachineStory.make(UInt64(seed), Self.configuration) { driver.take(timed) }
        driver.pass(to: driver.now + 3_600_000)
        #expect(driver.machine.state == driver.machine.reachability.raw)
        #expect(driver.machine.deadline == nil)
        #expect(!driver.machine.state.isFlapping)
    }

    @Test("the same inputs give the same transitions", arguments: 300..<310)
    func isRepeatable(_ seed: Int) {
        var drivers = [Driver(), Driver()]
        for index in drivers.indices {
            for timed in MachineStory.make(UInt64(seed), Self.configuration) { drivers[index].take(timed) }
        }
        #expect(drivers[0].transitions == drivers[1].transitions)
    }

    @Test("incremental counting gives the same result as counting everything", arguments: 0..<20)
    func countsRight(_ seed: Int) {
        var driver = Driver()
        for timed in MachineStory.make(UInt64(seed), Self.configuration) {
            driver.take(timed)
            let counted = driver.machine.probeTracks.connectivity
            var tally = ConnectivityTally()
            let records = driver.machine.probes.filter { $0.point.vantage.interface == nil }
            for track in driver.machine.probeTracks.table.tracks where track.point.vantage.interface == nil {
                guard let rule = Self.rules.first(where: { $0.name == track.point.probe }) else { continue }
                tally.add(track.state, rule, track.point.vantage.families, isExempt: track.isExempt)
            }
            let whole = ConnectivityVerdict(
                tally,
                egresses: driver.machine.probeTracks.vantages.defaults,
                quorum: .all,
                probes: records.map { record in
                    ProbeView(
                        name: record.point.probe,
                        isRequired: record.point.probe != "portal",
                        state: record.state
                    )
                }
            )
            #expect(counted == whole)
        }
    }

    @Test("the properties also hold when the configuration changes meanwhile", arguments: 0..<20)
    func survivesReloads(_ seed: Int) {
        var random = SplitMix(state: UInt64(seed) ^ 0xABCD)
        var driver = Driver()
        for timed in MachineStory.make(UInt64(seed), Self.configuration) {
            driver.take(timed)
            guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
            let kept = Self.rules.filter { _ in Bool.random(using: &random) }
            let configuration = MachineConfiguration(settle: Self.settle, probes: kept)
            driver.take(MachineStory.Timed(at: timed.at, input: .configure(configuration)))
            #expect(Set(driver.machine.points.map(\.probe)).isSubset(of: kept.map(\.name)))
        }
        driver.pass(to: driver.now + 3_600_000)
        #expect(driver.machine.state == driver.machine.reachability.raw)
    }
}
