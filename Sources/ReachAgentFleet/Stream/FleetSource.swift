internal import Sinks

/// The place that a fleet's events are read from: a broker with credentials, a stream, and the subjects of the devices.
struct FleetSource: Sendable {
    /// The broker and the credentials, as a sink has them.
    let settings: SinkSettings
    /// The form of the subjects.
    let template: SubjectTemplate
}
