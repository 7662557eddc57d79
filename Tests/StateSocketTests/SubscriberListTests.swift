import AgentEvents
import AgentTestKit
import EventLoopExecutor
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import StateSocket

/// The list of connections, and the memory of replies that no client reads.
@Suite(.timeLimit(.minutes(2)))
struct SubscriberListTests {
    /// Subscribes to subjects of a character that is shown as seven.
    private static func subscribe(_ stream: ServedStream, subjects count: Int, bytes: Int) throws -> Client {
        let subject = "\"" + String(repeating: "\u{7F}", count: bytes) + "\""
        let subjects = Array(repeating: subject, count: count).joined(separator: ",")
        let client = try Client(stream.control)
        try client.send(#"{"method":"subscribe","more":true,"parameters":{"subjects":[\#(subjects)]}}"# + "\n")
        _ = try client.lines(2)
        return client
    }

    private static func list(of stream: ServedStream) throws -> (list: SubscriberList?, bytes: Int) {
        let client = try Client(stream.control)
        try client.send(#"{"method":"subscribers"}"# + "\n")
        let reply = try client.lineBytes() ?? []
        return (SubscriberList(line: Array(reply.dropFirst(#"{"parameters":"#.utf8.count).dropLast())), reply.count)
    }

    @Test func `the filters of a subscription are cut, and the number of the others is shown`() async throws {
        let (list, bytes) = try await ServedStream.run { stream in
            let clients = try (0..<40).map { _ in try Self.subscribe(stream, subjects: 64, bytes: 256) }
            defer { withExtendedLifetime(clients) {} }
            return try Self.list(of: stream)
        }
        #expect(bytes < 40 * 5000)
        #expect(list?.subscribers.count == 41 && list?.subscribersOmitted == nil)
        let first = try #require(list?.subscribers.first)
        #expect(first.subjects == Array(repeating: String(repeating: #"\u{7f}"#, count: 64) + "…", count: 8))
        #expect(first.subjectsOmitted == 56 && first.types.isEmpty && first.typesOmitted == nil)
    }

    @Test(arguments: [1_795_244_400, -86_400] as [Int64])
    func `the time of a connection moves with a clock that is set`(step: Int64) async throws {
        let (now, instant) = (Timestamp.now, ContinuousClock.now)
        let later = Timestamp(microsecondsSince1970: now.microsecondsSince1970 + (10 + step) * 1_000_000)
        let times = try await onThread {
            let loops = try MultiThreadedEventLoopGroup(named: "test")
            let gate = LoopGate(loops.next())
            let hub = try PasswordCheckTests.hub(on: gate)
            let times = try gate.eventLoop.submit {
                let connection = Connection(.control, in: hub.value)
                return [
                    connection.connected(at: now, instant), connection.connected(at: later, instant + .seconds(10)),
                ]
            }.wait()
            gate.close()
            try loops.syncShutdownGracefully()
            return times.map(\.microsecondsSince1970)
        }
        #expect(times[1] == times[0] + step * 1_000_000)
    }

    @Test func `a list that is too long for a line has the oldest connections, and the number of the others`()
        async throws
    {
        let (list, bytes) = try await ServedStream.run { stream in
            let clients = try (0..<640).map { _ in try Self.subscribe(stream, subjects: 8, bytes: 64) }
            defer { withExtendedLifetime(clients) {} }
            return try Self.list(of: stream)
        }
        #expect(bytes < ScannedLine.maximumBytes / 2 + 100)
        let (shown, omitted) = (list?.subscribers.count ?? 0, list?.subscribersOmitted ?? 0)
        #expect(shown > 256 && omitted > 0 && shown + omitted == 641)
    }

    @Test func `unread replies are kept for four connections of a user, and a client that reads is served`()
        async throws
    {
        try await ServedStream.run(configure: { $0.answerMemory = 1 }) { stream in
            stream.agent.statusPadding.withLock { $0 = 1 << 20 }
            let request = #"{"method":"status"}"# + "\n"
            let greedy = try (0..<20).map { _ in try Client(stream.control) }
            for client in greedy { try client.send(request) }
            #expect(stream.waitForConnections(4))
            let reader = try Client(stream.control)
            for _ in 0..<3 {
                try reader.send(request)
                #expect(try reader.lineBytes()?.count ?? 0 > 1 << 20)
            }
            withExtendedLifetime(greedy) {}
        }
    }

    @Test func `a connection that is closed with the reply before its subscription starts no stream`() async throws {
        let openings = try await ServedStream.run(configure: { $0.answerMemory = 1 }) { stream in
            stream.agent.answersAtOnce.withLock { $0 = false }
            func answer(_ bytes: Int) {
                let calls = stream.agent.calls.withLock { calls in
                    defer { calls = [] }
                    return calls
                }
                for call in calls { call.reply(.parameters([UInt8](repeating: UInt8(ascii: " "), count: bytes))) }
            }
            let probe = #"{"method":"probe"}"# + "\n"
            let exempt = try (0..<4).map { _ in try Client(stream.control) }
            for client in exempt { try client.send(probe) }
            guard stream.waitForCalls(4) else { return -1 }
            answer(1 << 20)
            let greedy = try Client(stream.control)
            try greedy.send(probe + #"{"method":"subscribe","more":true}"# + "\n")
            guard stream.waitForCalls(1) else { return -1 }
            // The connections take turns: after a few requests of another one the subscription waits for the reply.
            let other = try Client(stream.control)
            try other.send(String(repeating: #"{"method":"subscribers"}"# + "\n", count: 4))
            _ = try other.lines(4)
            answer(4 << 20)
            guard stream.waitForConnections(5) else { return -1 }
            try other.send(#"{"method":"subscribers"}"# + "\n")
            _ = try other.line()
            return withExtendedLifetime((exempt, greedy)) { stream.agent.openingCount }
        }
        #expect(openings == 0)
    }

    @Test func `replies that have waited for an answer are created in turn with those of other connections`()
        async throws
    {
        let order = try await ServedStream.run { stream in
            stream.agent.answersAtOnce.withLock { $0 = false }
            let client = try Client(stream.control)
            let probe = Array(#"{"method":"probe"}"#.utf8) + [UInt8(ascii: "\n")]
            try client.send(probe)
            try client.send(String(repeating: #"{"method":"status"}"# + "\n", count: 20))
            guard stream.waitForCalls(1) else { return [String]() }
            let other = try Client(stream.control)
            try other.send(String(repeating: #"{"method":"subscribers"}"# + "\n", count: 22))
            _ = try other.lines(22)
            let order = Mutex<[String]>([])
            let descriptor = other.descriptor
            stream.agent.whenAnswered.withLock { $0 = { order.withLock { $0.append("probe") } } }
            stream.agent.whenAskedForStatus.withLock {
                $0 = { number in
                    order.withLock { $0.append("status") }
                    if number == 1 { _ = write(descriptor, probe, probe.count) }
                    // Each takes all of the time between two polls.
                    let end = ContinuousClock.now + .milliseconds(3)
                    while ContinuousClock.now < end {}
                }
            }
            stream.agent.calls.withLock { $0.first?.reply(.parameters(Array("{}".utf8))) }
            _ = try client.lines(21)
            guard stream.waitForCalls(2) else { return [] }
            return withExtendedLifetime(other) { order.withLock { $0 } }
        }
        #expect(order.count(where: { $0 == "status" }) == 20)
        #expect(order.count == 21 && order.last == "status")
    }

    @Test func `a reply is created only after the client has read the ones before`() async throws {
        let (counts, replies) = try await ServedStream.run { stream in
            stream.agent.statusPadding.withLock { $0 = 1 << 20 }
            stream.agent.answersAtOnce.withLock { $0 = false }
            let client = try Client(stream.control)
            try client.send(#"{"method":"probe"}"# + "\n")
            try client.send(String(repeating: #"{"method":"status"}"# + "\n", count: 20))
            guard stream.waitForCalls(1) else { return ([Int](), 0) }
            // The connections take turns: after as many requests of another one all have been read.
            let other = try Client(stream.control)
            try other.send(String(repeating: #"{"method":"subscribers"}"# + "\n", count: 22))
            _ = try other.lines(22)
            var counts = [stream.agent.statusCount]
            stream.agent.calls.withLock { $0.first?.reply(.parameters(Array("{}".utf8))) }
            _ = try client.line()
            try other.send(#"{"method":"subscribers"}"# + "\n")
            _ = try other.line()
            counts.append(stream.agent.statusCount)
            return (counts, try (0..<20).filter { _ in try client.lineBytes()?.count ?? 0 > 1 << 20 }.count)
        }
        #expect(counts == [0, 1] && replies == 20)
    }
}
