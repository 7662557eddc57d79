internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed

/// The cost to a listener of adding and deleting routes that do not affect the path.
struct ChurnBenchmark {
    let testbed: Testbed
    let agent: Listener
    let ip: IPCommand
    let routes: Int

    private static let settleSeconds: UInt32 = 10

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [ChurnResult] {
        progress("churn: \(agent.name)")
        let running = try RunningListener(agent)
        defer { running.stop() }
        try running.warmUp(testbed, .carrier)
        guard let identifier = running.identifier else { return [] }
        // The worker threads of a starting program exit after some seconds, and release memory.
        sleep(Self.settleSeconds)
        let agentResult = try measure(agent.name, identifier)
        let isLossTold = try running.time(testbed, .carrier, isUp: false) != nil
        let isReturnTold = try running.time(testbed, .carrier, isUp: true) != nil
        running.stop()

        progress("churn: ip -o monitor route")
        let monitor = try ChildProcess(ip.path, ["-o", "monitor", "route"])
        defer { monitor.stop() }
        // It prints nothing when it starts to listen.
        sleep(1)
        let monitorResult = try measure("ip -o monitor route", monitor.identifier)
        var result = agentResult
        result.isRightAfterwards = isLossTold && isReturnTold
        return [result, monitorResult]
    }

    private func measure(_ name: String, _ identifier: Int32) throws(BenchmarkError) -> ChurnResult {
        let before = ProcessUsage(of: identifier)
        for operation in [RouteFlood.Operation.add, .delete] {
            try RouteFlood(operation, routes: routes).waitForEnd()
        }
        waitForRest(identifier)
        let after = ProcessUsage(of: identifier)
        return ChurnResult(
            listener: name,
            cpuSeconds: Double(after.cpuNanoseconds(since: before)) / 1e9,
            residentKilobytesBefore: before.residentKilobytes,
            residentKilobytesAfter: after.residentKilobytes,
            privateDirtyKilobytesBefore: before.privateDirtyKilobytes,
            privateDirtyKilobytesAfter: after.privateDirtyKilobytes
        )
    }

    /// Waits until the process has used no CPU for a second; at most a minute.
    private func waitForRest(_ identifier: Int32) {
        var last = ProcessUsage(of: identifier).cpuNanoseconds
        for _ in 0..<60 {
            sleep(1)
            let now = ProcessUsage(of: identifier).cpuNanoseconds
            if now == last { return }
            last = now
        }
    }
}

/// One row of the table of costs.
struct ChurnResult: Codable, Sendable {
    let listener: String
    let cpuSeconds: Double
    let residentKilobytesBefore: UInt64
    let residentKilobytesAfter: UInt64
    let privateDirtyKilobytesBefore: UInt64
    let privateDirtyKilobytesAfter: UInt64
    /// A Boolean value that indicates whether edges are still reported afterwards; `nil` if that was not checked.
    var isRightAfterwards: Bool?
}
