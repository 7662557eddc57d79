internal import AgentEvents
internal import BenchmarkKit
internal import CTestbed
internal import Glibc

/// A client of a Redis server, which hands the events to those that have subscribed to the channel `events`.
final class RedisPublisher: EventPublisher {
    private let sample = SampleEvent(streamID: "00000000000000000000000000000001")
    private let server: Int32
    private(set) var newest: UInt64 = 0

    init(at path: String) throws {
        server = testbed_connect(path)
        guard server >= 0 else { throw BenchmarkError("connect to \(path)", errno: errno) }
    }

    func publish(through last: UInt64) throws {
        var requests: [UInt8] = []
        let first = newest
        while newest < last {
            newest += 1
            // A subscriber that reads lines takes the line behind the length for the event.
            let line = sample.event(newest).line
            requests += "*3\r\n$7\r\nPUBLISH\r\n$6\r\nevents\r\n$\(line.count)\r\n".utf8
            requests += line
            requests += "\r\n".utf8
        }
        guard send(server, requests, requests.count, 0) == requests.count else {
            throw BenchmarkError("publish", errno: errno)
        }
        // An answer of one line for each.
        var missing = Int(last - first)
        var answers = [UInt8](repeating: 0, count: 4096)
        while missing > 0 {
            let count = recv(server, &answers, answers.count, 0)
            guard count > 0 else { throw BenchmarkError("read Redis' answers", errno: errno) }
            missing -= answers[..<count].count { $0 == UInt8(ascii: "\n") }
        }
    }

    func stop() {}
}
