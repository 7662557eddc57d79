package import BenchmarkKit

/// The load under which events are published.
package enum FanOutLoad: Sendable, Hashable, Codable {
    /// As many as possible, with at most this many in flight.
    case window(UInt64)
    /// This many per second.
    case paced(Int)
}

/// The result of one round.
struct FanOutMeasurement: Codable, Sendable {
    /// The lines per second that all subscribers together read.
    let linesPerSecond: Double
    let bytesPerLine: Double
    /// The server's CPU time, user and kernel, for each line.
    let cpuMicrosecondsPerLine: Double
    /// The latency from just before the event was encoded to just after it was read.
    let p50Microseconds: Double
    let p99Microseconds: Double
    let maxMicroseconds: Double
    /// The growth of the server's private dirty memory by connecting, over all subscribers.
    let kilobytesPerSubscriber: Double
    /// The same after the load.
    let kilobytesPerSubscriberAfterwards: Double
}

/// The results of one contender with one number of subscribers over all rounds.
package struct FanOutResult: Codable, Sendable {
    package let contender: FanOutContender
    package let subscribers: Int
    package let stopped: Int
    package let load: FanOutLoad
    package let linesPerSecond: Spread
    package let cpuMicrosecondsPerLine: Spread
    /// The lines that the server delivers per second of CPU time.
    package var linesPerCPUSecond: Double { 1e6 / cpuMicrosecondsPerLine.median }
    package let bytesPerLine: Double
    package let p50Microseconds: Double
    package let p99Microseconds: Double
    /// The highest latency of all rounds.
    package let maxMicroseconds: Double
    package let kilobytesPerSubscriber: Double
    package let kilobytesPerSubscriberAfterwards: Double

    init(
        contender: FanOutContender,
        subscribers: Int,
        stopped: Int,
        load: FanOutLoad,
        _ rounds: [FanOutMeasurement]
    ) {
        self.contender = contender
        self.subscribers = subscribers
        self.stopped = stopped
        self.load = load
        linesPerSecond = Spread(rounds.map(\.linesPerSecond))
        cpuMicrosecondsPerLine = Spread(rounds.map(\.cpuMicrosecondsPerLine))
        bytesPerLine = Spread(rounds.map(\.bytesPerLine)).median
        p50Microseconds = Spread(rounds.map(\.p50Microseconds)).median
        p99Microseconds = Spread(rounds.map(\.p99Microseconds)).median
        maxMicroseconds = rounds.map(\.maxMicroseconds).max() ?? .nan
        kilobytesPerSubscriber = Spread(rounds.map(\.kilobytesPerSubscriber)).median
        kilobytesPerSubscriberAfterwards = Spread(rounds.map(\.kilobytesPerSubscriberAfterwards)).median
    }
}
