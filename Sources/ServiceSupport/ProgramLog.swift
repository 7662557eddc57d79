internal import AgentEvents
package import Logging
internal import Synchronization

/// The log of a process, with its level, format and destination.
///
/// Safe to use from any thread, and never blocks; see ``LogWriter``.
package final class ProgramLog: Sendable {
    /// The format of messages.
    package let format: LogFormat
    private let program: String
    private let writer: LogWriter
    private let threshold = Mutex(Logger.Level.notice)
    private let limiter: Mutex<LogLimiter>

    /// Creates a log that writes to a descriptor.
    ///
    /// - Parameter program: The name of the program, which is included in the plain format.
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

    /// The lowest level that is written.
    package var level: Logger.Level {
        get { threshold.withLock { $0 } }
        set { threshold.withLock { $0 = newValue } }
    }

    /// Writes a message regardless of ``level``, subject to the rate limit.
    package func log(_ level: Logger.Level, _ text: String) {
        let message = LogLimiter.Message(level: level, text: text)
        // Written with the lock held, so that reports of other messages stay next to this message.
        limiter.withLock { limiter in write(limiter.take(message, at: .now)) }
    }

    /// Writes requested lines, regardless of the level and the rate limit.
    package func write(_ lines: [String], level: Logger.Level) {
        limiter.withLock { limiter in
            write(limiter.rest())
            write(lines.map { LogLimiter.Message(level: level, text: $0) })
        }
    }

    /// Logs the number of suppressed messages, and waits until everything is written, up to a timeout.
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

/// A handler that passes messages to a log.
package struct ProgramLogHandler: LogHandler {
    /// The metadata that is added to each message.
    package var metadata: Logger.Metadata = [:]
    private let log: ProgramLog
    private var ownLevel: Logger.Level?

    /// Creates a handler that passes all messages to a log.
    package init(log: ProgramLog) { self.log = log }

    /// The level of this logger, by default that of the log.
    package var logLevel: Logger.Level {
        get { ownLevel ?? log.level }
        set { ownLevel = newValue }
    }

    /// The metadata value of a key.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Logs a message with its metadata.
    package func log(event: LogEvent) {
        let pairs = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let suffix = pairs.map { " \($0.key)=\($0.value)" }.joined()
        let reason = event.error.map { ": \($0)" } ?? ""
        log.log(event.level, "\(event.message)\(reason)\(suffix)")
    }
}
