import AgentEvents
import AgentTestKit
import Foundation
import NotificationBus
import StateSocket
import Synchronization
import Testing

/// Connections that come, go, and stay half open.
struct ConnectionTests {
    @Test func `a client that shuts down its sending side keeps receiving`() async throws {
        let numbers = try await ServedStream.run { stream in
            let clients = [try Client(stream.events), try Client(stream.control)]
            try clients[1].send(#"{"method":"subscribe","more":true}"# + "\n")
            for client in clients { client.shutSending() }
            for client in clients { _ = try client.lines(2) }
            for _ in 0..<10 { stream.publish() }
            return try clients.map { try $0.sequences(through: 10) }
        }
        #expect(numbers == [Array(1...10), Array(1...10)])
    }

    @Test func `a client that connects before the server accepts waits, and is answered then`() async throws {
        let (early, late, reply) = try await onThread {
            let stream = try ServedStream(accepting: false)
            defer { stream.stop() }
            let clients = [try Client(stream.control), try Client(stream.events)]
            try clients[0].send(#"{"method":"status"}"# + "\n")
            stream.publish()
            // The server's thread has had its turn and has taken nobody.
            let turn = DispatchSemaphore(value: 0)
            stream.server.whenFree { turn.signal() }
            turn.wait()
            let early = stream.server.connectionCount
            stream.server.accept()
            stream.server.accept()
            let reply = try clients[0].line()
            _ = try clients[1].lines(2)
            return (early, stream.server.connectionCount, reply)
        }
        #expect((early, late) == (0, 2))
        #expect(reply?.hasPrefix(#"{"parameters":{"#) == true, "\(reply ?? "")")
    }

    @Test func `a client that waits to be accepted is disconnected when the server stops`() async throws {
        let failures = try await onThread {
            let stream = try ServedStream(accepting: false)
            let clients = [try Client(stream.control), try Client(stream.events)]
            stream.stop()
            stream.server.accept()
            return clients.map { client in
                #expect(throws: Client.Failure.self) { try client.linesToEnd() }?.number
            }
        }
        #expect(failures == [ECONNRESET, ECONNRESET])
    }

    @Test func `a request that comes while others have hundreds is answered after a few of them`() async throws {
        let (before, all) = try await ServedStream.run { stream in
            let late = try Client(stream.control)
            stream.agent.whenAskedForStatus.withLock {
                $0 = { [descriptor = late.descriptor] number in
                    // The server's thread is here: it reads this after the requests that it has read already.
                    if number == 1 { _ = send(descriptor, #"{"method":"hooks"}"# + "\n", 19, 0) }
                    // The time that an answer takes; nothing waits for anything here.
                    usleep(1000)
                }
            }
            let before = Mutex(Int.max)
            stream.agent.whenAnswered.withLock { $0 = { before.withLock { $0 = stream.agent.statusCount } } }
            let greedy = try (0..<16).map { _ in try Client(stream.control) }
            for client in greedy { try client.send(String(repeating: #"{"method":"status"}"# + "\n", count: 50)) }
            for client in greedy { _ = try client.lines(50) }
            _ = try late.line()
            return (before.withLock { $0 }, stream.agent.statusCount)
        }
        #expect(all == 800)
        #expect(before < 200)
    }

    @Test func `a client that is gone is noticed while nothing happens`() async throws {
        let isGone = try await ServedStream.run { stream in
            var clients = [try Client(stream.events), try Client(stream.control), try Client(stream.events)]
            clients[2].shutSending()
            guard stream.waitForConnections(3) else { return false }
            _ = try clients[2].lines(2)
            clients = []
            return stream.waitForConnections(0)
        }
        #expect(isGone)
    }

    @Test func `input on the events socket is not kept, and a client that keeps sending is throttled`() async throws {
        let (sent, numbers) = try await ServedStream.run { stream in
            let client = try Client(stream.events)
            let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
            let sent = client.sendWhileRead(bytes, limit: 64 << 20)
            _ = try client.lines(2)
            stream.publish()
            return (sent, try client.sequences(through: 1))
        }
        #expect(sent < 4 << 20)
        #expect(numbers == [1])
    }

    @Test func `input after a subscription on the same connection is ignored`() async throws {
        let lines = try await ServedStream.run { stream in
            let client = try Client(stream.control)
            try client.send(
                #"{"method":"status"}"# + "\n" + #"{"method":"subscribe","more":true}"# + "\n" + #"{"method":"status"}"#
                    + "\n"
            )
            let opening = try client.lines(3)
            try client.send(#"{"method":"dance"}"# + "\n")
            stream.publish()
            stream.publish(.agentStopping)
            stream.stop()
            return opening + (try client.linesToEnd())
        }
        #expect(lines.count == 6)
        #expect(lines.dropFirst().filter { $0.contains("specversion") }.count == 4)
        #expect(lines.last == #"{"error":"agent_stopping","parameters":{"last_seq":2}}"#)
    }

    @Test func `a connection beyond the limit gets an error, and the limit survives a flood`() async throws {
        let (refusals, remaining, served) = try await ServedStream.run(configure: { $0.maximumConnections = 4 }) {
            stream in
            var admitted = try (0..<4).map { _ in try Client(stream.events) }
            for client in admitted { _ = try client.lines(2) }
            let flood = try (0..<500).map { try Client($0 % 2 == 0 ? stream.events : stream.control) }
            let refusals = try flood.map { try $0.linesToEnd() }
            let remaining = stream.server.connectionCount
            admitted = []
            guard stream.waitForConnections(0) else { return (refusals, remaining, 0) }
            return (refusals, remaining, try Client(stream.events).lines(2).count)
        }
        #expect(refusals.allSatisfy { $0 == [#"{"error":"too_many_connections","parameters":{"limit":4}}"#] })
        #expect(refusals.count == 500 && remaining == 4 && served == 2)
    }

    @Test func `a flood of clients that send half a word and disconnect leaves nothing behind`() async throws {
        let isEmpty = try await ServedStream.run { stream in
            for round in 0..<500 {
                let client = try Client(round % 2 == 0 ? stream.control : stream.events)
                _ = client.sendWithoutWaiting(Array(#"{"method":"sta"#.utf8))
            }
            return stream.waitForConnections(0)
        }
        #expect(isEmpty)
    }

    @Test(arguments: [0, 1, 63, 64])
    func `the end of the bus closes connections without a request or a stream`(count: Int) async throws {
        let lines = try await ServedStream.run { stream in
            let idle = try Client(stream.control)
            guard stream.waitForConnections(1) else { return ["no connection"] }
            for _ in 0..<count { stream.publish() }
            stream.bus.finish()
            return try idle.linesToEnd()
        }
        #expect(lines.isEmpty)
    }

    @Test func `on shutdown every subscriber gets the last event, and control subscribers the reason`() async throws {
        let (events, control, idle, files, again) = try await onThread {
            let stream = try ServedStream()
            let clients = [try Client(stream.events), try Client(stream.control), try Client(stream.control)]
            try clients[1].send(#"{"method":"subscribe","more":true}"# + "\n")
            _ = try clients[0].lines(2)
            _ = try clients[1].lines(2)
            for _ in 0..<1000 { stream.publish(padding: 300) }
            stream.publish(.agentStopping, subject: "agent")
            stream.bus.finish()
            Thread.detachNewThread { stream.server.stop(within: .seconds(10)) }
            let ends = try clients.map { try $0.linesToEnd() }
            stream.server.stop(within: .seconds(10))
            let files = try FileManager.default.contentsOfDirectory(atPath: stream.directory).filter {
                $0.hasSuffix(".sock")
            }
            var again: StateSocketError?
            do throws(StateSocketError) { try stream.server.start() } catch { again = error }
            return (ends[0], ends[1], ends[2], files, again)
        }
        #expect(events.count == 1001 && control.count == 1002)
        #expect(events.last?.contains("reachagent.agent.stopping") == true)
        #expect(control.last == #"{"error":"agent_stopping","parameters":{"last_seq":1001}}"#)
        #expect(idle.isEmpty && files.isEmpty)
        #expect(again?.cause == .startedBefore)
    }

    @Test(arguments: [false, true])
    func `shutdown waits for no client beyond its deadline`(isBusFinished: Bool) async throws {
        let (took, lines) = try await onThread {
            let stream = try ServedStream()
            let stuck = try Client(stream.events)
            let client = try Client(stream.control)
            try client.send(#"{"method":"subscribe","more":true}"# + "\n")
            _ = try client.lines(2)
            for _ in 0..<2000 { stream.publish(padding: 400) }
            if isBusFinished { stream.bus.finish() }
            let numbers = try client.sequences(through: 2000).count
            let start = ContinuousClock.now
            stream.server.stop(within: .milliseconds(300))
            let took = start.duration(to: .now)
            withExtendedLifetime(stuck) {}
            return (took, (numbers, try client.linesToEnd()))
        }
        #expect(took >= .milliseconds(250) && took < .seconds(10))
        #expect(lines.0 == 2000)
        #expect(lines.1 == [#"{"error":"agent_stopping","parameters":{"last_seq":2000}}"#])
    }
}
