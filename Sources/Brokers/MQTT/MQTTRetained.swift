internal import Sinks

/// The messages of a sink that its broker keeps: the presence, the state, and Home Assistant's discovery.
struct MQTTRetained {
    /// True when the broker keeps the state and the presence.
    let keepsState: Bool
    /// The messages for the beginning of a connection.
    let greetings: [RetainedMessage]
    /// The last will: `offline`; `nil` when the broker keeps nothing.
    let farewell: RetainedMessage?

    private let stateTopic: String

    /// The messages of a sink.
    ///
    /// - Throws: ``SinkSettingError`` when the topic of the settings is not valid.
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

    /// The message of a state.
    func state(_ payload: [UInt8]) -> RetainedMessage { RetainedMessage(topic: stateTopic, payload: payload) }
}
