import AgentTestKit
import Brokers
import Sinks

/// A sink for a broker on the loopback.
func mqttSink(
    _ address: String,
    version: MQTTSettings.Version = .five,
    _ change: (inout SinkSettings) -> Void = { _ in }
) throws -> SinkSettings {
    var settings = SinkSettings(name: "home", broker: try BrokerAddress(address), device: "edge7")
    settings.mqtt?.version = version
    change(&settings)
    return settings
}

/// A loop around the transport of a sink.
func mqttLoop(_ settings: SinkSettings, patience: MQTTTransport.Patience = .init()) throws -> TransportLoop {
    try TransportLoop { wake in
        try MQTTTransport(settings, host: "edge-7", version: "0.1.0", patience: patience, wake: wake)
    }
}

/// An event with a number.
func mqttMessage(_ number: UInt64, topic: String = "reachagent/edge7/path.changed", bytes: Int = 0) -> SinkMessage {
    let padding = String(repeating: "x", count: bytes)
    return SinkMessage(
        sequence: number,
        subject: topic,
        id: "\(AgentLines.stream)-\(number)",
        payload: Array(#"{"specversion":"1.0","seq":\#(number)\#(padding)}"#.utf8)
    )
}
