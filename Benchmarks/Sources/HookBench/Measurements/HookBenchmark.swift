internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed

/// From the request that makes an edge to the first instruction of the program that is run for it.
///
/// Each contender is alone while it is measured; they take turns in short blocks, so that a disturbance of the machine hits
/// all of them.
struct HookBenchmark {
    let testbed: Testbed
    let runs: HookRuns
    let progress: (String) -> Void

    private static let edgesPerBlock = 50
    /// After this an edge is missed.
    private static let patience: UInt64 = 2000

    func run(_ contenders: [Contender], _ edge: Edge, edges: Int) throws(BenchmarkError) -> [HookRow] {
        var collectors = [LatencyStatistics.Collector](repeating: .init(), count: contenders.count)
        let blocks = (edges + Self.edgesPerBlock - 1) / Self.edgesPerBlock
        for block in 0..<blocks {
            progress(
                "\(edge.rawValue), \(contenders.map(\.name).joined(separator: ", ")): block \(block + 1) of \(blocks)"
            )
            let size = min(Self.edgesPerBlock, edges - block * Self.edgesPerBlock)
            // Nobody always comes first.
            for turn in contenders.indices {
                let index = (turn + block) % contenders.count
                try measure(contenders[index], edge, edges: size, into: &collectors[index])
            }
        }
        return zip(contenders, collectors).map { HookRow(edge: edge, contender: $0.name, latency: $1.statistics) }
    }

    private func measure(
        _ contender: Contender,
        _ edge: Edge,
        edges: Int,
        into collector: inout LatencyStatistics.Collector
    ) throws(BenchmarkError) {
        let pipe = try contender.source.map { _ throws(BenchmarkError) in try Pipe() }
        let child = try ChildProcess(
            contender.path,
            contender.arguments,
            input: pipe?.readEnd ?? -1,
            // What looks once a second tells of everything that it does.
            error: contender.isSlow ? -1 : STDERR_FILENO
        )
        let source = try contender.source.map { source throws(BenchmarkError) in
            try ChildProcess(source.path, source.arguments, output: pipe?.writeEnd ?? -1)
        }
        defer {
            child.stop()
            source?.stop()
            rest()
        }
        try warmUp(contender, child, edge)
        var isUp = true
        for _ in 0..<edges {
            isUp.toggle()
            let started = try testbed.set(edge, isUp: isUp)
            let ran = runs.next(isUp: isUp, milliseconds: Self.patience)
            collector.record(ran.flatMap { $0 > started ? $0 - started : nil })
            rest()
            // At any moment between two looks.
            if contender.isSlow { usleep(.random(in: 0..<1_000_000)) }
        }
        if !isUp { try testbed.set(edge, isUp: true) }
    }

    /// Makes edges until the program is run for them; ends with the state up.
    private func warmUp(_ contender: Contender, _ child: ChildProcess, _ edge: Edge) throws(BenchmarkError) {
        var seenInARow = 0
        for _ in 0..<100 where child.isRunning {
            for isUp in [false, true] {
                try testbed.set(edge, isUp: isUp)
                let ran = runs.next(isUp: isUp, milliseconds: contender.isSlow ? Self.patience : 200)
                seenInARow = ran == nil ? 0 : seenInARow + 1
            }
            if seenInARow >= 4 { return rest() }
        }
        throw BenchmarkError("measure '\(contender.name)'", cause: "it does not run the program")
    }

    /// Lets everybody come to rest, never in step with a timer, and forgets what else was told.
    private func rest() {
        usleep(.random(in: testbed.pauseMicroseconds * 4 / 5...testbed.pauseMicroseconds * 6 / 5))
        runs.forget()
    }
}
