internal import BenchmarkKit
internal import NetworkTestbed

/// The latency of carrier edges while another process adds routes as fast as the kernel accepts them.
struct FloodBenchmark {
    let testbed: Testbed
    let agent: Listener
    let ip: IPCommand
    let routes: Int
    /// The number of floods for each listener.
    let passes: Int

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [LatencyResult] {
        let listeners = [
            .rawSocket(for: .carrier), .ipMonitor(ip, "link", for: .carrier),
            .ipMonitor(ip, "link route", for: .carrier), agent,
        ]
        var collectors = [LatencyStatistics.Collector](repeating: .init(), count: listeners.count)
        for pass in 0..<passes {
            progress("flood: pass \(pass + 1) of \(passes)")
            for turn in listeners.indices {
                let index = (turn + pass) % listeners.count
                try measure(listeners[index], into: &collectors[index])
            }
        }
        return zip(listeners, collectors).map {
            LatencyResult(edge: .carrier, listener: $0.name, latency: $1.statistics)
        }
    }

    /// Measures one listener during one flood.
    ///
    /// Edges before its first route or after its last one do not count.
    private func measure(
        _ listener: Listener,
        into collector: inout LatencyStatistics.Collector
    ) throws(BenchmarkError) {
        let running = try RunningListener(listener)
        defer { running.stop() }
        try running.warmUp(testbed, .carrier)
        let flood = try RouteFlood(.add, routes: routes)
        var isUp = true
        while true {
            running.pause(testbed)
            guard flood.isRunning else { break }
            isUp.toggle()
            let latency = try running.time(testbed, .carrier, isUp: isUp)
            if latency == nil || flood.isRunning { collector.record(latency) }
        }
        try flood.waitForEnd()
        if !isUp { try testbed.set(.carrier, isUp: true) }
        running.stop()
        try RouteFlood(.delete, routes: routes).waitForEnd()
    }
}
