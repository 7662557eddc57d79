import AgentTestKit
import Glibc
import LinuxSupport
import Testing

@testable import StateClient

/// The stream for a thread that sleeps by itself, from a scripted server.
@Suite(.onOwnThread) struct StateReaderTests {
    private static func reply(_ number: UInt64) -> String { AgentLines.reply(AgentLines.path(number)) }
    private static func hello(_ number: UInt64, oldest: UInt64 = 1) -> String {
        AgentLines.reply(AgentLines.hello(number, oldest: oldest))
    }

    private static func text(_ item: StreamItem) -> String? {
        switch item {
        case .connected(let hello): "hello \(hello.sequence)"
        case .snapshot: "snapshot"
        case .event(let line): "event \(line.sequence ?? 0)"
        case .interrupted: nil
        case .missed(let range): "missed \(range.lowerBound)-\(range.upperBound)"
        case .dropped(let count): "dropped \(count)"
        case .restarted(_, let stream): "restarted \(stream)"
        }
    }

    /// Takes items, a few lines at a time, until one of them is the last.
    private static func items(_ reader: StateReader, maximum: Int = 2, until last: String) throws -> [String] {
        let wakeup = try Wakeup()
        let end = ContinuousClock.now.advanced(by: .seconds(30))
        var texts: [String] = []
        while true {
            let items = try reader.take(maximum: maximum)
            #expect(items.count <= 2 * maximum)
            texts += items.compactMap(text)
            if texts.last == last { return texts }
            try #require(.now < end, "\(texts)")
            let deadline = min(end, reader.deadline ?? end)
            _ = wakeup.sleep(untilReady: reader.descriptor, for: POLLIN, deadline: deadline)
        }
    }

