import AgentTestKit
import Testing

@testable import Probes

/// Transfers and other checks on metered links never use more than a day's budget, whatever happens on it.
@Suite struct TransferBudgetTests {
    @Test func `a reservation reduces the budget of others, and survives the process`() {
        var budget = ByteBudget()
        let cost = LinkCost(account: "wwan", bytesPerDay: 1000)
        budget.update(seconds: 0)
        #expect(budget.reserve(600, forTransfer: 7, cost) == 600)
        #expect(budget.remaining(cost) == 400)
        // A process that ends now has counted all of it.
        #expect(budget.takeChange() == DataUsage(day: 0, bytes: ["wwan": 600]))
        budget.use(400, of: "wwan")
        #expect(budget.refusal(cost)?.evidence.contains("600 are reserved") == true)
        #expect(budget.used == ["wwan": 400])
        budget.release(6)
        #expect(budget.remaining(cost) == 0)
        budget.use(100, of: "wwan")
        budget.release(7)
        #expect(budget.remaining(cost) == 500 && budget.refusal(cost) == nil)
        #expect(budget.takeChange() == DataUsage(day: 0, bytes: ["wwan": 500]))
    }

    @Test func `checks that run at the same time may not use more together than is left`() {
        var budget = ByteBudget()
        let cost = LinkCost(account: "wwan", bytesPerDay: 1_000_000)
        budget.update(seconds: 0)
        let limits = (0..<64).compactMap { budget.reserve(forCheck: $0, cost) }
        #expect(limits.count == 64 && limits[0] == 400_000 && limits[1] == 25_000)
        // With the headers of packets, which are a fifth of it at most.
        #expect(limits.reduce(0) { $0 + $1 * 5 / 4 } <= 1_000_000)
        #expect(budget.takeChange() == nil)
        #expect(budget.remaining(cost) == 0 && budget.isPromising(1_000_000, cost))
        budget.use(5000, of: "wwan")
        for job in 0..<64 as Range<UInt64> { budget.release(job) }
        #expect(budget.remaining(cost) == 995_000 && !budget.isPromising(1_000_000, cost))
    }

    @Test func `other accounts and links without a budget have no reservations`() {
        var budget = ByteBudget()
        #expect(budget.reserve(600, forTransfer: 1, LinkCost(account: "wifi")) == nil)
        #expect(budget.reserve(600, forTransfer: 1, .free) == nil)
        #expect(budget.reserve(600, forTransfer: 1, LinkCost(account: "wwan", bytesPerDay: 500)) == 500)
        #expect(budget.remaining(LinkCost(account: "ppp", bytesPerDay: 500)) == 500)
        #expect(budget.reserve(.max, forTransfer: 2, LinkCost(account: "ppp", bytesPerDay: .max)) == .max)
        #expect(budget.usage == nil)
    }

    /// 100 machines, each for 100 days.
    @Test(arguments: 1...100) func `in 10,000 random days no day's budget is exceeded on the wire`(seed: UInt64) {
        var days = RandomDays(seed: seed)
        days.run(days: 100)
        #expect(days.exceeded.isEmpty)
        // The days are worth the name: with transfers, and refusals for budgets that are nearly used.
        #expect(days.transfers > 0 && days.refusals > 0)
    }
}

/// A machine with metered and unmetered uplinks over random days: transfers and other checks, path changes, requests,
/// reloads and restarts, in simulated time.
///
/// Bytes are counted at the time at which they are on the wire, apart from the schedule's own accounts.
private struct RandomDays {
    private struct Running {
        let job: UInt64
        let account: String?
        let isTransfer: Bool
        let start: Int64
        let bytes: Int
        let limit: Int?
        /// The bytes that former links carried.
        var carried = 0
    }

    private static let day: Int64 = 86_400
    /// The bytes of the largest check that is no transfer.
    private static let largestCheck = 120_000
    /// The bytes by which the file of the data usage is ahead: more than a small check uses.
    private static let ahead = 150_000
    private var random: SplitMix
    private let origin = ContinuousClock.Instant.now
    private var schedule: ProbeSchedule
    private var saved: DataUsage?
    private var running: [(end: Int64, check: Running)] = []
    private var now: Int64 = 0
    /// The bytes on the wire, by account and day.
    private var wire: [String: [Int64: Int]] = [:]
    /// The budget of each account on each day: the highest of those that applied.
    private let budgets: [String: Int]
    /// The interval of the probes that are no transfers, so that some days have many small checks and others few large ones.
    private let checkInterval: Duration
    private var plans: [TransferPlan] = []
    private(set) var exceeded: [String] = []
    private(set) var transfers = 0
    private(set) var refusals = 0
    private(set) var moves = 0

