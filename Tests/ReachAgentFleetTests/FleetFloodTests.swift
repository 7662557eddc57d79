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
    private static func answer(_ number: Int) -> [UInt8] {
        let consumer =
            #"{"stream_name":"FLEET","name":"c","num_pending":1,"config":{"ack_policy":"none"},"#
            + #""delivered":{"consumer_seq":0,"stream_seq":0}}"#
        let inbox = "_INBOX." + String(repeating: "a", count: 22)
        return Array("MSG \(inbox).\(number) 2 \(consumer.utf8.count)\r\n\(consumer)\r\n".utf8)
    }

    /// An event for the subscription, which is the first one; the server claims that none waits after it.
    private static func event(_ number: Int) -> String {
        "MSG reachagent.edge-1.other 1 $JS.ACK.FLEET.c.1.\(number).\(number).1700000000000000000.0 2\r\n{}\r\n"
    }

    @Test(arguments: [(1000, false), (2000, true)])
    func `a server that sends more events at once than may wait is cut off, and named`(
        count: Int,
        isTooMany: Bool
    ) throws {
        let server = try RawServer(
            [Array(Self.greeting.utf8)],
            then: .answers([
                ("PING", Array("PONG\r\n".utf8)), ("CONSUMER.CREATE", Self.answer(0)),
                ("MSG.NEXT", Array((1...count).map(Self.event).joined().utf8)), ("CONSUMER.INFO", Self.answer(1)),
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
            #expect(consumer.backlog() == 1)
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
        let events = Array((1...1000).map(Self.event).joined().utf8)
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
}
