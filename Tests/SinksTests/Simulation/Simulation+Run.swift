import AgentEvents
import AgentTestKit
import Sinks

extension Simulation {
    /// The end of a run that is not as it should be.
    struct Verdict: Hashable {
        /// Events that the journal has and the broker never had.
        var missing: [Int] = []
        /// Events that the broker has twice.
        var doubled: [Int] = []
        var isOrdered = true
        /// Ids that stood for two events.
        var ambiguous: [String] = []
        /// Events that are neither in the journal nor at the broker, and nobody said so.
        var silent: [Int] = []
        var isFinished = true
    }

    mutating func run(steps: Int) throws -> Verdict {
        try feed(.machine(MachineState(connectivity: .full, via: .wired, interface: "eth0")))
        for _ in 0..<steps { try step() }
        return try finish()
    }

    private mutating func step() throws {
        let action = number(0...27)
        if isDelicate {
            let isInFlight = !(broker.inbox.isEmpty && broker.answers.isEmpty)
            if action == 21, !trouble.contains(.kill) { return }
            if isInFlight, (20...22).contains(action) || (26...27).contains(action) { return }
        }
        switch action {
        case 0...5: for _ in 0..<number(1...6) { publish() }
        case 6...9: try read(number(1...60))
        case 10...13: try process(number(1...30))
        case 14...17: try deliverAnswers(number(1...30))
        case 18...19: try answerConnect()
        case 20:
            if let deadline = engine.deadline { pass(max(.zero, deadline - now.instant)) }
            try feed(.tick)
        case 21: try chance(2) ? killSink() : dropConnection()
        case 22:
            if trouble.contains(.power), chance(3) { losePower() } else { broker.kill() }
            try feed(.transport(.disconnected(.init(code: "broker_unreachable", detail: "connection reset"))))
        case 23: broker.isUp = true
        case 24: try agentRestarted()
        case 25: try bringTrouble()
        case 26:
            let states: [Connectivity] = [.full, .local, .portal, .none]
            let via: [Via] = [.wired, .wifi, .none]
            let state = MachineState(
                connectivity: states[number(0...3)],
                via: via[number(0...2)],
                interface: "if\(number(0...1))"
            )
            try feed(.machine(state))
        default: pass(.milliseconds(number(1...20_000)))
        }
    }

    private mutating func bringTrouble() throws {
        guard trouble != [] else { return }
        switch Trouble(rawValue: 1 << number(0...9)).intersection(trouble) {
        case .purge: broker.stored = []
        case .wipe: try wipeJournal()
        case .restore: try restoreSnapshot()
        case .cursor:
            switch number(0...2) {
            case 0: savedCursor = nil
            case 1: if let foreign = StreamEpoch(stream: "foreign") { savedCursor?.position.epoch = foreign }
            default: savedCursor?.device = "other"
            }
            try killSink()
        case .clock: wall += Int64(number(-1_000...1_000)) * 3_600_000_000
        case .expiry: expireJournal(keeping: number(0...30))
        case .leader: changeLeader()
        default: break
        }
    }

    private mutating func expireJournal(keeping count: Int) {
        // No server takes so long with what a former connection has brought.
        while !broker.leftovers.isEmpty { broker.processLeftover(at: elapsed) }
        journal.expire(keeping: count)
    }

    /// All trouble ends; everything that is left must arrive.
    private mutating func finish() throws -> Verdict {
        broker.isUp = true
        while isDelicate, !(broker.inbox.isEmpty && broker.answers.isEmpty) {
            try process(500)
            try deliverAnswers(500)
        }
        repeat { publish(shipped: true) } while published % 17 == 0
        try feed(.machine(MachineState(connectivity: .full, via: .wired, interface: "eth9")))
        var verdict = Verdict()
        verdict.isFinished = false
        for _ in 0..<3000 {
            try answerConnect()
            try read(500)
            try process(500)
            try deliverAnswers(500)
            if engine.deadline.map({ $0 <= now.instant }) == true { try feed(.tick) }
            if engine.status.acknowledged == journal.newest, broker.inbox.isEmpty, broker.answers.isEmpty {
                verdict.isFinished = true
                break
            }
            if let deadline = engine.deadline, deadline > now.instant { pass(deadline - now.instant) }
        }
        judge(&verdict)
        return verdict
    }

    private func judge(_ verdict: inout Verdict) {
        let kept = Set(journal.events.map(\.identity)).filter { !isTooLarge($0) }
        // The sink never saw the events that were gone before the first one was stored: the agent says so.
        let first = broker.everStored.min() ?? published
        let wanted = Set(first...published).subtracting(gone).filter { !isTooLarge($0) }
        verdict.missing = kept.subtracting(broker.everStored).subtracting(lost).sorted()
        verdict.silent = wanted.subtracting(kept).subtracting(broker.everStored).subtracting(lost).sorted()
        var seen: Set<Int> = []
        verdict.doubled = broker.stored.map(\.identity).filter { !seen.insert($0).inserted }
        verdict.isOrdered = zip(broker.stored, broker.stored.dropFirst()).allSatisfy { $0.identity < $1.identity }
        verdict.ambiguous = broker.ambiguous
    }
}
