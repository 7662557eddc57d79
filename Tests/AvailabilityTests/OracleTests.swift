import AgentEvents
import AgentTestKit
import Availability
import Testing

@Suite
struct OracleTests {
    /// A random journal, and what each of its events does to the oracles.
    private struct Scenario {
        static let seconds = 1500
        static let interfaces = ["wlan0", "wwan0"]
        static let probes = ["dns", "web", "first-hop"]

        var journal = Journal()
        var path = Oracle(seconds: seconds)
        var uplinks = [Oracle](repeating: Oracle(seconds: seconds), count: 2)
        var seenUplinks: Set<Int> = []
        var probes = [Oracle](repeating: Oracle(seconds: seconds), count: 3)
        var seenProbes: Set<Int> = []
        var random: SplitMix
        private var now: Int64 = 0
        private var last: Int64?
        /// The beginning of the present run, and the times of earlier ones.
        private var beginning: Int64?
        private var runs: [(start: Int64, end: Int64)] = []
        private var hasStopped = false
        private var hasHole = false
        private var hasOtherStream = false
        /// The reachability of each probe since the last interruption, by which silence is judged.
        private var isProbeUp: [Int: Bool] = [:]
        /// The second of the gateway's verdict.
        private var gatewaySecond = Int64.min
        private var usefulUplinks: Set<Int> = []
        private var silentSince: Int64?

        init(seed: UInt64) {
            random = SplitMix(state: seed)
            now = Int64.random(in: 0..<200, using: &random)
            for _ in 0..<Int.random(in: 1..<60, using: &random) { step() }
            let end = last ?? 0
            let reason: Condition.UnknownReason = hasStopped ? .agentOff : .noData
            updateAll { $0.finish(at: end, reason) }
        }

        private mutating func updateAll(_ update: (inout Oracle) -> Void) {
            update(&path)
            for index in 0..<2 { update(&uplinks[index]) }
            for index in probes.indices { update(&probes[index]) }
        }

        private mutating func interrupt(from start: Int64, to end: Int64, _ reason: Condition.UnknownReason) {
            updateAll { $0.interrupt(from: start, to: end, reason) }
            (isProbeUp, usefulUplinks, silentSince) = ([:], [], nil)
        }

        /// The segment at fault for a silence: the gateway, or the path behind it where more than one target proves it.
        ///
        /// - Parameter since: Its beginning; an answer of the gateway from before it is not one.
        private func silence(since: Int64) -> Segment {
            guard let isGatewayUp = isProbeUp[2] else { return .undetermined }
            guard isGatewayUp else { return .firstHop }
            guard gatewaySecond >= since else { return .undetermined }
            let downTargets = isProbeUp.count { $0.key < 2 && !$0.value }
            return downTargets == 2 || !usefulUplinks.isEmpty ? .provider : .undetermined
        }

        private func cell(_ cell: Oracle.Cell, since: Int64) -> Oracle.Cell {
            cell.condition == .local ? .init(condition: .local, segment: silence(since: since)) : cell
        }

        /// Returns whether a silence is undetermined for lack of evidence, and not because the gateway answers again.
        private func isLoss(_ segment: Segment?, since: Int64) -> Bool {
            let answers = isProbeUp[2] == true && gatewaySecond >= since
            return segment == .undetermined && !(path.current.segment == .firstHop && answers)
        }

        /// Judges a present silence again: as a whole if it has just begun and nothing was known, else from now on.
        ///
        /// - Parameter observed: The moment of the evidence; `nil` for the present one.
        private mutating func judgeAgain(observed: Int64? = nil) {
            let observed = min(observed ?? now, now)
            guard path.current.condition == .local, let since = silentSince else { return }
            let segment = silence(since: since)
            guard segment != path.current.segment, !isLoss(segment, since: since) else { return }
            if path.current.segment == .undetermined, observed - since <= 60 {
                path.attribute(segment)
            } else {
                let next = cell(path.current, since: since)
                path.change(observed: observed, published: now, from: path.current, to: next)
            }
        }

