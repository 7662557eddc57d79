internal import BenchmarkKit
internal import NetworkTestbed

/// The latency from the request that makes an edge to the line that reports it, on an otherwise idle network.
///
/// Each listener runs alone while it is measured, so that none takes the CPU of another; they alternate in short
/// blocks, so that a disturbance of the machine affects all of them.
struct LatencyBenchmark {
    let testbed: Testbed
    let agent: Listener
    let ip: IPCommand
    /// The number of edges of each kind for each listener.
    let edges: Int

    private static let edgesPerBlock = 100

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [LatencyResult] {
        var results: [LatencyResult] = []
        for edge in Edge.allCases { results += try measure(edge, progress) }
        return results
    }

    private func measure(_ edge: Edge, _ progress: (String) -> Void) throws(BenchmarkError) -> [LatencyResult] {
        let objects = edge == .carrier ? "link" : "route"
        let listeners = [.rawSocket(for: edge), .ipMonitor(ip, objects, for: edge), agent]
        var collectors = [LatencyStatistics.Collector](repeating: .init(), count: listeners.count)
        let blocks = (edges + Self.edgesPerBlock - 1) / Self.edgesPerBlock
        for block in 0..<blocks {
            progress("latency, \(edge.rawValue): block \(block + 1) of \(blocks)")
            let size = min(Self.edgesPerBlock, edges - block * Self.edgesPerBlock)
            // The order rotates, so that no listener is always first.
            for turn in listeners.indices {
                let index = (turn + block) % listeners.count
                try measure(edge, listeners[index], edges: size, into: &collectors[index])
            }
        }
        return zip(listeners, collectors).map {
            LatencyResult(
                edge: edge,
                listener: $0.name,
                latency: $1.statistics,
                cpuMicrosecondsPerEdge: $1.cpuMicrosecondsPerEdge
            )
        }
    }

    private func measure(
        _ edge: Edge,
        _ listener: Listener,
        edges: Int,
        into collector: inout LatencyStatistics.Collector
    ) throws(BenchmarkError) {
        let running = try RunningListener(listener)
        defer { running.stop() }
        try running.warmUp(testbed, edge)
        let before = running.identifier.map { ProcessUsage(of: $0) }
        var isUp = true
        for _ in 0..<edges {
            isUp.toggle()
            collector.record(try running.time(testbed, edge, isUp: isUp))
            running.pause(testbed)
        }
        if let before, let identifier = running.identifier {
            collector.record(cpuNanoseconds: ProcessUsage(of: identifier).cpuNanoseconds(since: before))
        }
        if !isUp { try testbed.set(edge, isUp: true) }
    }
}
