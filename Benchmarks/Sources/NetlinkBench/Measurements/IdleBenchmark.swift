internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed

/// The wake-ups, CPU time and memory of each listener while nothing happens.
struct IdleBenchmark {
    let testbed: Testbed
    let agent: Listener
    let ip: IPCommand
    let seconds: Int

    /// The time that each listener has to settle: the worker threads of a starting program exit after some seconds.
    private static let settleSeconds: UInt32 = 10

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [IdleResult] {
        progress("idle: \(Self.settleSeconds) s to settle, then \(seconds) s")
        // Sleeping, they do not disturb each other.
        let listeners = try [agent, .ipMonitor(ip, "link", for: .carrier)].map(RunningListener.init)
        defer { listeners.forEach { $0.stop() } }
        for listener in listeners { try listener.warmUp(testbed, .carrier) }
        sleep(Self.settleSeconds)
        let identifiers = listeners.compactMap(\.identifier)
        let before = identifiers.map { ProcessUsage(of: $0) }
        sleep(UInt32(seconds))
        let after = identifiers.map { ProcessUsage(of: $0) }
        return listeners.indices.map {
            IdleResult(
                listener: listeners[$0].name,
                wakeUps: after[$0].wakeUps(since: before[$0]),
                cpuMicroseconds: Double(after[$0].cpuNanoseconds(since: before[$0])) / 1000,
                residentKilobytes: after[$0].residentKilobytes,
                privateDirtyKilobytes: after[$0].privateDirtyKilobytes
            )
        }
    }
}

/// One row of the table of idle listeners.
struct IdleResult: Codable, Sendable {
    let listener: String
    /// The voluntary context switches of all threads.
    let wakeUps: UInt64
    let cpuMicroseconds: Double
    let residentKilobytes: UInt64
    let privateDirtyKilobytes: UInt64
}
