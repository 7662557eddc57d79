public import AgentEvents

/// The settings of one sink, complete with defaults.
///
/// The agent reads them from `[sink.NAME]` and passes them to `reachagent-sink` in ``SinkDocument``. They do not
/// contain secrets, only the paths of the files with secrets.
public struct SinkSettings: Codable, Sendable, Hashable {
    /// The name: `[sink.NAME]`.
    public var name: String
    /// The broker.
    public var broker: BrokerAddress
    /// The unique name of this machine at the broker: one subject token, one topic level.
    public var device: String
    /// The types of event, with the prefix `reachagent.`, or patterns such as `reachagent.path.*`; empty for all.
    public var types: [String]
    /// The subject (NATS) or topic (MQTT) of an event: a template with `<device>`, `<type>` and `<subject>`.
    public var subject: String
    /// The NATS stream; `nil` to query the server for the stream of the subject.
    public var stream: String?
    /// The media over which the sink connects (`wifi`, `wwan`, `wired`, `other`); empty for all.
    public var media: [String]
    /// The age of the oldest waiting event, in seconds, from which on the sink connects over every medium; `nil` for
    /// never.
    public var maximumAge: Int?
    /// The maximum number of events that are sent but not acknowledged.
    public var window: Int
    /// The files with the credentials.
    public var credentials: Credentials
    /// The authorities for the broker's certificate; `nil` for those of the system.
    public var authorities: String?
    /// The SHA-256 digests of public keys, in hexadecimal, at least one of which the broker's chain must contain; MQTT
    /// only.
    public var pins: [String]
    /// The properties of MQTT; `nil` for NATS.
    public var mqtt: MQTTSettings?

    /// The files with the credentials; all paths are absolute.
    public struct Credentials: Codable, Sendable, Hashable {
        /// The user's name.
        public var user: String?
        /// The file whose first line is the password.
        public var passwordFile: String?
        /// NATS: the file whose first line is the token.
        public var tokenFile: String?
        /// NATS: the file with a JWT and a seed (`.creds`).
        public var credentialsFile: String?
        /// NATS: the file with the seed of an NKey.
        public var nkeyFile: String?
        /// The client's certificate chain, in PEM.
        public var clientCertificate: String?
        /// Its private key, in PEM.
        public var clientKey: String?

        /// Creates empty credentials.
        public init() {}
    }

    /// The default of ``window``.
    public static let standardWindow = 32

    /// The default of ``subject``.
    public static func standardSubject(of scheme: BrokerAddress.Scheme) -> String {
        scheme.isNATS ? "reachagent.<device>.<type>" : "reachagent/<device>/<type>"
    }

    /// Creates settings with the defaults.
    public init(name: String, broker: BrokerAddress, device: String) {
        self.name = name
        self.broker = broker
        self.device = device
        types = []
        subject = Self.standardSubject(of: broker.scheme)
        media = []
        window = Self.standardWindow
        credentials = Credentials()
        pins = []
        mqtt = broker.scheme.isNATS ? nil : MQTTSettings()
    }
}

/// The settings of a sink that apply only to MQTT.
public struct MQTTSettings: Codable, Sendable, Hashable {
    /// The version of the protocol.
    public enum Version: String, Codable, Sendable, Hashable, CaseIterable {
        /// MQTT 3.1.1.
        case three = "3.1.1"
        /// MQTT 5.
        case five = "5"
    }

    /// The version of the protocol.
    public var version = Version.five
    /// True to publish the retained state topic, `<prefix>/<device>/state`, with the last will `offline` in `…/status`.
    public var keepsState = true
    /// The prefix of Home Assistant's discovery topics (`homeassistant`); `nil` for none.
    public var discoveryPrefix: String?

    /// Creates the default settings.
    public init() {}
}

/// The document that passes the sinks from the agent to `reachagent-sink`: `sinks.json` beside its sockets.
public struct SinkDocument: Codable, Sendable, Hashable {
    /// The name of the file.
    public static let fileName = "sinks.json"
    /// The maximum size of the file, in bytes.
    public static let maximumBytes = 1 << 20

    /// The host's name, for people.
    public var host: String
    /// The sinks, sorted by name.
    public var sinks: [SinkSettings]

    /// Creates a document.
    public init(host: String, sinks: [SinkSettings]) {
        self.host = host
        self.sinks = sinks
    }
}

extension SinkSettings {
    /// The target, whose change makes the sink start anew.
    public var target: SinkTarget { SinkTarget(broker: broker.description, device: device) }

    /// Returns the template of the subject or topic.
    ///
    /// - Throws: ``SinkSettingError`` if ``subject`` is not valid.
    public func template() throws(SinkSettingError) -> SubjectTemplate {
        try SubjectTemplate(subject, syntax: .init(broker.scheme))
    }
}

/// The event types that a sink ships: names or patterns such as `path.*`, with or without the prefix `reachagent.`.
public struct EventFilter: Sendable, Hashable {
    private let names: Set<String>
    private let prefixes: [String]

    /// Creates a filter; without patterns, all types pass.
    public init(_ patterns: [String]) {
        let short = patterns.map(EventType.shortName(of:))
        names = Set(short.filter { $0.last != "*" })
        prefixes = short.filter { $0.last == "*" }.map { String($0.dropLast()) }
    }

    /// True if events of all types are shipped.
    public var passesAll: Bool { names.isEmpty && prefixes.isEmpty || prefixes.contains("") }

    /// Returns true if events of a type are shipped.
    public func passes(_ type: String) -> Bool {
        guard !passesAll else { return true }
        let name = EventType.shortName(of: type)
        return names.contains(name) || prefixes.contains { name.utf8.starts(with: $0.utf8) }
    }
}

/// The reason that a sink's setting is not valid: a sentence without a full stop, and without secrets.
public struct SinkSettingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
