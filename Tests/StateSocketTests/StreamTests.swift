import AgentEvents
import Foundation
import NotificationBus
import StateSocket
import Synchronization
import Testing

/// The events that subscribers are sent, and their order.
struct StreamTests {
    @Test func `the server's thread calls back when it is free, or the caller when the thread has ended`()
        async throws
    {
        let (isCalled, isCalledAtOnce) = try await ServedStream.run { stream in
            let semaphore = DispatchSemaphore(value: 0)
            stream.server.whenFree { semaphore.signal() }
            let isCalled = semaphore.wait(timeout: .now() + 30) == .success
            stream.stop()
            let count = Mutex(0)
            stream.server.whenFree { count.withLock { $0 += 1 } }
            return (isCalled, count.withLock { $0 } == 1)
        }
        #expect(isCalled && isCalledAtOnce)
    }

    @Test func `a connection begins with hello and snapshot, followed by every event`() async throws {
        let lines = try await ServedStream.run { stream in
            let before = stream.publish()
            let client = try Client(stream.events)
            let opening = try client.lines(2)
            let after = (0..<3).compactMap { _ in stream.publish() }
            let live = try client.lines(3)
            return (opening, live, after.map { String(decoding: $0.line, as: UTF8.self) }, before?.sequence)
        }
        #expect(lines.0.count == 2)
        #expect(lines.0.first?.contains(#""subject":"hello""#) == true)
        #expect(lines.0.last?.contains(#""subject":"snapshot""#) == true)
        #expect(lines.1 == lines.2)
        #expect(lines.1.count == 3 && lines.3 == 1)
    }

