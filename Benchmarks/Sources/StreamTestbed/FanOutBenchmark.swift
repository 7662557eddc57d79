package import BenchmarkKit
internal import Glibc

/// The fan-out of events to many subscribers: throughput, CPU time for each line, and latency.
package struct FanOutBenchmark {
    /// The maximum number of events in flight when as many as possible are published.
    package static let window: UInt64 = 64
    /// The percentage of stopped subscribers, in the cases that have some.
    static let stoppedPercent = 10
    package static let pacedRate = 100
    /// The rate of the target, with 1000 subscribers.
    package static let targetRate = 400
    /// The factor by which paced loads run longer: they have fewer events, and the last one's latency counts less.
    private static let pacedStretch = 2

    let program: LoadProgram
    let redisServer: String?
    let directory: TemporaryDirectory
    let milliseconds: Int
    let rounds: Int
    let contenders: [FanOutContender]

    /// The loads, and the numbers of subscribers for them.
    ///
    /// With a window of one, each event is written to all subscribers on its own. That load and the target rate are
    /// measured with the maximum number of subscribers only.
    private let loads: [FanOutLoad]
    private let subscriberCounts: [Int]

    package init(
        program: LoadProgram,
        redisServer: String? = nil,
        directory: TemporaryDirectory,
        milliseconds: Int,
        rounds: Int,
        contenders: [FanOutContender],
        loads: [FanOutLoad] = [.window(window), .window(1), .paced(pacedRate), .paced(targetRate)],
        subscriberCounts: [Int] = [1, 100, 1000]
    ) {
        self.program = program
        self.redisServer = redisServer
        self.directory = directory
        self.milliseconds = milliseconds
        self.rounds = rounds
        self.contenders = contenders
        self.loads = loads
        self.subscriberCounts = subscriberCounts
    }

    /// One line of the report.
    private struct Case: Hashable {
        let contender: FanOutContender
        let subscribers: Int
        let stopped: Int
        let load: FanOutLoad
    }

    package func run(progress: (String) -> Void) throws(BenchmarkError) -> [FanOutResult] {
        try Affinity.pin(to: EventServer.subscribersCPU)
        defer { try? Affinity.release() }
        var measurements: [Case: [FanOutMeasurement]] = [:]
        let cases = cases
        for round in 0..<rounds {
            progress("fan-out: round \(round + 1) of \(rounds)")
            for row in round % 2 == 0 ? cases : cases.reversed() {
                measurements[row, default: []].append(try measure(row))
            }
        }
        return cases.map { row in
            FanOutResult(
                contender: row.contender,
                subscribers: row.subscribers,
                stopped: row.stopped,
                load: row.load,
                measurements[row] ?? []
            )
        }
    }

    private var cases: [Case] {
        var cases: [Case] = []
        for load in loads {
            let isForMany = load == .window(1) || load == .paced(Self.targetRate)
            for subscribers in subscriberCounts where !isForMany || subscribers == subscriberCounts.max() {
                for contender in contenders {
                    cases.append(Case(contender: contender, subscribers: subscribers, stopped: 0, load: load))
                    // Only ours have stopped subscribers: the loop would block, and Redis disconnects them.
                    guard contender.isOurs, subscribers > 1, !isForMany else { continue }
                    let stopped = subscribers * Self.stoppedPercent / 100
                    cases.append(
                        Case(contender: contender, subscribers: subscribers - stopped, stopped: stopped, load: load)
                    )
                }
            }
        }
        return cases
    }

    private func measure(_ row: Case) throws(BenchmarkError) -> FanOutMeasurement {
        let server = try EventServer(row.contender, program, in: directory, redisServer: redisServer)
        let empty = ProcessUsage(of: server.process)
        let subscribers = try server.connect(row.subscribers, stopped: row.stopped)
        let followers = Followers(subscribers, first: 1)
        try followers.awaitFirstLines()
        // The warm-up: everything is used once.
        try server.publish(through: 64)
        try followers.follow(through: 64)
        let connected = ProcessUsage(of: server.process)
        followers.forget()
        let bytes = subscribers.bytes
        let start = MonotonicClock.nanoseconds
        switch row.load {
        case .window(let window): try publish(window, server, followers)
        case .paced(let rate):
            try server.publish(rate * milliseconds * Self.pacedStretch / 1000, perSecond: rate)
            try followers.follow(through: server.newest)
        }
        let elapsed = Double(MonotonicClock.nanoseconds - start) / 1e9
        let after = ProcessUsage(of: server.process)
        guard followers.faults == 0 else {
            throw BenchmarkError("measure \(row.contender.name)", cause: "\(followers.faults) numbers are out of order")
        }
        let all = Double(row.subscribers + row.stopped)
        func growth(_ usage: ProcessUsage) -> Double {
            (Double(usage.privateDirtyKilobytes) - Double(empty.privateDirtyKilobytes)) / all
        }
        return FanOutMeasurement(
            linesPerSecond: Double(followers.lines) / elapsed,
            bytesPerLine: Double(subscribers.bytes - bytes) / Double(followers.lines),
            cpuMicrosecondsPerLine: Double(after.cpuNanoseconds(since: connected)) / 1000 / Double(followers.lines),
            p50Microseconds: followers.latencies.microseconds(atPercentile: 50),
            p99Microseconds: followers.latencies.microseconds(atPercentile: 99),
            maxMicroseconds: followers.latencies.microseconds(atPercentile: 100),
            kilobytesPerSubscriber: growth(connected),
            kilobytesPerSubscriberAfterwards: growth(after)
        )
    }

    /// Publishes as fast as the slowest reading subscriber: the next half of a window when it has the previous one.
    private func publish(
        _ window: UInt64,
        _ server: EventServer,
        _ followers: Followers
    ) throws(BenchmarkError) {
        let step = max(1, window / 2)
        let end = MonotonicClock.nanoseconds + UInt64(milliseconds) * 1_000_000
        if window > 1 { try server.publish(through: server.newest + step) }
        while MonotonicClock.nanoseconds < end {
            let goal = window > 1 ? server.newest : server.newest + 1
            try server.publish(through: server.newest + step)
            try followers.follow(through: goal)
        }
        try followers.follow(through: server.newest)
    }
}