    @Test func `lines that were received already are not waited for`() throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(([Self.hello(0)] + (1...7).map(Self.reply)).joined(separator: "\n") + "\n")
            connection.waitForClose()
        })
        let reader = try StateClient(socket: agent.path).reader(StateSubscription(since: 0))
        let texts = try Self.items(reader, until: "event 7")
        #expect(texts == ["hello 0"] + (1...7).map { "event \($0)" })
        #expect(try reader.take(maximum: 2) == [])
        #expect(reader.deadline == nil)
    }

    @Test func `a connection that ends is reestablished, after the last event`() throws {
        let agent = try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: Self.hello(2), Self.reply(1), Self.reply(2))
            },
            { connection in
                connection.readLine()
                connection.send(lines: Self.hello(3), Self.reply(3))
                connection.waitForClose()
            }
        )
        let reader = try StateClient(socket: agent.path).reader(StateSubscription(since: 0))
        let texts = try Self.items(reader, until: "event 3")
        #expect(texts == ["hello 2", "event 1", "event 2", "hello 3", "event 3"])
        #expect(agent.requests.last?.contains(#""since_seq":2"#) == true)
    }

    @Test func `an agent that starts later is noticed when its socket appears`() throws {
        let path = try ScriptedAgent.newPath()
        let reader = try StateClient(socket: path).reader(StateSubscription(since: 0))
        #expect(try reader.take(maximum: 1).compactMap(Self.text) == [])
        #expect(reader.descriptor >= 0)
        let agent = try ScriptedAgent(
            at: path,
            { connection in
                connection.readLine()
                connection.send(lines: Self.hello(1), Self.reply(1))
                connection.waitForClose()
            }
        )
        #expect(try Self.items(reader, until: "event 1") == ["hello 1", "event 1"])
        withExtendedLifetime(agent) {}
    }

    /// A reader whose agent is at the last of two paths that has a socket.
    private static func reader(at paths: [String]) throws -> StateReader {
        let locate: @Sendable () -> SocketLocation = {
            SocketLocation(path: paths.last { access($0, F_OK) == 0 } ?? paths[0])
        }
        return StateReader(locate, StateSubscription(since: 0), wakeup: try Wakeup())
    }

    @Test func `an agent that starts later at another path is found`() throws {
        let paths = try [ScriptedAgent.newPath(), ScriptedAgent.newPath()]
        let reader = try Self.reader(at: paths)
        #expect(try reader.take(maximum: 1).compactMap(Self.text) == [])
        let agent = try ScriptedAgent(
            at: paths[1],
            { connection in
                connection.readLine()
                connection.send(lines: Self.hello(1), Self.reply(1))
                connection.waitForClose()
            }
        )
        #expect(try Self.items(reader, until: "event 1") == ["hello 1", "event 1"])
        withExtendedLifetime(agent) {}
    }

    @Test func `an agent that starts later in the directory that was named for its socket is found`() throws {
        let temporary = try TemporaryDirectory()
        let directory = "\(temporary.path)/agent"
        let client = StateClient(socket: directory)
        let reader = try client.reader(StateSubscription(since: 0))
        #expect(try reader.take(maximum: 1).compactMap(Self.text) == [])
        #expect(client.location.path == directory)
        try #require(mkdir(directory, 0o700) == 0)
        let agent = try ScriptedAgent(
            at: "\(directory)/control.sock",
            { connection in
                connection.readLine()
                connection.send(lines: Self.hello(1), Self.reply(1))
                connection.waitForClose()
            }
        )
        #expect(client.location.path == agent.path)
        #expect(try Self.items(reader, until: "event 1") == ["hello 1", "event 1"])
        withExtendedLifetime((temporary, agent)) {}
    }

    @Test func `a stream stays with its agent when that starts anew beside another one`() throws {
        let paths = try [ScriptedAgent.newPath(), ScriptedAgent.newPath()]
        let agent = try ScriptedAgent(
            at: paths[0],
            { connection in
                connection.readLine()
                connection.send(lines: Self.hello(1), Self.reply(1))
            },
            { connection in
                connection.readLine()
                connection.send(lines: Self.hello(2), Self.reply(2))
                connection.waitForClose()
            }
        )
        let reader = try Self.reader(at: paths)
        #expect(try Self.items(reader, until: "event 1") == ["hello 1", "event 1"])
        let other = try ScriptedAgent(at: paths[1], { $0.waitForClose() })
        #expect(try Self.items(reader, until: "event 2") == ["hello 2", "event 2"])
        withExtendedLifetime((agent, other)) {}
    }

    @Test(arguments: [false, true])
    func `an agent that takes a connection and says nothing is reported`(reconnects: Bool) throws {
        let agent = try ScriptedAgent(ScriptedAgent.silence, ScriptedAgent.answer(Self.hello(1), Self.reply(1)))
        let wakeup = try Wakeup()
        let location = SocketLocation(path: agent.path)
        let subscription = StateSubscription(since: 0, reconnects: reconnects)
        let reader = StateReader({ location }, subscription, wakeup: wakeup, patience: .seconds(1))
        guard reconnects else {
            #expect(throws: StateClientError.timedOut(socket: agent.path)) { try Self.items(reader, until: "never") }
            return
        }
        #expect(try Self.items(reader, until: "event 1") == ["hello 1", "event 1"])
        #expect(try reader.take(maximum: 1) == [])
        #expect(reader.deadline == nil)
    }

    @Test(arguments: [false, true])
    func `events that expired while the connection was lost are skipped if the subscription says so`(
        resumesWithOldest: Bool
    ) throws {
        let agent = try ScriptedAgent(
            { connection in
                connection.readLine()
                connection.send(lines: Self.hello(2), Self.reply(1), Self.reply(2))
            },
            { connection in
                connection.readLine()
                connection.send(lines: AgentLines.error("events_expired", #"{"oldest_seq":6}"#))
            },
            { connection in
                let isResumed = connection.readLine()?.contains(#""since_seq":5"#) == true
                connection.send(lines: Self.hello(8, oldest: 6))
                if isResumed { connection.send(lines: Self.reply(6), Self.reply(7), Self.reply(8)) }
                connection.send(lines: Self.reply(9))
                connection.waitForClose()
            }
        )
        var subscription = StateSubscription(since: 0)
        subscription.resumesWithOldest = resumesWithOldest
        let reader = try StateClient(socket: agent.path).reader(subscription)
        let texts = try Self.items(reader, until: "event 9")
        let before = ["hello 2", "event 1", "event 2"]
        let left = ["missed 3-5", "hello 8", "event 6", "event 7", "event 8", "event 9"]
        #expect(texts == before + (resumesWithOldest ? left : ["hello 8", "missed 3-8", "event 9"]))
    }

    @Test func `a rejected subscription is thrown, and nothing is retried`() throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: AgentLines.error("invalid_parameters", #"{"message":"no"}"#))
        })
        let reader = try StateClient(socket: agent.path).reader(StateSubscription(since: 0))
        #expect(throws: StateClientError.refused(code: "invalid_parameters", message: "no")) {
            try Self.items(reader, until: "never")
        }
        #expect(reader.descriptor < 0)
        #expect(reader.deadline == nil)
    }

    @Test func `a wait returns what arrives, and nothing once its time is over`() throws {
        let agent = try ScriptedAgent({ connection in
            connection.readLine()
            connection.send(lines: Self.hello(1), Self.reply(1))
            connection.waitForClose()
        })
        let reader = try StateClient(socket: agent.path).reader(StateSubscription(since: 0))
        let end = ContinuousClock.now.advanced(by: .seconds(30))
        var texts: [String] = []
        while texts.last != "event 1" {
            let items = try reader.wait(maximum: 8, until: end)
            try #require(!items.isEmpty, "\(texts)")
            texts += items.compactMap(Self.text)
        }
        #expect(texts == ["hello 1", "event 1"])
        let later = ContinuousClock.now.advanced(by: .milliseconds(50))
        #expect(try reader.wait(maximum: 8, until: later) == [])
        #expect(.now >= later)
    }

    @Test func `an agent that accepts no connection is waited for no longer than the wait`() throws {
        let path = try ScriptedAgent.newPath()
        // The first client is accepted, and the queue has room for another one.
        let agent = try ScriptedAgent(at: path, backlog: 0, { $0.waitForClose() })
        let clients = try (0..<2).map { _ in
            let reader = try StateClient(socket: path).reader(StateSubscription(), connectTimeout: nil)
            _ = try reader.take(maximum: 1)
            return reader
        }
        let start = ContinuousClock.now
        let subscription = StateSubscription(reconnects: false)
        let reader = try StateClient(socket: path).reader(subscription, connectTimeout: nil)
        #expect(throws: StateClientError.timedOut(socket: path)) {
            try reader.wait(maximum: 1, until: start.advanced(by: .milliseconds(200)))
        }
        // The patience with a silent agent is 10 s.
        #expect(start.duration(to: .now) < .seconds(8))
        withExtendedLifetime((agent, clients)) {}
    }
}