        /// Applies the effects that every event has, whatever its subject.
        private mutating func arrive(isStart: Bool = false) {
            let now = now
            let isFirst = last == nil
            let reason: Condition.UnknownReason? =
                hasOtherStream || hasHole || isFirst ? .noData : hasStopped ? .agentOff : isStart ? .agentCrashed : nil
            let last = last ?? now
            // Two runs cannot have run at the same time: the clock of this one was wrong.
            let isLeap = reason == nil && now > last && runs.contains { $0.start < now && $0.end > last }
            if reason != nil || isLeap, let start = beginning {
                runs.append((start, last))
                updateAll { $0.endRun(at: last) }
                beginning = nil
            }
            if now < last {
                updateAll { $0.setBack(to: now) }
                (gatewaySecond, silentSince) = (.min, silentSince.map { min($0, now) })
            }
            if isLeap { updateAll { $0.leap(from: last, to: now) } }
            if let reason { interrupt(from: min(last, now), to: now, reason) }
            beginning = min(beginning ?? now, now)
            self.last = now
            (hasStopped, hasHole, hasOtherStream) = (false, false, false)
        }

        private mutating func step() {
            now += Int64.random(in: 0..<60, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: now = max(0, now - Int64.random(in: 1..<300, using: &random))
            case 1:
                journal.sequence += UInt64.random(in: 1..<5, using: &random)
                hasHole = last != nil
            case 2:
                // Two agents, whose numbers are unrelated.
                let name = "stream\(Int.random(in: 0..<3, using: &random))"
                guard !hasOtherStream, name != journal.stream, last != nil else { return }
                journal.stream = name
                journal.sequence = 0
                hasOtherStream = true
            case 3:
                journal.start(at: now)
                arrive(isStart: true)
            case 4:
                journal.stop(at: now)
                arrive()
                hasStopped = true
            case 5:
                let length = Int64.random(in: 0..<100, using: &random)
                journal.suspend(length, until: now)
                arrive()
                let now = now
                updateAll { $0.suspend(from: now - length, to: now) }
                if path.current.condition == .local, silentSince != nil {
                    silentSince = now
                    path.attribute(silence(since: now))
                }
            case 6:
                // An overlapping journal: events that are there twice.
                if let event = journal.events.last { journal.events.append(event) }
            case 7:
                journal.other(at: now)
                arrive()
            case 8..<14: changePath()
            case 14..<17: changeUplink()
            default: changeProbe()
            }
        }

        private static let states: [(state: ReachabilityState, cell: Oracle.Cell)] = [
            (Journal.path(.full), .init(condition: .full)),
            (Journal.path(.partial, reason: "http_status"), .init(condition: .partial)),
            (Journal.path(.unknown), .init(condition: .unknown(.noProbe))),
            (Journal.path(.portal, reason: "portal_redirect"), .init(condition: .portal, segment: .portal)),
            (Journal.path(.local, reason: "connect_timeout"), .init(condition: .local)),
            (Journal.path(.none, reason: "link_down"), .init(condition: Condition.none, segment: .wifi)),
            (Journal.path(.none, reason: "link_down", kind: "wwan"), .init(condition: Condition.none, segment: .modem)),
            (Journal.path(.none, reason: "route_blackhole"), .init(condition: Condition.none, segment: .machine)),
            (Journal.path(.none, reason: "underlay_down"), .init(condition: Condition.none, segment: .undetermined)),
        ]

        private mutating func changePath() {
            let from = Self.states[Int.random(in: 0..<Self.states.count, using: &random)]
            let to = Self.states[Int.random(in: 0..<Self.states.count, using: &random)]
            let observed = now - Int64.random(in: -2..<20, using: &random)
            journal.path(at: now, observed: observed, from: from.state, to: to.state)
            arrive()
            // A silence that goes on keeps its beginning, and what was decided.
            if silentSince != nil, to.cell.condition == .local { return judgeAgain(observed: observed) }
            silentSince = to.cell.condition == .local ? min(observed, now) : nil
            let next = cell(to.cell, since: silentSince ?? now)
            path.change(observed: observed, published: now, from: cell(from.cell, since: .min), to: next)
        }

        private static let uplinkStates: [(connectivity: Connectivity, condition: Condition)] = [
            (.full, .full), (.partial, .partial), (.unknown, .unknown(.noProbe)), (.portal, .portal), (.local, .local),
            (.none, Condition.none),
        ]

