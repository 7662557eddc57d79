import FoundationEssentials

@testable import Probes

/// A schedule that runs through simulated time: checks begin when they may and end when the test says.
struct SimulatedSchedule {
    /// A check that began.
    struct Begun: Equatable {
        let points: [ProbePoint]
        let time: Duration
    }

    /// The instant that the test's times are counted from.
    let start = ContinuousClock.Instant.now
    var schedule: ProbeSchedule
    var now: ContinuousClock.Instant
    var seconds: Int64 = 0
    /// The duration of a check.
    var latency: (ProbePoint) -> Duration = { _ in .milliseconds(20) }
    /// The cadence that the judge returns.
    var cadence: (CompletedCheck) -> Cadence = { _ in .steady }
    /// The report of each check.
    var report = SimulatedSchedule.report()
    private(set) var begun: [Begun] = []
    private(set) var completed: [CompletedCheck] = []
    private(set) var maximumUnderWay = 0
    private var ends = DueHeap<UInt64>()
    private var accounts: [UInt64: String] = [:]

    init(seed: UInt64 = 1, limits: ScheduleLimits = ScheduleLimits(checks: 1000, checksPerTarget: 1000)) {
        // Far from the epoch, as a machine that has been up for a while.
        schedule = ProbeSchedule(epoch: start - .seconds(123_457), seed: seed, limits: limits)
        now = start
    }

    mutating func setProbes(_ probes: [ScheduledProbe]) { _ = schedule.setProbes(probes, now: now) }

    mutating func recheck(_ points: [ProbePoint]) -> [UInt64] { schedule.recheck(points, now: now) }

    /// Lets everything happen that happens until then; nothing wakes up in between.
    mutating func run(until time: Duration) {
        let end = start + time
        while let next = [schedule.deadline, ends.firstDue].compactMap({ $0 }).min(), next <= end {
            now = max(now, next)
            while let job = ends.first, let due = ends.firstDue, due <= now {
                ends.removeFirst()
                finish(job, account: accounts.removeValue(forKey: job))
            }
            schedule.takeDue(now: now)
            begin()
        }
        now = end
    }

    private mutating func begin() {
        while let step = schedule.takeStep(now: now, seconds: seconds) {
            switch step {
            case .check(let job, _, let account):
                let points = schedule.jobs[job]?.points ?? []
                begun.append(Begun(points: points, time: now - start))
                maximumUnderWay = max(maximumUnderWay, schedule.underWay)
                accounts[job] = account
                ends.set(job, due: now + (points.first.map(latency) ?? .zero))
            case .refuse(let job, _, let finding):
                let kept = report
                report = Self.report(.unknown(finding.code, .connect), findings: [finding])
                finish(job, account: nil)
                report = kept
            }
        }
    }

    private mutating func finish(_ job: UInt64, account: String?) {
        for check in schedule.finish(job, report: report, account: account, seconds: seconds) {
            guard schedule.isAwaited(check.point, job: job) else { continue }
            completed.append(check)
            schedule.settle(check.point, job: job, cadence: cadence(check), now: now)
        }
        begin()
    }

    /// Returns the times at which the checks of a point were due, from the start.
    func dues(of point: ProbePoint) -> [Duration] { completed.filter { $0.point == point }.map { $0.due - start } }

    static func report(_ verdict: CheckVerdict = .ok, findings: [Finding] = [], bytes: Int = 0) -> CheckReport {
        var report = CheckReport(
            target: "tcp://192.0.2.1:22",
            verdict: verdict,
            findings: findings,
            hops: [],
            started: Date(timeIntervalSince1970: 0),
            duration: .zero
        )
        report.bytesOnWire = bytes
        return report
    }
}

extension ScheduledProbe {
    /// A probe that connects to its own host, or to the given one.
    static func sample(
        _ name: String,
        host: String? = nil,
        identity: String? = nil,
        vantage: Vantage = .default,
        pace: ProbePace = ProbePace(interval: .seconds(60)),
        cost: LinkCost = .free,
        allowsCellular: Bool = true
    ) -> ScheduledProbe {
        let host = host ?? "\(name).test"
        var probe = Probe(
            target: .tcp(host: .name(host), port: 22),
            trust: TrustEvaluator(anchors: TrustAnchors(certificates: []))
        )
        probe.request.allowsCellularAccess = allowsCellular
        return ScheduledProbe(
            point: ProbePoint(probe: name, vantage: vantage),
            probe: probe,
            identity: identity ?? name,
            pace: pace,
            cost: cost
        )
    }
}
