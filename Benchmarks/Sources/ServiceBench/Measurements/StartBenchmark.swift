internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// The latency from just before a program is started to the moment at which it is ready.
struct StartBenchmark {
    let socket: NotifySocket
    let starts: Int

    /// The timeout of a start, in milliseconds.
    private static let patience: UInt64 = 10_000

    /// Starts all contenders equally often and in turn, so that a disturbance of the machine affects all of them.
    func run(_ contenders: [Contender], progress: (String) -> Void) throws(BenchmarkError) -> [StartResult] {
        progress("start: \(starts) times each of \(contenders.map(\.name).joined(separator: ", "))")
        var collectors = [LatencyStatistics.Collector](repeating: .init(), count: contenders.count)
        // The first round does not count: it reads the files into the page cache.
        for round in 0...starts {
            for index in contenders.indices {
                let nanoseconds = try start(contenders[index])
                if round > 0 { collectors[index].record(nanoseconds) }
            }
        }
        return zip(contenders, collectors).map { StartResult(contender: $0.name, latency: $1.statistics) }
    }

    private func start(_ contender: Contender) throws(BenchmarkError) -> UInt64 {
        socket.forget()
        let started = MonotonicClock.nanoseconds
        let child = try contender.start()
        defer { child.stop() }
        let ready: UInt64?
        switch contender.readiness {
        case .notification: ready = socket.waitForReady(milliseconds: Self.patience)
        case .listening(let port): ready = Self.waitForListener(on: port, of: child)
        case .end: ready = child.waitForEnd() == 0 ? MonotonicClock.nanoseconds : nil
        case .unknown: ready = nil
        }
        guard let ready else { throw BenchmarkError("start '\(contender.name)'", cause: "it does not become ready") }
        return ready - started
    }

    /// Connects until the port accepts, at intervals that are too short to matter.
    private static func waitForListener(on port: UInt16, of child: ChildProcess) -> UInt64? {
        let deadline = MonotonicClock.nanoseconds + patience * 1_000_000
        while MonotonicClock.nanoseconds < deadline, child.isRunning {
            if let descriptor = try? Loopback.connect(to: port) {
                close(descriptor)
                return MonotonicClock.nanoseconds
            }
            usleep(200)
        }
        return nil
    }
}

/// The time until a program is ready, in microseconds.
struct StartResult: Codable, Sendable {
    let contender: String
    let latency: LatencyStatistics
}
