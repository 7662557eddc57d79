internal import AgentEvents

/// A message that the broker retains, and sends to every new subscriber of the topic.
public struct RetainedMessage: Sendable, Hashable {
    /// The topic.
    public var topic: String
    /// The payload.
    public var payload: [UInt8]

    /// Creates a message.
    public init(topic: String, payload: [UInt8]) {
        self.topic = topic
        self.payload = payload
    }
}

/// The discovery messages of Home Assistant: the entities appear automatically, as one device.
///
/// See https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery. The state of every entity but the last one is
/// read from the retained topic of ``MachineState/payload``; the last one is the presence.
public enum HomeAssistant {
    /// Returns the messages to publish on each connection; empty without ``MQTTSettings/discoveryPrefix`` or
    /// ``MQTTSettings/keepsState``.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - host: The host's name, for people.
    ///   - version: The agent's version, for people; `nil` if it is not known.
    /// - Throws: ``SinkSettingError`` if the template of the sink is not valid.
    public static func messages(
        for settings: SinkSettings,
        host: String,
        version: String? = nil
    ) throws(SinkSettingError) -> [RetainedMessage] {
        guard let mqtt = settings.mqtt, mqtt.keepsState, let prefix = mqtt.discoveryPrefix else { return [] }
        let template = try settings.template()
        let node = identifier(settings.device)
        return entities.map { entity in
            RetainedMessage(
                topic: "\(prefix)/\(entity.component)/\(node)/\(entity.name)/config",
                payload: entity.payload(node: node, settings.device, template, host: host, version: version)
            )
        }
    }

    private static let entities = [
        Entity(
            "binary_sensor",
            "online",
            "Online",
            // As reports count: something beyond the first hop answers. Home Assistant shows None as unknown.
            template: """
                {{ 'ON' if value_json.connectivity in ['full', 'partial'] else 'OFF' if value_json.via == 'none' \
                or value_json.connectivity in ['none', 'local', 'portal'] else None }}
                """,
            deviceClass: "connectivity"
        ),
        Entity(
            "sensor",
            "connectivity",
            "Connectivity",
            template: "{{ value_json.connectivity }}",
            icon: "mdi:web-check"
        ),
        Entity("sensor", "via", "Medium", template: "{{ value_json.via }}", icon: "mdi:transit-connection-variant"),
        Entity(
            "sensor",
            "interface",
            "Interface",
            template: "{{ value_json.interface | default('none') }}",
            icon: "mdi:expansion-card-variant"
        ),
        Entity(
            "binary_sensor",
            "portal",
            "Captive portal",
            template: "{{ 'ON' if value_json.connectivity == 'portal' else 'OFF' }}",
            deviceClass: "problem"
        ),
        Entity(
            "sensor",
            "since",
            "State since",
            template: "{{ value_json.since | default(None) }}",
            deviceClass: "timestamp"
        ),
        Entity("binary_sensor", "status", "Reporting", deviceClass: "connectivity"),
    ]

    /// Replaces the characters that are not allowed in discovery topics and unique ids.
    private static func identifier(_ device: String) -> String {
        let scalars = device.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-": scalar
            default: "_"
            }
        }
        return "reachagent_" + String(String.UnicodeScalarView(scalars.prefix(SubjectTemplate.maximumTokenBytes)))
    }
}

/// One entity.
private struct Entity: Sendable {
    let component: String
    let name: String
    let label: String
    /// The template that reads the value from the retained state; `nil` for the presence, whose topic's payload is the
    /// value.
    let template: String?
    let deviceClass: String?
    let icon: String?

    init(
        _ component: String,
        _ name: String,
        _ label: String,
        template: String? = nil,
        deviceClass: String? = nil,
        icon: String? = nil
    ) {
        self.component = component
        self.name = name
        self.label = label
        self.template = template
        self.deviceClass = deviceClass
        self.icon = icon
    }

    /// Returns a name as entity ids allow it: lower case letters, digits, and single underscores between them.
    private static func slug(_ name: String) -> String {
        name.lowercased().split { !("a"..."z").contains($0) && !("0"..."9").contains($0) }.joined(separator: "_")
    }

    func payload(
        node: String,
        _ device: String,
        _ subjects: SubjectTemplate,
        host: String,
        version: String?
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("name", label)
            json.member("unique_id", "\(node)_\(name)")
            // Versions before 2025.10 know only `object_id`, which 2026.4 ignores; together they give no warning:
            // https://github.com/home-assistant/home-assistant.io/issues/43917.
            json.member("object_id", "\(node)_\(name)")
            json.member("default_entity_id", "\(component).\(Self.slug("\(node)_\(name)"))")
            if let template {
                json.member("state_topic", subjects.stateTopic(device: device))
                json.member("value_template", template)
                // While the device is offline, the last state is outdated.
                json.member("availability_topic", subjects.statusTopic(device: device))
            } else {
                json.member("state_topic", subjects.statusTopic(device: device))
                json.member("payload_on", "online")
                json.member("payload_off", "offline")
                json.member("entity_category", "diagnostic")
            }
            json.member("device_class", ifPresent: deviceClass)
            json.member("icon", ifPresent: icon)
            json.name("device")
            json.object { json in
                json.name("identifiers")
                json.array([node]) { $0.string($1) }
                json.member("name", host)
                json.member("manufacturer", "ReachAgent")
                json.member("sw_version", ifPresent: version)
            }
        }
        return json.bytes
    }
}
