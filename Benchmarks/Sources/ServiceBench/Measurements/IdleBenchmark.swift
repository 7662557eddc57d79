internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// The memory, wake-ups and CPU time of programs that do nothing but their regular work.
struct IdleBenchmark {
    let settleSeconds: Int
    let seconds: Int

    /// Measures all contenders at the same time: sleeping, they do not disturb each other.
    func run(_ contenders: [Contender], _ url: String, progress: (String) -> Void) throws(BenchmarkError)
        -> [IdleResult]
    {
        progress("idle: \(settleSeconds) s to settle, then \(seconds) s")
        let children = try contenders.map { contender throws(BenchmarkError) in try contender.start() }
        defer { for child in children { child.stop() } }
        for (contender, child) in zip(contenders, children) {
            guard case .listening(let port) = contender.readiness else { continue }
            try Loopback.waitForListener(on: port, of: child, named: contender.name)
            try Self.probeOnce(through: port, url)
        }
        sleep(UInt32(settleSeconds))
        let before = children.map { ProcessUsage(of: $0.identifier) }
        let bursts = countBursts(of: children.map(\.identifier))
        let after = children.map { ProcessUsage(of: $0.identifier) }
        for (contender, child) in zip(contenders, children) where !child.isRunning {
            throw BenchmarkError("watch '\(contender.name)'", cause: "it has ended")
        }
        let minutes = Double(seconds) / 60
        return contenders.indices.map { index in
            let usage = after[index]
            return IdleResult(
                contender: contenders[index].name,
                residentKilobytes: usage.residentKilobytes,
                proportionalKilobytes: usage.proportionalKilobytes,
                privateKilobytes: usage.privateKilobytes,
                privateDirtyKilobytes: usage.privateDirtyKilobytes,
                threads: usage.threads,
                wakeUpsPerMinute: Double(bursts[index]) / minutes,
                switchesPerMinute: Double(usage.wakeUps(since: before[index])) / minutes,
                cpuMillisecondsPerMinute: Double(usage.cpuNanoseconds(since: before[index])) / 1e6 / minutes
            )
        }
    }

    /// Samples all threads ten times a second; a process that was awake in consecutive samples was woken once.
    private func countBursts(of identifiers: [Int32]) -> [Int] {
        var last = identifiers.map { ThreadSwitches(of: $0) }
        var wasAwake = [Bool](repeating: false, count: identifiers.count)
        var bursts = [Int](repeating: 0, count: identifiers.count)
        let end = MonotonicClock.nanoseconds + UInt64(seconds) * 1_000_000_000
        while MonotonicClock.nanoseconds < end {
            usleep(100_000)
            for (index, identifier) in identifiers.enumerated() {
                let switches = ThreadSwitches(of: identifier)
                let isAwake = switches.wakeUps(since: last[index]) > 0
                if isAwake, !wasAwake[index] { bursts[index] += 1 }
                wasAwake[index] = isAwake
                last[index] = switches
            }
        }
        return bursts
    }

    /// Makes an exporter probe once, as Prometheus would every minute: it makes no probes by itself.
    private static func probeOnce(through port: UInt16, _ url: String) throws(BenchmarkError) {
        let descriptor = try Loopback.connect(to: port)
        defer { close(descriptor) }
        let request = Array("GET /probe?module=\(BlackboxModule.name)&target=\(url) HTTP/1.0\r\n\r\n".utf8)
        var page: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        if send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count {
            while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 { page += chunk[..<count] }
        }
        guard String(decoding: page, as: UTF8.self).contains("\nprobe_success 1\n") else {
            throw BenchmarkError("probe \(url) through the exporter", cause: "it did not succeed")
        }
    }
}

/// One row of the table of idle programs.
struct IdleResult: Codable, Sendable {
    let contender: String
    let residentKilobytes: UInt64
    let proportionalKilobytes: UInt64
    let privateKilobytes: UInt64
    let privateDirtyKilobytes: UInt64
    let threads: Int
    /// The wake-ups of the process as a whole: threads that are awake at the same time count once.
    let wakeUpsPerMinute: Double
    /// The voluntary context switches of all threads.
    let switchesPerMinute: Double
    let cpuMillisecondsPerMinute: Double
}
