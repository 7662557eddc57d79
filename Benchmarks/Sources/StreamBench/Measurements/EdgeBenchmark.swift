internal import BenchmarkKit
internal import CTestbed
internal import Glibc
internal import NetworkTestbed
internal import StreamTestbed

/// The latency from a network change to its line at each subscriber, through the built agent with its journal.
struct EdgeBenchmark {
    static let subscriberCounts = [1, 100]
    private static let warmUpEdges = 20

    let agent: String
    let testbed: Testbed
    /// The directories of the sockets, whose paths must be short, and of the journals.
    let sockets: TemporaryDirectory
    let disk: TemporaryDirectory
    /// The number of edges of each kind.
    let edges: Int

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [EdgeResult] {
        var results: [EdgeResult] = []
        for edge in [Edge.defaultRoute, .carrier] {
            for subscribers in Self.subscriberCounts {
                for contender in [FanOutContender.events, .control] {
                    progress("edges, \(edge.rawValue), \(contender.name), subscribers: \(subscribers)")
                    results.append(try measure(edge, contender, subscribers))
                }
            }
        }
        return results
    }

    private func measure(
        _ edge: Edge,
        _ contender: FanOutContender,
        _ count: Int
    ) throws(BenchmarkError) -> EdgeResult {
        let place = try TemporaryDirectory("agent", in: disk.path)
        let socket = sockets.path(of: contender.socket)
        unlink(socket)
        try Affinity.pin(to: EventServer.cpu)
        let child = try ChildProcess(
            agent,
            [
                "run", "--format", "json", "--settle-up", "0", "--settle-down", "0", "--socket-directory", sockets.path,
                "--journal-directory", place.path(of: "journal"),
            ],
            error: STDERR_FILENO
        )
        try Affinity.pin(to: EventServer.subscribersCPU)
        defer {
            child.stop()
            try? Affinity.release()
        }
        for _ in 0..<500 where access(socket, F_OK) != 0 { usleep(10_000) }
        let subscribers = try Subscribers(of: socket, request: contender.request, count: count)
        try subscribers.awaitFirstLines { _, _, _ in }
        var collector = EdgeCollector(count: count)
        var isUp = true
        for turn in 0..<edges + Self.warmUpEdges {
            if turn == Self.warmUpEdges { collector.forget() }
            isUp.toggle()
            collector.begin(isUp: isUp)
            let start = try testbed.set(edge, isUp: isUp)
            while !collector.isComplete, MonotonicClock.nanoseconds < start + 2_000_000_000 {
                try subscribers.read(milliseconds: 100) { collector.take($0, $1, since: start, at: $2) }
            }
            collector.end()
            try rest(subscribers)
        }
        if !isUp { try testbed.set(edge, isUp: true) }
        return EdgeResult(
            edge: edge,
            contender: contender,
            subscribers: count,
            p50Microseconds: collector.latencies.microseconds(atPercentile: 50),
            p99Microseconds: collector.latencies.microseconds(atPercentile: 99),
            maxMicroseconds: collector.latencies.microseconds(atPercentile: 100),
            missed: collector.missed
        )
    }

    /// Pauses, never in step with a timer; the lines that arrive meanwhile are read and discarded.
    private func rest(_ subscribers: Subscribers) throws(BenchmarkError) {
        let pause = UInt64(testbed.pauseMicroseconds) * 1000
        let end = MonotonicClock.nanoseconds + .random(in: pause * 4 / 5...pause * 6 / 5)
        while case let now = MonotonicClock.nanoseconds, now < end {
            try subscribers.read(milliseconds: Int32(clamping: (end - now) / 1_000_000 + 1)) { _, _, _ in }
        }
    }
}

/// The latencies of all edges, and the subscribers that have received the current one.
private struct EdgeCollector {
    private(set) var latencies = LatencyHistogram()
    private(set) var missed = 0
    private var isTold: [Bool]
    private var waiting = 0
    private var isUp = false

    init(count: Int) { isTold = .init(repeating: false, count: count) }

    var isComplete: Bool { waiting == 0 }

    mutating func begin(isUp: Bool) {
        self.isUp = isUp
        waiting = isTold.count
        for index in isTold.indices { isTold[index] = false }
    }

    mutating func take(_ index: Int, _ line: UnsafeRawBufferPointer, since start: UInt64, at time: UInt64) {
        guard !isTold[index], contains(line, #""type":"reachagent.path.changed""#),
            contains(line, #""to":{"via":"none""#) != isUp
        else { return }
        isTold[index] = true
        waiting -= 1
        _ = latencies.record(time > start ? time - start : 0)
    }

    mutating func end() { missed += waiting }

    mutating func forget() {
        latencies = LatencyHistogram()
        missed = 0
    }

    private func contains(_ line: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                testbed_contains(line.baseAddress, line.count, $0.baseAddress, $0.count)
            }
        }
    }
}

/// The latencies of all lines of one kind of edge.
struct EdgeResult: Codable, Sendable {
    let edge: Edge
    let contender: FanOutContender
    let subscribers: Int
    /// The latency from just before the request was sent to just after the line was read, by CLOCK_MONOTONIC.
    let p50Microseconds: Double
    let p99Microseconds: Double
    let maxMicroseconds: Double
    /// The number of lines that did not arrive within two seconds.
    let missed: Int
}
