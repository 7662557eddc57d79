internal import Sinks

/// The retained messages of a sink: the presence, the state, and Home Assistant's discovery.
struct MQTTRetained {
    /// True if the broker retains the state and the presence.
    let keepsState: Bool
    /// The messages to publish at the start of a connection.
    let greetings: [RetainedMessage]
    /// The last will: `offline`; `nil` if the broker retains nothing.
    let farewell: RetainedMessage?

    private let stateTopic: String

    /// Creates the messages of a sink.
    ///
    /// - Throws: ``SinkSettingError`` if the topic of the settings is not valid.
    init(_ settings: SinkSettings, host: String, version: String?) throws(SinkSettingError) {
        let template = try settings.template()
        keepsState = settings.mqtt?.keepsState ?? false
        stateTopic = template.stateTopic(device: settings.device)
        guard keepsState else {
            greetings = []
            farewell = nil
            return
        }
        let status = template.statusTopic(device: settings.device)
        farewell = RetainedMessage(topic: status, payload: Array("offline".utf8))
        greetings =
            [RetainedMessage(topic: status, payload: Array("online".utf8))]
            + (try HomeAssistant.messages(for: settings, host: host, version: version))
    }

    /// Returns the message of a state.
    func state(_ payload: [UInt8]) -> RetainedMessage { RetainedMessage(topic: stateTopic, payload: payload) }
}
