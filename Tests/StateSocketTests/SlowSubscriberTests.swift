import Foundation
import NotificationBus
import StateSocket
import Synchronization
import Testing

/// Subscribers that read late, or never.
struct SlowSubscriberTests {
    private static func subscribe(_ client: Client) throws {
        try client.send(#"{"method":"subscribe","more":true}"# + "\n")
        _ = try client.lines(2)
    }

    @Test(arguments: [false, true])
    func `a subscriber that cannot keep up gets a last line that says so, even on a quiet stream`(onControl: Bool)
        async throws
    {
        let lines = try await ServedStream.run(configure: {
            $0.ringEvents = 100; $0.ringBytes = 50_000
        }) { stream in
            let client = try Client(onControl ? stream.control : stream.events)
            if onControl { try Self.subscribe(client) } else { _ = try client.lines(2) }
            let other = try Client(stream.events)
            _ = try other.lines(2)
            for _ in 0..<4000 { stream.publish(padding: 400) }
            // The client reads only when one that began at the same event, and reads all the time, has seen the last one
            // or has been cut off itself.
            _ = try other.sequences(through: 4000)
            return try client.linesToEnd()
        }
        let numbers = lines.compactMap { Client.sequence(of: Array($0.utf8)) }
        #expect(!numbers.isEmpty && numbers.count < 4000)
        #expect(numbers.elementsEqual(1..<UInt64(numbers.count) + 1))
        let last = try #require(lines.last)
        #expect(last.contains(#""type":"reachagent.subscriber.lagged""#))
        #expect(last.contains(#""last_seq":\#(numbers.count)}"#))
        #expect(last.hasPrefix(#"{"error":"subscriber_lagged","parameters":{"specversion""#) == onControl)
    }

    @Test func `a subscriber that never reads is cut off after a while, and its slot is freed`() async throws {
        let isFree = try await ServedStream.run(
            configure: {
                $0.ringEvents = 10; $0.ringBytes = 10_000; $0.lagPatience = .milliseconds(50)
            }
        ) { stream in
            let client = try Client(stream.events)
            guard stream.waitForConnections(1) else { return false }
            for _ in 0..<4000 { stream.publish(padding: 400) }
            defer { withExtendedLifetime(client) {} }
            return stream.waitForConnections(0)
        }
        #expect(isFree)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a subscriber that accepts no more of a replay is cut off, and resumes without a loss`() async throws {
        let journal = MemoryJournal()
        let (isClosed, lines, rest) = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = 2; $0.ringBytes = 1; $0.replayPatience = .milliseconds(20)
            }
        ) { stream in
            for _ in 0..<4000 { journal.record([stream.publish(padding: 400)].compactMap { $0 }) }
            let closed = DispatchSemaphore(value: 0)
            journal.state.withLock { $0.whenClosed = { closed.signal() } }
            let request = { (since: UInt64) in
                #"{"method":"subscribe","more":true,"parameters":{"since_seq":\#(since)}}"# + "\n"
            }
            let client = try Client(stream.control)
            try client.send(request(0))
            // Only when the journal is closed does the client read.
            let isClosed = closed.wait(timeout: .now() + 20) == .success
            let lines = try client.linesToEnd()
            journal.state.withLock { $0.whenClosed = nil }
            // On a busy machine a client that reads all the time may be cut off too, after so short a time.
            var rest: [UInt64] = []
            while rest.last ?? 0 < 4000 {
                let next = try Client(stream.control)
                try next.send(request(rest.last ?? UInt64(max(2, lines.count) - 2)))
                rest += try next.sequences(through: 4000)
            }
            return (isClosed, lines, rest)
        }
        try #require(isClosed && lines.count > 2)
        let numbers = lines.compactMap { Client.sequence(of: Array($0.utf8)) }
        let last = UInt64(lines.count) - 2
        #expect(numbers.elementsEqual(1...last) && last < 4000)
        #expect(lines.last?.hasPrefix(#"{"error":"subscriber_lagged","parameters":{"specversion""#) == true)
        #expect(lines.last?.contains(#""last_seq":\#(last)}"#) == true)
        #expect(rest.elementsEqual(last + 1...4000))
    }

    @Test func `a subscriber that never reads a replay is closed after a while`() async throws {
        let journal = MemoryJournal()
        let isFree = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = 2; $0.ringBytes = 1; $0.replayPatience = .milliseconds(20)
                $0.lagPatience = .milliseconds(20)
            }
        ) { stream in
            for _ in 0..<4000 { journal.record([stream.publish(padding: 400)].compactMap { $0 }) }
            let client = try Client(stream.control)
            // Before the request, as the connection may be closed 40 ms after it.
            guard stream.waitForConnections(1) else { return false }
            try client.send(#"{"method":"subscribe","more":true,"parameters":{"since_seq":0}}"# + "\n")
            defer { withExtendedLifetime(client) {} }
            return stream.waitForConnections(0)
        }
        #expect(isFree)
    }

    @Test func `a slow subscriber that stays within the ring loses nothing`() async throws {
        let numbers = try await ServedStream.run { stream in
            let clients = [try Client(stream.events), try Client(stream.control)]
            try Self.subscribe(clients[1])
            for _ in 0..<4000 { stream.publish(padding: 400) }
            return try clients.map { try $0.sequences(through: 4000) }
        }
        #expect(numbers.allSatisfy { $0.elementsEqual(1...4000) })
    }

    @Test(.timeLimit(.minutes(2)), arguments: [0, 4])
    func `a burst larger than the memory for events reaches a client that reads all the time`(
        beside openings: Int
    ) async throws {
        let numbers = try await ServedStream.run { stream in
            let client = try Client(stream.events)
            _ = try client.lines(2)
            let held = try stream.holdEventLoop()
            for _ in 0..<12_000 { stream.publish(padding: 500) }
            // They subscribe in the middle of the burst, and their snapshots are of its end.
            let others = try (0..<openings).map { _ in try Client(stream.events) }
            try held.client.send(String(repeating: #"{"method":"subscribers"}"# + "\n", count: openings))
            held.isReleased.signal()
            let numbers = try client.sequences(through: 12_000)
            for other in others { _ = try other.lines(2) }
            _ = try held.client.lines(1 + openings)
            return numbers
        }
        #expect(numbers.elementsEqual(1...12_000), "the last of \(numbers.count) is \(numbers.last ?? 0)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `of a thousand subscribers a hundred never read, and the others see everything`() async throws {
        let most: UInt64 = 800
        let (counts, isFull) = try await ServedStream.run(configure: { $0.ringBytes = 256 << 10 }) { stream in
            let clients = try (0..<1000).map { _ in try Client(stream.events) }
            guard stream.waitForConnections(1000) else { return ([Int](), false) }
            let readers = clients.dropFirst(100)
            // Connected is not yet subscribed: each waits for its turn, and sees what is published after that.
            for reader in readers { _ = try reader.lines(2) }
            var found: [Int] = []
            // In steps that the readers follow: the ring forgets what those who never read would need.
            for step in 1...8 {
                let last = most / 8 * UInt64(step)
                for _ in 0..<most / 8 { stream.publish(padding: 700) }
                var sum = 0
                for reader in readers { sum += try reader.sequences(through: last).count }
                found.append(sum)
            }
            return (found, true)
        }
        #expect(isFull)
        #expect(counts == Array(repeating: 900 * 100, count: 8))
    }
}
