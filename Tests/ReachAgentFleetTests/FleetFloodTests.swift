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

    @Test(arguments: floods)
    func `a server that sends more than was requested is cut off, and named`(beginning: String, flood: String) throws {
        let greeting =
            #"INFO {"server_id":"X","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}"# + "\r\n"
        let server = try RawServer(
            [Array(greeting.utf8)],
            then: .answers([
                ("PING", Array("PONG\r\n".utf8)), ("SUB", Array((beginning.isEmpty ? flood : beginning).utf8)),
                ("SUB", Array(String(repeating: flood, count: 50_000 / flood.utf8.count + 1).utf8)),
            ]),
            readsFirst: false
        )
        let broker = try BrokerAddress("nats://127.0.0.1:\(server.port)")
        let settings = SinkSettings(name: "fleet", broker: broker, device: "_")
        let source = FleetSource(settings: settings, template: try settings.template())
        let failure = #expect(throws: TransportFailure.self) { _ = try FleetConsumer(source, .all) }
        let reason = "127.0.0.1:\(server.port) has sent more than was requested: the connection was ended"
        #expect(failure == TransportFailure(code: "broker_protocol", detail: reason))
        #expect(failure?.exitStatus == 75)
    }
}