    init(seed: UInt64) {
        random = SplitMix(state: seed)
        schedule = ProbeSchedule(epoch: origin - .seconds(1000), seed: seed)
        budgets = ["wwan": random.next(in: 3_000_000...60_000_000), "usb0": random.next(in: 200_000...20_000_000)]
        checkInterval = .seconds(random.next(in: 1800...14_400))
        plans = (0..<3).map { _ in
            TransferPlan(
                downloadBytes: random.next(in: 0...6_000_000),
                uploadBytes: random.next(in: 0...2_000_000),
                allowsMetered: random.next(in: 0...3) > 0
            )
        }
    }

    mutating func run(days: Int64) {
        arrange()
        schedule.allowTransfers(true)
        var surprise = Int64(random.next(in: 600...30_000))
        while now < days * Self.day {
            // Some million times: chains of closures would take longer than the schedule.
            var next = surprise
            if let deadline = schedule.deadline { next = min(next, max(now, seconds(deadline - origin))) }
            for index in 0..<running.count { next = min(next, running[index].end) }
            now = max(now, next)
            var index = 0
            while index < running.count {
                if running[index].end <= now { finish(running.remove(at: index).check) } else { index += 1 }
            }
            schedule.takeDue(now: instant)
            begin()
            if next == surprise {
                disturb()
                surprise = now + Int64(random.next(in: 600...30_000))
            }
        }
        for (account, days) in wire {
            let budget = budgets[account] ?? .max
            exceeded += days.filter { $0.value > budget }.map {
                "\(account) on day \($0.key): \($0.value) of \(budget)"
            }
        }
    }

    private var instant: ContinuousClock.Instant { origin + .seconds(now) }

