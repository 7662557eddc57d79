internal import ArgumentParser
internal import Glibc
internal import Logging
internal import ServiceSupport

/// The minimum severity of logged messages.
enum SinkLogLevel: String, ExpressibleByArgument, CaseIterable {
    case debug, info, notice, warning, error
}

/// The program's log, on standard error.
enum SinkLog {
    /// The maximum time for which the end of the program waits for a slow reader of the log.
    private static let patience: Duration = .milliseconds(300)
    private static let log = ProgramLog(STDERR_FILENO, of: "reachagent-sink", format: .of(STDERR_FILENO))

    /// Sets the level, immediately and for all threads.
    static func setLevel(_ level: SinkLogLevel) {
        log.level = Logger.Level(rawValue: level.rawValue) ?? .notice
    }

    /// Logs a message.
    static func write(_ level: Logger.Level, _ text: @autoclosure () -> String) {
        guard level >= log.level else { return }
        log.log(level, text())
    }

    /// Logs the reason for the program's end.
    static func fail(_ text: String) {
        log.write([text], level: .error)
        finish()
    }

    /// Flushes buffered messages, and waits briefly for the rest.
    static func finish() { log.finish(within: patience) }
}