        private mutating func changeUplink() {
            let index = Int.random(in: 0..<2, using: &random)
            let from = Self.uplinkStates[Int.random(in: 0..<6, using: &random)]
            let to = Self.uplinkStates[Int.random(in: 0..<6, using: &random)]
            journal.uplink(Self.interfaces[index], at: now, from: from.connectivity, to: to.connectivity)
            arrive()
            seenUplinks.insert(index)
            if [.full, .partial].contains(to.condition) {
                usefulUplinks.insert(index)
            } else {
                usefulUplinks.remove(index)
            }
            judgeAgain()
            // A silence that goes on.
            if uplinks[index].current.condition == .local, to.condition == .local { return }
            uplinks[index].change(
                observed: now,
                published: now,
                from: .init(condition: from.condition),
                to: .init(condition: to.condition)
            )
        }

        private static let verdicts: [(word: String, condition: Condition)] = [
            ("up", .full), ("down", Condition.none), ("portal", .portal), ("unknown", .unknown(.notChecked)),
        ]

        private mutating func changeProbe() {
            let index = Int.random(in: 0..<3, using: &random)
            let from = Self.verdicts[Int.random(in: 0..<4, using: &random)]
            let to = Self.verdicts[Int.random(in: 0..<4, using: &random)]
            let interface = index == 2 ? "wifi0" : nil
            journal.probe(Self.probes[index], over: interface, at: now, from: from.word, to: to.word)
            arrive()
            seenProbes.insert(index)
            isProbeUp[index] = to.word == "up" ? true : to.word == "down" ? false : nil
            if index == 2 { gatewaySecond = now }
            judgeAgain()
            probes[index].change(
                observed: now,
                published: now,
                from: .init(condition: from.condition),
                to: .init(condition: to.condition)
            )
        }
    }

    private static func expect(
        _ account: SubjectAccount,
        _ oracle: Oracle,
        _ window: Range<Int>,
        withSegments: Bool,
        seed: UInt64
    ) -> Bool {
        var isSame = account.tally.total == Int64(window.count) * 1_000_000
        let tally = oracle.tally(window)
        for condition in Condition.allCases where account.tally[condition] != tally[condition] ?? 0 { isSame = false }
        var summed = Tally().byWord
        for day in account.days { for (index, time) in day.byWord.enumerated() { summed[index] += time } }
        isSame = isSame && summed == account.tally.byWord
        let outages = account.outages.map { outage in
            Oracle.FoundOutage(
                begin: Int(outage.begin.microsecondsSince1970 / 1_000_000 - Journal.epoch),
                end: Int(outage.end.microsecondsSince1970 / 1_000_000 - Journal.epoch),
                isContinued: outage.isContinued,
                ending: outage.ending.word,
                segment: withSegments ? outage.attribution.segment : nil
            )
        }
        isSame = isSame && outages == oracle.outages(window) && account.outageCount == outages.count
        #expect(
            isSame,
            "seed \(seed), \(account.subject.title): \(account.tally.byWord), \(outages), \(tally), \(oracle.outages(window))"
        )
        return isSame
    }

    /// In ten parts, for as many threads as there are.
    @Test(arguments: (0..<10).map { UInt64($0) * 1000 })
    func `random journals give the seconds and the outages of an oracle that walks the timeline`(
        first: UInt64
    ) throws {
        for seed in first..<first + 1000 {
            let scenario = Scenario(seed: seed)
            var random = SplitMix(state: seed ^ 0xFFFF)
            let start = Int.random(in: 0..<Scenario.seconds - 1, using: &random)
            let end = Int.random(in: start + 1...Scenario.seconds, using: &random)
            let account = scenario.journal.account(try Journal.window(Int64(start), Int64(end)))
            var isSame = true
            for subject in account.subjects {
                let name = subject.subject.name
                if subject.subject.kind == .path {
                    isSame = Self.expect(subject, scenario.path, start..<end, withSegments: true, seed: seed) && isSame
                } else if let index = Scenario.interfaces.firstIndex(of: name) {
                    let oracle = scenario.uplinks[index]
                    isSame = Self.expect(subject, oracle, start..<end, withSegments: false, seed: seed) && isSame
                } else if let index = Scenario.probes.firstIndex(of: name) {
                    let oracle = scenario.probes[index]
                    isSame = Self.expect(subject, oracle, start..<end, withSegments: false, seed: seed) && isSame
                }
            }
            #expect(account.subjects.count == 1 + scenario.seenUplinks.count + scenario.seenProbes.count)
            // One journal that differs says enough.
            guard isSame else { return }
        }
    }
}
