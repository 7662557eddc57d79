import AgentTestKit
import Sinks
import Testing

@testable import ReachAgentFleet

/// Servers that never stop sending, and send nothing that was requested.
@Suite(.onOwnThread, .timeLimit(.minutes(2))) struct FleetFloodTests {
    /// The beginning of a message or a line, and what comes again and again.
    static let floods: [(String, String)] = [
        ("MSG a 1 2000000000\r\n", "a"), ("HMSG a 1 500000000 500000010\r\nNATS/1.0\r\n", "a"), ("MSG ", "a"),
        ("", "+OK\r\n"), ("", "MSG a 99 1000\r\n" + String(repeating: "a", count: 1000) + "\r\n"),
    ]

    private static let greeting =
        #"INFO {"server_id":"X","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}"# + "\r\n"

    private static func source(_ server: RawServer, stream: String? = nil) throws -> FleetSource {
        var settings = SinkSettings(
            name: "fleet",
            broker: try BrokerAddress("nats://127.0.0.1:\(server.port)"),
            device: "_"
        )
        settings.stream = stream
        return FleetSource(settings: settings, template: try settings.template())
    }

    private static func cutOff(_ server: RawServer) -> TransportFailure {
        let reason = "127.0.0.1:\(server.port) has sent more than was requested: the connection was ended"
        return TransportFailure(code: "broker_protocol", detail: reason)
    }

    @Test(arguments: floods)
    func `a server that sends more than was requested is cut off, and named`(beginning: String, flood: String) throws {
        let server = try RawServer(
            [Array(Self.greeting.utf8)],
            then: .answers([
                ("PING", Array("PONG\r\n".utf8)), ("SUB", Array((beginning.isEmpty ? flood : beginning).utf8)),
                ("SUB", Array(String(repeating: flood, count: 50_000 / flood.utf8.count + 1).utf8)),
            ]),
            readsFirst: false
        )
        let source = try Self.source(server)
        let failure = #expect(throws: TransportFailure.self) { _ = try FleetConsumer(source, .all) }
        #expect(failure == Self.cutOff(server))
        #expect(failure?.exitStatus == 75)
    }

    /// The answer to a request with this number; the library compares only the length and the number of its subject.
    private static func answer(_ number: Int, waiting: Int = 1, delivered: Int = 0) -> [UInt8] {
        let consumer =
            #"{"stream_name":"FLEET","name":"c","created":"2023-11-15T00:00:00Z","config":{"ack_policy":"none"},"#
            + #""num_pending":\#(waiting),"delivered":{"consumer_seq":\#(delivered),"stream_seq":\#(delivered)}}"#
        let inbox = "_INBOX." + String(repeating: "a", count: 22)
        return Array("MSG \(inbox).\(number) 2 \(consumer.utf8.count)\r\n\(consumer)\r\n".utf8)
    }

    /// Events for the subscription, which is the first one; the server claims that the others up to `total` wait.
    private static func events(_ numbers: ClosedRange<Int>, of total: Int) -> [UInt8] {
        let lines = numbers.map { number in
            let position = "\(number).\(number).1700000000000000000.\(total - number)"
            return "MSG reachagent.edge-1.other 1 $JS.ACK.FLEET.c.1.\(position) 2\r\n{}\r\n"
        }
        return Array(lines.joined().utf8)
    }

    /// Events after each of which the server claims that none waits.
    private static func flood(_ count: Int) -> [UInt8] { (1...count).flatMap { events($0...$0, of: $0) } }

    @Test(arguments: [(1000, false), (2000, true)])
    func `a server that sends more events at once than may wait is cut off, and named`(
        count: Int,
        isTooMany: Bool
    ) throws {
        let server = try RawServer(
            [Array(Self.greeting.utf8)],
            then: .answers([
                ("PING", Array("PONG\r\n".utf8)), ("CONSUMER.CREATE", Self.answer(0)),
                ("MSG.NEXT", Self.flood(count)), ("CONSUMER.INFO", Self.answer(1)),
                ("UNSUB", []),
            ]),
            readsFirst: false
        )
        let consumer = try FleetConsumer(try Self.source(server, stream: "FLEET"), .all)
        var positions: [UInt64?] = []
        let failure: TransportFailure?
        do throws(TransportFailure) {
            positions.append(try consumer.next(within: 10_000)?.position)
            // Its answer comes after all events.
            #expect(consumer.account()?.total == 1)
            positions.append(try consumer.next(within: 10_000)?.position)
            failure = nil
        } catch {
            failure = error
        }
        #expect(failure == (isTooMany ? Self.cutOff(server) : nil))
        #expect(isTooMany || positions == [1, 2])
    }

    @Test
    func `a reader that has all that it waits for ends while its server still sends`() throws {
        let events = Self.flood(1000)
        let clients = (1...40).map { _ in
            let answers = [
                ("PING", Array("PONG\r\n".utf8)), ("CONSUMER.CREATE", Self.answer(0)),
                ("CONSUMER.INFO", Self.answer(1)), ("MSG.NEXT", events),
            ]
            return (chunks: [Array(Self.greeting.utf8)], ending: RawServer.Ending.answers(answers))
        }
        let server = try RawServer(clients, readsFirst: false)
        let reading = FleetReading(source: try Self.source(server, stream: "FLEET"))
        for _ in clients {
            do throws(TransportFailure) {
                #expect(try reading.fleet(nil).unreadable == 1)
            } catch {
                #expect(error == Self.cutOff(server))
            }
        }
    }
    /// The server ends its second answer at the bytes; by its account so many of the two other events still wait.
    @Test(arguments: [(waiting: 2, readings: 1), (waiting: 1, readings: 2), (waiting: 0, readings: 2)])
    func `newest events are read again after an answer that is incomplete only if one is lost`(
        waiting: Int,
        readings: Int
    ) throws {
        let status = "NATS/1.0 409 Message Size Exceeds MaxBytes\r\n\r\n"
        let size = status.utf8.count
        let end = Array("HMSG reachagent.edge-1.other 1 \(size) \(size)\r\n\(status)\r\n".utf8)
        let start = [
            ("PING", Array("PONG\r\n".utf8)), ("CONSUMER.CREATE", Self.answer(0)),
            ("CONSUMER.INFO", Self.answer(1, waiting: 5)), ("MSG.NEXT", Self.events(1...1, of: 5)),
        ]
        let incomplete = [
            (#""batch":4"#, Self.events(2...3, of: 5) + end),
            // The third request for an answer, which is for the account again.
            (".2 0\r\n", Self.answer(2, waiting: waiting, delivered: 3)),
            (#""batch":2"#, waiting == 2 ? Self.events(4...5, of: 5) : Self.events(5...5, of: 5) + end), ("UNSUB", []),
        ]
        let complete = [(#""batch":4"#, Self.events(2...5, of: 5)), ("UNSUB", [])]
        let clients = [incomplete, complete].prefix(readings).map { answers in
            (chunks: [Array(Self.greeting.utf8)], ending: RawServer.Ending.answers(start + answers))
        }
        let server = try RawServer(clients, readsFirst: false)
        let fleet = try FleetReading(source: Self.source(server, stream: "FLEET")).fleet(nil)
        #expect(fleet.unreadable == 5)
    }
}
