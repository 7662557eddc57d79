import AgentTestKit
import Brokers
import Sinks
import Testing

/// The identifier of an MQTT connection, of which a broker keeps one at a time.
@Suite(.onOwnThread) struct MQTTClientIdentifierTests {
    private static func identifier(_ device: String, _ sink: String) throws -> String {
        MQTTTransport.clientIdentifier(
            of: SinkSettings(name: sink, broker: try BrokerAddress("mqtt://127.0.0.1"), device: device)
        )
    }

    @Test(
        arguments: [
            ("edge7", "home", "reachagent-edge7-home"), ("edge-7", "home", "reachagent-edge-7-home"),
            ("edge_7", "home.2", "reachagent-edge_7-home.2"), ("edge-7", "home-2", "reachagent-edge-7.home-2"),
        ]
    )
    func `a name without a hyphen follows a hyphen, one with a hyphen a dot`(
        device: String,
        sink: String,
        identifier: String
    ) throws {
        #expect(try Self.identifier(device, sink) == identifier)
    }

    @Test func `each pair of a device and a sink has an identifier of its own`() throws {
        // All names of up to three of these characters; a device's have no dot.
        func names(_ characters: String) -> [String] {
            let one = characters.map { String($0) }
            let two = one.flatMap { first in one.map { first + $0 } }
            return one + two + two.flatMap { first in one.map { first + $0 } }
        }
        var pairs: [String: String] = [:]
        for device in names("a-_") {
            for sink in names("a-_.") {
                let former = pairs.updateValue("\(device) \(sink)", forKey: try Self.identifier(device, sink))
                #expect(former == nil, "'\(former ?? "")' and '\(device) \(sink)'")
            }
        }
    }

    @Test func `the broker gets this identifier`() throws {
        let server = try RawServer([[0x20, 2, 0, 2]], then: .close)
        let settings = try mqttSink("mqtt://127.0.0.1:\(server.port)", version: .three) {
            ($0.device, $0.name) = ("edge-7", "home-2")
        }
        let loop = try mqttLoop(settings)
        loop.transport.connect()
        #expect(try loop.nextFailure().detail.contains("refuses the client id 'reachagent-edge-7.home-2'"))
    }
}
