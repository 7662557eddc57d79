package import Logging

/// Hands what is logged to a log.
package struct ProgramLogHandler: LogHandler {
    /// The pairs that each message gets.
    package var metadata: Logger.Metadata = [:]
    private let log: ProgramLog
    private var ownLevel: Logger.Level?

    /// A handler that hands everything to a log.
    package init(log: ProgramLog) { self.log = log }

    /// The log's, unless this logger was given one of its own.
    package var logLevel: Logger.Level {
        get { ownLevel ?? log.level }
        set { ownLevel = newValue }
    }

    /// A pair that each message gets.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Logs a message with its pairs.
    package func log(event: LogEvent) {
        let pairs = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let suffix = pairs.map { " \($0.key)=\($0.value)" }.joined()
        let reason = event.error.map { ": \($0)" } ?? ""
        log.log(event.level, "\(event.message)\(reason)\(suffix)")
    }
}
