internal import AgentEvents
internal import Probes
internal import Sinks

/// The keys of `[sink.NAME]`.
struct SinkKeys: KeyTable {
    let url = Key(
        "url",
        required: .brokerAddress,
        example: "\"tls://nats.example.org\"",
        """
        The broker: `nats://HOST:PORT` or `tls://…` for NATS, several servers of a cluster with commas between them; \
        `mqtt://HOST:PORT` or `mqtts://…`. At most 16 sinks
        """
    )
    let device = Key(
        "device",
        optional: .deviceName,
        says: "made of the machine's id",
        example: "\"edge-7\"",
        """
        The name of this machine among all at the broker: up to 64 letters, digits, `-` and `_`. Without it, 32 digits that \
        are made of the machine's id (machine-id(5)) and do not reveal it
        """
    )
    let types = Key(
        "types",
        ValueFormat<String>.shippedType.oneOrMore(0...64),
        default: [],
        says: "all",
        example: "[\"reachability.changed\", \"probe.*\"]",
        "The types of event that are shipped, without `reachagent.`; `path.*` matches all with that prefix ([events.md](events.md))"
    )
    let subject = Key(
        "subject",
        optional: .template(.subject),
        says: "`\"\(SinkSettings.standardSubject(of: .nats))\"`",
        example: "\"plants.7.<device>.<type>\"",
        for: .nats,
        "NATS: the subject of an event, with `<device>`, `<type>` and `<subject>` for its own"
    )
    let stream = Key(
        "stream",
        optional: .streamName,
        says: "the one that takes the subject",
        example: "\"REACHAGENT\"",
        for: .nats,
        "NATS: the JetStream stream"
    )
    let topic = Key(
        "topic",
        optional: .template(.topic),
        says: "`\"\(SinkSettings.standardSubject(of: .mqtt))\"`",
        example: "\"plants/7/<device>/<type>\"",
        for: .mqtt,
        "MQTT: the topic of an event, likewise"
    )
    let when = Key(
        "when",
        ValueFormat<Medium>.choice.oneOrMore(0...4),
        default: [],
        says: "always",
        example: "[\"wifi\", \"wired\"]",
        "The media over which it connects: \(ValueFormat<Medium>.words)"
    )
    let maxAge = Key(
        "max_age",
        optional: .duration(.seconds(60) ... .seconds(365 * 86_400)),
        example: "\"12h\"",
        "The age of the oldest waiting event from which on it connects over any medium: at least `\"1m\"`"
    )
    let window = Key(
        "window",
        .integer(1...1024),
        default: SinkSettings.standardWindow,
        "The maximum number of events that are sent and not acknowledged yet"
    )
    let user = Key("user", optional: .string(1...256), example: "\"edge-7\"", "The user's name")
    let passwordFile = Key(
        "password_file",
        optional: .sinkPath,
        example: "\"/etc/reachagent/broker.password\"",
        "A file whose first line is the password"
    )
    let tokenFile = Key(
        "token_file",
        optional: .sinkPath,
        example: "\"/etc/reachagent/nats.token\"",
        for: .nats,
        "NATS: a file whose first line is the token"
    )
    let credentialsFile = Key(
        "credentials_file",
        optional: .sinkPath,
        example: "\"/etc/reachagent/edge-7.creds\"",
        for: .nats,
        "NATS: a file with a JWT and its seed (`.creds`)"
    )
    let nkeyFile = Key(
        "nkey_file",
        optional: .sinkPath,
        example: "\"/etc/reachagent/edge-7.nk\"",
        for: .nats,
        "NATS: a file whose first line is the seed of an NKey"
    )
    let clientCertificate = Key(
        "client_certificate",
        optional: .sinkPath,
        example: "\"/etc/reachagent/client.pem\"",
        "The client's certificate and its authorities, in PEM"
    )
    let clientKey = Key(
        "client_key",
        optional: .sinkPath,
        example: "\"/etc/reachagent/client.key\"",
        "Its private key, in PEM; both or neither"
    )
    let caFile = Key(
        "ca_file",
        optional: .sinkPath,
        says: "the system's roots",
        example: "\"/etc/reachagent/our-ca.pem\"",
        "A file with these roots instead"
    )
    let pins = Key(
        "pins",
        optional: ValueFormat<PublicKeyPin>.pin.list(1...64),
        example: "[\"sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\"]",
        "MQTT: hashes of public keys, of which the broker's chain must have one; for NATS name the authority in `ca_file`"
    )
    let mqttVersion = Key(
        "mqtt_version",
        .choice,
        default: MQTTSettings().version,
        for: .mqtt,
        "MQTT: \(ValueFormat<MQTTSettings.Version>.words)"
    )
    let keepState = Key(
        "keep_state",
        .boolean,
        default: MQTTSettings().keepsState,
        for: .mqtt,
        "MQTT: keep the state at the broker (`reachagent/<device>/state`), and `online` or `offline` (`…/status`)"
    )
    let homeAssistant = Key(
        "home_assistant",
        optional: .topicPrefix,
        example: "\"homeassistant\"",
        for: .mqtt,
        "MQTT: the prefix of the topics by which Home Assistant discovers this machine"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}
