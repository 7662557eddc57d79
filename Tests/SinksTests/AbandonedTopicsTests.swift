import Sinks
import Testing

@Suite struct AbandonedTopicsTests {
    private static func settings(_ change: (inout SinkSettings) -> Void = { _ in }) throws -> SinkSettings {
        var settings = SinkSettings(name: "home", broker: try BrokerAddress("mqtt://broker.example"), device: "edge-7")
        settings.mqtt?.discoveryPrefix = "homeassistant"
        change(&settings)
        return settings
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout SinkSettings) throws -> Void
        let hasDiscovery: Bool
        let hasState: Bool
    }

    @Test(arguments: [
        Case(testDescription: "another window", change: { $0.window = 8 }, hasDiscovery: false, hasState: false),
        Case(
            testDescription: "no discovery",
            change: { $0.mqtt?.discoveryPrefix = nil },
            hasDiscovery: true,
            hasState: false
        ),
        Case(testDescription: "no state", change: { $0.mqtt?.keepsState = false }, hasDiscovery: true, hasState: true),
        Case(testDescription: "another device", change: { $0.device = "edge-9" }, hasDiscovery: true, hasState: true),
        Case(
            testDescription: "another broker",
            change: { $0.broker = try BrokerAddress("mqtt://other.example") },
            hasDiscovery: true,
            hasState: true
        ),
        Case(
            testDescription: "NATS",
            change: {
                $0 = SinkSettings(name: "home", broker: try BrokerAddress("nats://broker.example"), device: "edge-7")
            },
            hasDiscovery: true,
            hasState: true
        ),
    ])
    func `a sink abandons the retained topics that its successor does not keep`(_ row: Case) throws {
        let settings = try Self.settings()
        var next = settings
        try row.change(&next)
        let discovery = row.hasDiscovery ? try HomeAssistant.messages(for: settings, host: "edge-7").map(\.topic) : []
        let state = row.hasState ? ["reachagent/edge-7/state"] : []
        #expect(try settings.abandonedTopics(before: next) == discovery + state)
    }
}
