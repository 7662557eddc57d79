import AgentTestKit
import CheckResults
import Synchronization
import Testing

@testable import Probes

/// The cost of the link over which a resumed transfer continues.
@Suite struct TransferAdmissionTests {
    private static let wifi = LinkCost(account: "wifi")
    private static let wwan = LinkCost(account: "wwan", bytesPerDay: 2_000_000, isCellular: true, isMetered: true)

    /// A schedule whose only transfer has started.
    private static func started(
        _ plan: TransferPlan = TransferPlan(downloadBytes: 1_000_000, allowsMetered: true),
        allowsCellular: Bool = true
    ) throws -> (run: SimulatedSchedule, job: UInt64) {
        var run = SimulatedSchedule()
        run.schedule.allowTransfers(true)
        run.latency = { _ in .seconds(100) }
        var transfer = ScheduledProbe.transfer("speed", plan: plan, cost: wifi)
        transfer.probe.request.allowsCellularAccess = allowsCellular
        run.setProbes([transfer])
        run.run(until: .seconds(91))
        return (run, try #require(run.schedule.transfers.running?.job))
    }

    private static let continuation = TransferContinuation(bytesOnWire: 300_000, neededBytes: 900_000)

    @Test func `each link's account pays for the bytes that the link carried`() throws {
        var (run, job) = try Self.started()
        let admission = run.schedule.admit(job, over: Self.wwan, Self.continuation, seconds: 0)
        #expect(admission == .moved(budgetBytes: 900_000))
        #expect(run.schedule.budget.used == ["wifi": 300_000])
        #expect(run.schedule.budget.remaining(Self.wwan) == 1_100_000)
        // Back again: the rest of the reservation is free.
        let back = TransferContinuation(bytesOnWire: 350_000, neededBytes: 850_000)
        #expect(run.schedule.admit(job, over: Self.wifi, back, seconds: 0) == .moved(budgetBytes: nil))
        #expect(run.schedule.budget.remaining(Self.wwan) == 1_950_000)
        _ = run.schedule.finish(job, report: SimulatedSchedule.report(bytes: 400_000), account: "wifi", seconds: 0)
        #expect(run.schedule.budget.used == ["wifi": 350_000, "wwan": 50_000])
    }

    @Test func `the same link is no question of the budget`() throws {
        var (run, job) = try Self.started()
        #expect(run.schedule.admit(job, over: Self.wifi, Self.continuation, seconds: 0) == .unchanged)
        #expect(run.schedule.admit(job + 1, over: Self.wwan, Self.continuation, seconds: 0) == .unchanged)
        #expect(run.schedule.budget.used.isEmpty)
    }

    @Test(arguments: [
        (false, true, 2_000_000, FindingCode.transferMetered), (true, false, 2_000_000, .cellularNotAllowed),
        (true, true, 899_999, .budgetExhausted), (true, true, 0, .budgetExhausted),
    ])
    func `a transfer continues over no link over which it would not have started`(
        allowsMetered: Bool,
        allowsCellular: Bool,
        left: Int,
        code: FindingCode
    ) throws {
        let plan = TransferPlan(downloadBytes: 1_000_000, allowsMetered: allowsMetered)
        var (run, job) = try Self.started(plan, allowsCellular: allowsCellular)
        run.schedule.budget.use(2_000_000 - left, of: "wwan")
        guard case .refused(let finding) = run.schedule.admit(job, over: Self.wwan, Self.continuation, seconds: 0)
        else {
            Issue.record("admitted")
            return
        }
        #expect(finding.code == code)
        _ = run.schedule.finish(job, report: SimulatedSchedule.report(bytes: 300_000), account: "wifi", seconds: 0)
        #expect(run.schedule.budget.used["wifi"] == 300_000)
        #expect(run.schedule.budget.used["wwan"] ?? 0 == 2_000_000 - left)
        #expect(run.schedule.budget.remaining(Self.wwan) == left)
    }

    @Test func `a requested transfer takes no more of the next link's budget than requests may`() throws {
        var (run, _) = try Self.started()
        run.run(until: .seconds(300))
        let point = ProbePoint(probe: "speed", vantage: .default)
        #expect(run.schedule.request([point], now: run.now, seconds: 0).started == 1)
        run.run(until: .seconds(301))
        let job = try #require(run.schedule.transfers.running?.job)
        guard case .refused(let finding) = run.schedule.admit(job, over: Self.wwan, Self.continuation, seconds: 0)
        else {
            Issue.record("admitted")
            return
        }
        #expect(finding.code == .budgetExhausted)
    }

    @Test(.timeLimit(.minutes(1))) func `the scheduler asks for the present cost of the transfer`() async throws {
        let cost = Mutex<LinkCost?>(nil)
        let asked = Mutex<[ProbePoint]>([])
        let (plans, next) = AsyncStream<(TransferPlan, @Sendable (CheckReport) -> Void)>.makeStream()
        let (usages, noted) = AsyncStream<DataUsage>.makeStream()
        let scheduler = ProbeScheduler(
            transport: ClosureTransport { probe, completion in
                if let plan = probe.transfer { next.yield((plan, completion)) }
            },
            whenUsed: { noted.yield($0) },
            presentCost: { point in
                asked.withLock { $0.append(point) }
                return cost.withLock { $0 }
            },
            judge: { _ in .steady }
        )
        scheduler.start()
        scheduler.allowTransfers(true)
        let plan = TransferPlan(downloadBytes: 1_000_000, resumes: true)
        let transfer = ScheduledProbe.transfer("speed", plan: plan, vantage: Vantage(families: .ipv4), cost: Self.wifi)
        scheduler.setProbes([transfer])
        #expect(scheduler.request([transfer.point]).started == 1)
        var transfers = plans.makeAsyncIterator()
        let (started, complete) = try #require(await transfers.next())
        let admission = try #require(started.admission)
        // Without a path nothing is decided.
        #expect(admission(Self.continuation) == .unchanged)
        #expect(asked.withLock { $0 } == [transfer.point])
        cost.withLock { $0 = Self.wwan }
        guard case .refused(let finding) = admission(Self.continuation) else {
            Issue.record("admitted")
            return
        }
        #expect(finding.code == .transferMetered)
        var usage = usages.makeAsyncIterator()
        #expect(await usage.next()?.bytes == ["wifi": 300_000])
        complete(SimulatedSchedule.report(.unknown(.transferMetered, .body), bytes: 300_000))
        scheduler.stop()
    }
}

/// A transport that hands its checks to a closure.
private struct ClosureTransport: CheckTransport {
    let begin: @Sendable (Probe, @escaping @Sendable (CheckReport) -> Void) -> Void

    func start(_ probe: Probe, completion: @escaping @Sendable (CheckReport) -> Void) -> @Sendable () -> Void {
        begin(probe, completion)
        return {}
    }
}
