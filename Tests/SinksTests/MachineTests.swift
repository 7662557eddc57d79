import AgentEvents
import Sinks
import Testing

/// The retained state, and the messages that make Home Assistant show it.
struct MachineTests {
    private let since = Timestamp(microsecondsSince1970: 1_700_000_000_000_000)

    @Test("the state payload holds the known values")
    func payload() {
        let full = MachineState(connectivity: .full, via: .wifi, interface: "wlan0", since: since)
        #expect(
            String(decoding: full.payload, as: UTF8.self)
                == #"{"connectivity":"full","via":"wifi","interface":"wlan0","since":"2023-11-14T22:13:20.000000Z"}"#
        )
        let portal = MachineState(connectivity: .portal, via: .wifi, portalURL: "http://login/\"x\"")
        #expect(
            String(decoding: portal.payload, as: UTF8.self)
                == #"{"connectivity":"portal","via":"wifi","portal":"http://login/\"x\""}"#
        )
        let early = MachineState(connectivity: .none, via: .none, since: Timestamp(microsecondsSince1970: 36_000_000))
        #expect(String(decoding: early.payload, as: UTF8.self) == #"{"connectivity":"none","via":"none"}"#)
    }

    @Test("the state follows snapshots and settled changes, and no other event")
    func events() throws {
        let state = ReachabilityState(
            via: .wired,
            afStatus: 2,
            connectivity: .full,
            path: .init(Path(via: .wired, interface: "eth0"))
        )
        let lost = ReachabilityState(via: .none, afStatus: 0, path: .init(Path(via: .none)))
        let change = StateChange(from: state, to: lost, cause: .init(kind: "link", code: "link_down"), observed: since)
        func event(_ type: EventType, _ content: AgentEvent.Content) -> AgentEvent {
            Event(.init(type, content), from: .init(streamID: "s", host: "h"), at: since, number: 1).value
        }
        let snapshot = NetworkSnapshot(
            state: state,
            since: since,
            targets: [],
            interfaces: [],
            defaultRoutes: [],
            isSynchronized: true
        )
        #expect(
            MachineState(event(.networkSnapshot, .networkSnapshot(snapshot)))
                == MachineState(connectivity: .full, via: .wired, interface: "eth0", since: since)
        )
        #expect(
            MachineState(event(.reachabilityChanged, .reachabilityChanged(change)))
                == MachineState(connectivity: .unknown, via: .none, since: since)
        )
        #expect(MachineState(event(.pathChanged, .pathChanged(change))) == nil)
    }

    @Test("each discovery message has the topics of its own device, and is one JSON object")
    func discovery() throws {
        var settings = SinkSettings(name: "home", broker: try BrokerAddress("mqtt://ha"), device: "edge 7/ü")
        settings.subject = "site/<device>/<type>"
        settings.mqtt?.discoveryPrefix = "homeassistant"
        let messages = try HomeAssistant.messages(for: settings, host: "Küche \"1\"", version: "1.2")
        #expect(messages.count == 7)
        #expect(Set(messages.map(\.topic)).count == 7)
        for message in messages {
            #expect(message.topic.hasPrefix("homeassistant/") && message.topic.hasSuffix("/config"))
            #expect(message.topic.firstRange(of: "/reachagent_edge_7__/") != nil)
            let fields = try EventDecoder.decode(Discovery.self, from: message.payload)
            let isPresence = fields.state_topic == "site/edge_7_ü/status"
            #expect(isPresence || fields.state_topic == "site/edge_7_ü/state")
            #expect(fields.availability_topic == (isPresence ? nil : "site/edge_7_ü/status"))
            #expect(fields.device.name == "Küche \"1\"")
            #expect(fields.unique_id.hasPrefix("reachagent_edge_7___"))
            #expect(fields.object_id == fields.unique_id)
        }
    }

    @Test("each entity is offered an id of its kind in both spellings that Home Assistant has had")
    func entityIDs() throws {
        var settings = SinkSettings(name: "home", broker: try BrokerAddress("mqtt://ha"), device: "Edge-7/ü")
        settings.mqtt?.discoveryPrefix = "homeassistant"
        let identifiers = try HomeAssistant.messages(for: settings, host: "h").map {
            try EventDecoder.decode(Discovery.self, from: $0.payload).default_entity_id
        }
        #expect(
            identifiers == [
                "binary_sensor.reachagent_edge_7_online", "sensor.reachagent_edge_7_connectivity",
                "sensor.reachagent_edge_7_via", "sensor.reachagent_edge_7_interface",
                "binary_sensor.reachagent_edge_7_portal", "sensor.reachagent_edge_7_since",
                "binary_sensor.reachagent_edge_7_status",
            ]
        )
    }

    @Test("Home Assistant is online where reports count as available, and unknown without a verdict")
    func online() throws {
        var settings = SinkSettings(name: "home", broker: try BrokerAddress("mqtt://ha"), device: "edge")
        settings.mqtt?.discoveryPrefix = "homeassistant"
        let message = try #require(
            try HomeAssistant.messages(for: settings, host: "h").first { $0.topic.hasSuffix("/online/config") }
        )
        #expect(
            try EventDecoder.decode(Discovery.self, from: message.payload).value_template == """
                {{ 'ON' if value_json.connectivity in ['full', 'partial'] else 'OFF' if value_json.via == 'none' \
                or value_json.connectivity in ['none', 'local', 'portal'] else None }}
                """
        )
    }

    private struct Discovery: Decodable {
        struct Device: Decodable {
            var name: String
        }

        var state_topic: String
        var availability_topic: String?
        var value_template: String?
        var unique_id: String
        var object_id: String
        var default_entity_id: String
        var device: Device
    }

    @Test("without a prefix, without a state, or with NATS, nothing is published")
    func none() throws {
        var settings = SinkSettings(name: "home", broker: try BrokerAddress("mqtt://ha"), device: "edge")
        #expect(try HomeAssistant.messages(for: settings, host: "h").isEmpty)
        settings.mqtt?.discoveryPrefix = "homeassistant"
        settings.mqtt?.keepsState = false
        #expect(try HomeAssistant.messages(for: settings, host: "h").isEmpty)
        let nats = SinkSettings(name: "n", broker: try BrokerAddress("nats://n"), device: "edge")
        #expect(try HomeAssistant.messages(for: nats, host: "h").isEmpty)
    }
}
