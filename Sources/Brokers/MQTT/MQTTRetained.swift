internal import Sinks

/// The retained messages of a sink: the presence, the state, and Home Assistant's discovery.
struct MQTTRetained {
    /// True if the broker retains the state and the presence.
    let keepsState: Bool

    private let discovery: [RetainedMessage]
    private let statusTopic: String
    private let stateTopic: String

    /// Creates the messages of a sink.
    ///
    /// - Throws: ``SinkSettingError`` if the topic of the settings is not valid.
    init(_ settings: SinkSettings, host: String, version: String?) throws(SinkSettingError) {
        let template = try settings.template()
        keepsState = settings.mqtt?.keepsState ?? false
        statusTopic = template.statusTopic(device: settings.device)
        stateTopic = template.stateTopic(device: settings.device)
        discovery = try HomeAssistant.messages(for: settings, host: host, version: version)
    }

    /// Returns the messages to publish at the start of a connection.
    ///
    /// - Parameters:
    ///   - isOnline: The presence.
    ///   - state: The payload of the state; `nil` if it is not known.
    func greetings(isOnline: Bool, state: [UInt8]?) -> [RetainedMessage] {
        let presence = presence(isOnline: isOnline).map { [$0] } ?? []
        return presence + discovery + (state.map { [self.state($0)] } ?? [])
    }

    /// Returns the message of the presence, of which `offline` is also the last will; `nil` if the broker retains nothing.
    func presence(isOnline: Bool) -> RetainedMessage? {
        guard keepsState else { return nil }
        return RetainedMessage(topic: statusTopic, payload: Array((isOnline ? "online" : "offline").utf8))
    }

    /// Returns the message of a state.
    func state(_ payload: [UInt8]) -> RetainedMessage { RetainedMessage(topic: stateTopic, payload: payload) }
}