    @Test func `the opening waits until the bus has released the events that it shows`() async throws {
        let (connections, numbers) = try await ServedStream.run { stream in
            let recorder = stream.bus.subscribeRecorder(capacity: 100)
            for _ in 0..<5 { stream.publish() }
            stream.agent.shownSequence.withLock { $0 = 5 }
            let client = try Client(stream.events)
            let control = try Client(stream.control)
            try control.send(#"{"method":"subscribe","more":true,"parameters":{"snapshot":false}}"# + "\n")
            // The server has taken the connection and the request: nothing may have been sent.
            let asking = try Client(stream.control)
            try asking.send(#"{"method":"subscribers"}"# + "\n")
            let text = try asking.line() ?? ""
            var room = [UInt8](repeating: 0, count: 16)
            let early = recv(client.descriptor, &room, room.count, Int32(MSG_DONTWAIT))
            stream.bus.release(through: 5)
            stream.publish()
            stream.bus.release(through: 6)
            _ = recorder
            let opening = try client.lines(2)
            guard early < 0, opening.count == 2 else { return (text, [[UInt64]]()) }
            return (text, [try client.sequences(through: 6), try control.sequences(through: 6)])
        }
        #expect(connections.contains(#""state":"opening""#))
        #expect(numbers == [[6], [6]])
    }

    /// Without a stream the server takes events in batches: some wait when the first stream opens.
    @Test(arguments: [1, 63, 64, 65, 200])
    func `events that were published while there was no stream are there for the next one`(count: UInt64) async throws {
        let numbers = try await ServedStream.run { stream in
            var numbers: [[UInt64]] = []
            for _ in 0..<count { stream.publish() }
            do {
                let control = try Client(stream.control)
                try control.send(#"{"method":"subscribe","more":true,"parameters":{"since_seq":0}}"# + "\n")
                numbers.append(try control.sequences(through: count))
                stream.publish()
                numbers.append(try control.sequences(through: count + 1))
            }
            guard stream.waitForConnections(0) else { return numbers }
            for _ in 0..<count { stream.publish() }
            let client = try Client(stream.events)
            _ = try client.lines(2)
            stream.publish()
            return numbers + [try client.sequences(through: 2 * count + 2)]
        }
        #expect(numbers == [Array(1...count), [count + 1], [2 * count + 2]])
    }

    static let filters: [(parameters: String, numbers: [UInt64])] = [
        (#"{}"#, [1, 2, 3, 4, 5]),
        (#"{"types":["path.changed"]}"#, [1, 4, 5]),
        (#"{"types":["reachagent.path.changed","agent.stopping"]}"#, [1, 4, 5]),
        (#"{"types":["path.*"]}"#, [1, 4, 5]),
        (#"{"types":["*"]}"#, [1, 2, 3, 4, 5]),
        (#"{"subjects":["dns"]}"#, [2, 4]),
        (#"{"types":["path.*"],"subjects":["dns"]}"#, [4]),
        (#"{"subjects":["quoted \" name"]}"#, [3]),
        (#"{"types":["path.*","target.changed"],"subjects":["dns","default"]}"#, [1, 2, 4, 5]),
    ]

    @Test(arguments: filters, [false, true])
    func `filters choose the same events live and from the journal`(
        filter: (parameters: String, numbers: [UInt64]),
        fromJournal: Bool
    ) async throws {
        let journal = MemoryJournal()
        let numbers = try await ServedStream.run(
            replay: journal,
            configure: { if fromJournal { $0.ringEvents = 1; $0.ringBytes = 1 } }
        ) {
            stream in
            let client = try Client(stream.control)
            let insert = fromJournal ? #"{"since_seq":0"# : #"{"snapshot":true"#
            let rest = filter.parameters == "{}" ? "}" : "," + filter.parameters.dropFirst()
            let request = #"{"method":"subscribe","more":true,"parameters":\#(insert)\#(rest)}"# + "\n"
            if !fromJournal {
                try client.send(request)
                _ = try client.lines(2)
            }
            let scenes: [(EventType, String)] = [
                (.pathChanged, "default"), (.targetChanged, "dns"), (.reachabilityChanged, "quoted \" name"),
                (.pathChanged, "dns"), (.pathChanged, "default"),
            ]
            journal.record(scenes.compactMap { stream.publish($0.0, subject: $0.1) })
            for _ in 0..<3 { journal.record([stream.publish(.netlinkOverrun, subject: "agent")].compactMap { $0 }) }
            journal.record([stream.publish(.agentStopping, subject: "agent")].compactMap { $0 })
            if fromJournal {
                try client.send(request)
                _ = try client.line()
            }
            stream.bus.finish()
            let lines = try client.linesToEnd()
            return lines.compactMap { Client.sequence(of: Array($0.utf8)) }.filter { $0 <= 5 }
        }
        #expect(numbers == filter.numbers)
    }

    @Test(arguments: 0..<24)
    func `a subscriber that joins during an event storm gets each number once`(seed: UInt64) async throws {
        let last: UInt64 = 6000
        let journal = MemoryJournal()
        // From a ring that has almost nothing to one that has everything.
        let ring = [8, 64, 512, 16_384][Int(seed % 4)]
        let results = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = ring; $0.ringBytes = ring * 200
            }
        ) {
            stream in
            let recorder = stream.bus.subscribeRecorder(capacity: 100_000)
            let released = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                for number in 1...last {
                    defer { released.signal() }
                    stream.publish()
                    // The journal is a little ahead of what the bus releases.
                    if number % (seed % 7 + 1) == 0 || number == last {
                        if case .notifications(let batch) = recorder.take() { journal.record(batch.map(\.content)) }
                        stream.bus.release(through: number == last ? number : number - min(number, seed % 3))
                    }
                    if number % 50 == 0 { usleep(useconds_t(seed % 5) * 100) }
                }
            }
            var results: [[UInt64]] = []
            for since in [0, 1, seed * 10, seed * 100] {
                while stream.bus.lastReleased < since { released.wait() }
                let client = try Client(stream.control)
                try client.send(
                    #"{"method":"subscribe","more":true,"parameters":{"stream":"stream-a","since_seq":\#(since)}}"#
                        + "\n"
                )
                results.append([since] + (try client.sequences(through: last)))
            }
            return results
        }
        #expect(results.count == 4)
        for result in results {
            let since = try #require(result.first)
            // In a storm, only a subscriber that cannot keep up may be cut off; its events have no gap or duplicate.
            let numbers = result.dropFirst()
            #expect(numbers.elementsEqual(since + 1..<since + 1 + UInt64(numbers.count)))
            if ring == 16_384 { #expect(numbers.last == last) }
        }
    }

    @Test func `a subscriber cut off during an event storm resumes and has each number once`() async throws {
        let last: UInt64 = 20_000
        let journal = MemoryJournal()
        let numbers = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = 16; $0.ringBytes = 4096
            }
        ) { stream in
            let recorder = stream.bus.subscribeRecorder(capacity: 100_000)
            Thread.detachNewThread {
                for number in 1...last {
                    stream.publish()
                    guard number % 5 == 0 else { continue }
                    if case .notifications(let batch) = recorder.take() { journal.record(batch.map(\.content)) }
                    stream.bus.release(through: number)
                }
            }
            var numbers: [UInt64] = []
            while numbers.last ?? 0 < last {
                let client = try Client(stream.control)
                try client.send(
                    #"{"method":"subscribe","more":true,"parameters":{"since_seq":\#(numbers.last ?? 0)}}"# + "\n"
                )
                numbers += try client.sequences(through: last)
            }
            return numbers
        }
        #expect(numbers.elementsEqual(1...last))
    }

    @Test(arguments: [1, 7, 40])
    func `a stream that replays the journal while events are published is not cut off`(published: Int) async throws {
        let last: UInt64 = 2000
        let journal = MemoryJournal()
        let numbers = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = 64; $0.ringBytes = 1 << 20
            }
        ) { stream in
            // One thread at a time, as an agent has one that records: what another has taken is not recorded yet.
            let recorder = Mutex(stream.bus.subscribeRecorder(capacity: 10_000))
            @Sendable func publish(_ count: Int) {
                recorder.withLock { recorder in
                    for _ in 0..<count where stream.bus.lastSequence < last { stream.publish() }
                    if case .notifications(let batch) = recorder.take() { journal.record(batch.map(\.content)) }
                    stream.bus.release(through: stream.bus.lastSequence)
                }
            }
            publish(1000)
            journal.state.withLock {
                $0.maximumLines = published + 10
                $0.whenRead = { publish(published) }
            }
            let client = try Client(stream.control)
            try client.send(#"{"method":"subscribe","more":true,"parameters":{"since_seq":0}}"# + "\n")
            var numbers = try client.sequences(through: 1000)
            publish(2000)
            numbers += try client.sequences(through: last)
            return numbers
        }
        #expect(numbers.elementsEqual(1...last))
    }

    @Test func `a position before the oldest event is an error, and a later gap is skipped`() async throws {
        let journal = MemoryJournal()
        let (expired, passed) = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = 2; $0.ringBytes = 1
            }
        ) { stream in
            for _ in 0..<30 { journal.record([stream.publish()].compactMap { $0 }) }
            journal.forget(before: 11)
            journal.state.withLock { $0.lines.removeAll { (15...17).contains($0.sequence) } }
            let client = try Client(stream.control)
            try client.send(#"{"method":"subscribe","more":true,"parameters":{"since_seq":9}}"# + "\n")
            let expired = try client.line()
            try client.send(#"{"method":"subscribe","more":true,"parameters":{"since_seq":10}}"# + "\n")
            return (expired, try client.sequences(through: 30))
        }
        #expect(expired == #"{"error":"events_expired","parameters":{"oldest_seq":11}}"#)
        #expect(passed == Array(11...14) + Array(18...30))
    }

    @Test func `a client that asks for it gets the state before the events after its number`() async throws {
        let (opening, numbers) = try await ServedStream.run { stream in
            for _ in 0..<5 { stream.publish() }
            let client = try Client(stream.control)
            let parameters = #"{"since_seq":2,"snapshot":true}"#
            try client.send(#"{"method":"subscribe","more":true,"parameters":\#(parameters)}"# + "\n")
            return (try client.lines(2), try client.sequences(through: 5))
        }
        #expect(opening.first?.contains(#""subject":"hello""#) == true)
        #expect(opening.last?.contains(#""subject":"snapshot""#) == true)
        #expect(numbers == Array(3...5))
    }

    static let times: [(time: String, first: UInt64)] = [
        ("1970-01-01T00:00:00Z", 1), ("1970-01-01T00:00:07Z", 7), ("1970-01-01T00:00:07.000001Z", 8),
        ("1970-01-01T00:00:30Z", 30), ("1970-01-01T00:00:31Z", 31), ("2026-11-21T07:00:00Z", 31),
    ]

    @Test(arguments: times, [2, 1000])
    func `a time begins with its first event, from the journal or from memory, and then with live ones`(
        since: (time: String, first: UInt64),
        ringEvents: Int
    ) async throws {
        let journal = MemoryJournal()
        let (hello, numbers) = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = ringEvents
                if ringEvents == 2 { $0.ringBytes = 1 }
            }
        ) { stream in
            for _ in 0..<30 { journal.record([stream.publish()].compactMap { $0 }) }
            let client = try Client(stream.control)
            let parameters = #"{"since_time":"\#(since.time)"}"#
            try client.send(#"{"method":"subscribe","more":true,"parameters":\#(parameters)}"# + "\n")
            let hello = try client.line()
            journal.record([stream.publish()].compactMap { $0 })
            return (hello, try client.sequences(through: 31))
        }
        #expect(hello?.contains(#""subject":"hello""#) == true)
        #expect(numbers == Array(since.first...31))
    }

    static let unrecorded: [(second: UInt64, recorded: [ClosedRange<UInt64>], first: UInt64)] = [
        (25, [1...20], 25), (21, [1...20], 21), (15, [1...20], 15), (31, [1...20], 31),
        (15, [1...10, 21...30], 15), (25, [1...10, 21...30], 25), (25, [], 25), (31, [], 31),
    ]

    @Test(arguments: unrecorded)
    func `a time begins with its first event also if the journal could not be written and only memory has it`(
        since: (second: UInt64, recorded: [ClosedRange<UInt64>], first: UInt64)
    ) async throws {
        let journal = MemoryJournal()
        let numbers = try await ServedStream.run(replay: journal) { stream in
            for _ in 0..<30 {
                journal.record(
                    [stream.publish()].compactMap { $0 }.filter { event in
                        since.recorded.contains { range in event.sequence.map { range.contains($0) } ?? false }
                    }
                )
            }
            let client = try Client(stream.control)
            let parameters = #"{"since_time":"1970-01-01T00:00:\#(since.second)Z"}"#
            try client.send(#"{"method":"subscribe","more":true,"parameters":\#(parameters)}"# + "\n")
            _ = try client.line()
            stream.publish()
            return try client.sequences(through: 31)
        }
        #expect(numbers == Array(since.first...31))
    }

    @Test func `a time begins with the events in memory when there is no journal`() async throws {
        let numbers = try await ServedStream.run(configure: {
            $0.ringEvents = 8; $0.ringBytes = 1
        }) { stream in
            for _ in 0..<30 { stream.publish() }
            let client = try Client(stream.control)
            let parameters = #"{"since_time":"2026-11-21T07:00:00Z"}"#
            try client.send(#"{"method":"subscribe","more":true,"parameters":\#(parameters)}"# + "\n")
            return try client.sequences(through: 30)
        }
        #expect(numbers.last == 30)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
        #expect((1..<30).contains(numbers.count))
    }

    /// The message of a journal that fails.
    private static let unreadable = "the journal cannot be read: Broken()"

    @Test func `a journal that cannot be read any more ends the replay with the last number`() async throws {
        let journal = MemoryJournal()
        let lines = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = 2; $0.ringBytes = 1
            }
        ) { stream in
            for _ in 0..<30 { journal.record([stream.publish()].compactMap { $0 }) }
            journal.state.withLock { state in
                state.maximumLines = 4
                state.whenRead = {
                    // The next part fails.
                    journal.state.withLock { $0.whenRead = { journal.state.withLock { $0.fails = true } } }
                }
            }
            let client = try Client(stream.control)
            try client.send(#"{"method":"subscribe","more":true,"parameters":{"since_seq":3}}"# + "\n")
            return try client.linesToEnd()
        }
        journal.state.withLock { $0.whenRead = nil }
        #expect(lines.count == 6)
        let parameters = #"{"message":"\#(Self.unreadable)","last_seq":7}"#
        #expect(lines.last == #"{"error":"journal_unreadable","parameters":\#(parameters)}"#)
    }

    @Test(arguments: [#""since_seq":3"#, #""since_time":"1970-01-01T00:00:03Z""#])
    func `a subscription from a journal that cannot be read fails`(position: String) async throws {
        let journal = MemoryJournal()
        let reply = try await ServedStream.run(
            replay: journal,
            configure: {
                $0.ringEvents = 2; $0.ringBytes = 1
            }
        ) { stream in
            for _ in 0..<30 { journal.record([stream.publish()].compactMap { $0 }) }
            journal.state.withLock { $0.fails = true }
            let client = try Client(stream.control)
            try client.send(
                #"{"method":"subscribe","more":true,"parameters":{\#(position)}}"# + "\n" + #"{"method":"status"}"#
                    + "\n"
            )
            return try client.lines(2)
        }
        #expect(reply.first == #"{"error":"journal_unreadable","parameters":{"message":"\#(Self.unreadable)"}}"#)
        #expect(reply.last == #"{"parameters":{"connections":1}}"#)
    }
}
