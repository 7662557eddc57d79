internal import AgentEvents
package import Logging
internal import Synchronization

/// The log of a process: which messages are written, what they look like, and where they go.
///
/// Safe from any thread, and never blocks: see ``LogWriter``.
package final class ProgramLog: Sendable {
    /// The form of messages.
    package let format: LogFormat
    private let program: String
    private let writer: LogWriter
    private let threshold = Mutex(Logger.Level.notice)
    private let limiter: Mutex<LogLimiter>

    /// A log that goes to a descriptor.
    ///
    /// - Parameter program: The name of the program, for readers of files.
    package init(
        _ descriptor: Int32,
        of program: String,
        format: LogFormat,
        limits: LogLimiter.Limits = LogLimiter.Limits()
    ) {
        self.format = format
        self.program = program
        limiter = Mutex(LogLimiter(limits))
        writer = LogWriter(descriptor) { count in
            let text = "\(count) lines are missing here: they were not read in time"
            return LogLine.lines(text, of: program, level: .warning, format: format, time: .now).first ?? []
        }
    }

    /// The least important level that is written.
    package var level: Logger.Level {
        get { threshold.withLock { $0 } }
        set { threshold.withLock { $0 = newValue } }
    }

    /// Writes a message regardless of ``level``, unless there have been too many.
    package func log(_ level: Logger.Level, _ text: String) {
        let message = LogLimiter.Message(level: level, text: text)
        // Written under the lock: a report about other messages stays with this one.
        limiter.withLock { limiter in write(limiter.take(message, at: .now)) }
    }

    /// Writes requested lines, whatever the level and however many there have been.
    package func write(_ lines: [String], level: Logger.Level) {
        limiter.withLock { limiter in
            write(limiter.rest())
            write(lines.map { LogLimiter.Message(level: level, text: $0) })
        }
    }

    /// Logs the number of suppressed messages, and waits until everything is written or the time is over.
    package func finish(within patience: Duration) {
        limiter.withLock { limiter in write(limiter.rest()) }
        writer.flush(within: patience)
    }

    private func write(_ messages: [LogLimiter.Message]) {
        guard !messages.isEmpty else { return }
        let time = Timestamp.now
        writer.write(
            messages.flatMap { LogLine.lines($0.text, of: program, level: $0.level, format: format, time: time) }
        )
    }
}

/// Hands what is logged to a log.
package struct ProgramLogHandler: LogHandler {
    /// The pairs that each message gets.
    package var metadata: Logger.Metadata = [:]
    private let log: ProgramLog
    private var ownLevel: Logger.Level?

    /// A handler that hands everything to a log.
    package init(log: ProgramLog) { self.log = log }

    /// The level of the log, unless this logger was given one of its own.
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
