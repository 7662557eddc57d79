internal import Brokers
internal import CommandText
internal import Sinks

/// The transports of the protocols.
enum BrokerTransports {
    /// The transport of a sink, not connected.
    ///
    /// - Parameter wake: Called from any thread when the transport has something to say.
    /// - Throws: ``SinkSettingError`` when the settings are not valid.
    static func make(
        _ settings: SinkSettings,
        host: String,
        wake: @escaping @Sendable () -> Void
    ) throws(SinkSettingError) -> any SinkTransport {
        guard settings.broker.scheme.isNATS else {
            return try MQTTTransport(settings, host: host, version: ProgramVersion.text, wake: wake)
        }
        return try NATSTransport(settings, wake: wake)
    }
}