    /// The end of a second, so that what is due within it is due.
    private func seconds(_ duration: Duration) -> Int64 {
        duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0)
    }

    /// Sets the probes; which uplink the default path uses, and whether that is metered, is random.
    private mutating func arrange() {
        let metered = LinkCost(
            account: "wwan",
            intervalFactor: 2,
            bytesPerDay: budgets["wwan"],
            isCellular: true,
            isMetered: true
        )
        let other = random.next(in: 0...1) == 0 ? LinkCost(account: "wifi") : metered
        let tight = LinkCost(account: "usb0", bytesPerDay: budgets["usb0"], isMetered: true)
        let pace = ProbePace(interval: .seconds(3600), fastInterval: .seconds(600))
        var probes: [ScheduledProbe] = [
            .transfer("a", plan: plans[0], pace: pace, cost: other),
            .transfer("b", plan: plans[1], vantage: Vantage(interface: "wwan0"), pace: pace, cost: metered),
            .transfer("c", plan: plans[2], vantage: Vantage(interface: "usb0"), pace: pace, cost: tight),
        ]
        for (name, cost) in [("web", other), ("bound", metered), ("tight", tight)] {
            probes.append(.sample(name, pace: ProbePace(interval: checkInterval), cost: cost))
        }
        for index in probes.indices.reversed() where random.next(in: 0...9) == 0 { probes.remove(at: index) }
        let names = ["a", "b", "c"].filter { _ in random.next(in: 0...3) > 0 }
        let kept = Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })
        _ = schedule.setProbes(probes, keeping: kept, now: instant)
    }

    private mutating func begin() {
        while let step = schedule.takeStep(now: instant, seconds: now) {
            note(schedule.budget.takeChange())
            switch step {
            case .check(let job, let probe, let account):
                let plan = probe.transfer
                if plan != nil { transfers += 1 }
                let wanted = random.next(in: plan.map { 0...$0.bytesOnWire } ?? 200...Self.largestCheck)
                let bytes = min(wanted, probe.limits.budgetBytes ?? .max)
                let check = Running(
                    job: job,
                    account: account,
                    isTransfer: plan != nil,
                    start: now,
                    bytes: bytes,
                    limit: probe.limits.budgetBytes
                )
                running.append((now + Int64(random.next(in: plan == nil ? 1...10 : 1...120)), check))
            case .refuse(let job, _, let finding):
                refusals += 1
                let report = SimulatedSchedule.report(.unknown(finding.code, .connect), findings: [finding])
                judge(job, schedule.finish(job, report: report, account: nil, seconds: now))
            }
        }
        note(schedule.budget.takeChange())
    }

    private mutating func finish(_ check: Running) {
        count(check)
        let report = SimulatedSchedule.report(bytes: check.carried + check.bytes)
        judge(check.job, schedule.finish(check.job, report: report, account: check.account, seconds: now))
        note(schedule.budget.takeChange())
    }

    private mutating func judge(_ job: UInt64, _ checks: [CompletedCheck]) {
        for check in checks {
            let cadence: Cadence = random.next(in: 0...3) == 0 ? .doubtful : .steady
            schedule.settle(check.point, job: job, cadence: cadence, now: instant)
        }
    }

    /// Counts a check's bytes on the wire, spread evenly over its time, on the days that it touches.
    private mutating func count(_ check: Running) {
        guard let account = check.account, check.bytes > 0 else { return }
        let midnight = (check.start / Self.day + 1) * Self.day
        var before = check.bytes
        if now > midnight { before = Int(Int64(check.bytes) * (midnight - check.start) / (now - check.start)) }
        wire[account, default: [:]][check.start / Self.day, default: 0] += before
        wire[account, default: [:]][midnight / Self.day, default: 0] += check.bytes - before
    }

    /// The file of the data usage: ahead of what was used, so that an abnormal end grants nothing twice.
    private mutating func note(_ usage: DataUsage?) {
        guard let usage else { return }
        guard saved?.day == usage.day, let written = saved else {
            saved = DataUsage(day: usage.day, bytes: usage.bytes.mapValues { $0 + Self.ahead })
            return
        }
        let isBehind = usage.bytes.contains { $0.value > written.bytes[$0.key] ?? -1 }
        if isBehind { saved = DataUsage(day: usage.day, bytes: usage.bytes.mapValues { $0 + Self.ahead }) }
    }

    private mutating func disturb() {
        let points = Array(schedule.entries.keys).sorted()
        switch random.next(in: 0...11) {
        case 0...2: _ = schedule.recheck(points.filter { _ in random.next(in: 0...1) == 0 }, now: instant)
        case 3...4: _ = schedule.request(points.filter { _ in random.next(in: 0...2) == 0 }, now: instant, seconds: now)
        case 5...6: arrange()
        case 7: schedule.allowTransfers(false)
        case 8: restart()
        case 9...10: move()
        default: schedule.allowTransfers(true)
        }
        if random.next(in: 0...1) == 0 { schedule.allowTransfers(true) }
    }

    /// The transfer under way loses its path, and continues over another link if that admits it.
    private mutating func move() {
        guard let index = running.firstIndex(where: { $0.check.isTransfer && $0.check.start < now && now < $0.end })
        else {
            return
        }
        let (end, check) = running.remove(at: index)
        let bytes = Int(Int64(check.bytes) * (now - check.start) / (end - check.start))
        let before = Running(
            job: check.job,
            account: check.account,
            isTransfer: true,
            start: check.start,
            bytes: bytes,
            limit: check.limit,
            carried: check.carried
        )
        let account = ["wwan", "usb0", "wifi"][random.next(in: 0...2)]
        let cost = LinkCost(account: account, bytesPerDay: budgets[account], isMetered: budgets[account] != nil)
        let needed = random.next(in: 0...6_000_000)
        let continuation = TransferContinuation(bytesOnWire: check.carried + bytes, neededBytes: needed)
        let admission = schedule.admit(check.job, over: cost, continuation, seconds: now)
        note(schedule.budget.takeChange())
        switch admission {
        case .unchanged: running.append((end, check))
        case .refused:
            refusals += 1
            finish(before)
        case .moved(let limit):
            moves += 1
            count(before)
            let rest = Running(
                job: check.job,
                account: account,
                isTransfer: true,
                start: now,
                bytes: min(random.next(in: 0...needed), limit ?? .max),
                limit: limit,
                carried: check.carried + bytes
            )
            running.append((now + Int64(random.next(in: 1...120)), rest))
        }
    }

    /// The process ends, in order or not, and another one continues.
    private mutating func restart() {
        // The file is ahead of small checks only, and knows of a new day when something happens on it.
        let isCounted = running.allSatisfy { $0.check.isTransfer && $0.check.start / Self.day == now / Self.day }
        let isOrderly = !isCounted || random.next(in: 0...1) == 0
        for (_, check) in running {
            count(check)
            if isOrderly {
                _ = schedule.finish(
                    check.job,
                    report: SimulatedSchedule.report(bytes: check.carried + check.bytes),
                    account: check.account,
                    seconds: now
                )
            }
        }
        running = []
        let usage = isOrderly ? schedule.budget.usage : saved
        schedule = ProbeSchedule(
            epoch: origin - .seconds(1000),
            seed: UInt64(random.next(in: 0...Int.max)),
            usage: usage
        )
        schedule.allowTransfers(true)
        arrange()
    }
}

extension SplitMix {
    fileprivate mutating func next(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
