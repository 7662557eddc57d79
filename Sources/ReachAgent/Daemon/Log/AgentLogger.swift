internal import CommandText
internal import Configuration
internal import Glibc
internal import Logging
internal import ServiceSupport

/// The process's own log, on standard error.
enum AgentLogger {
    /// The maximum time for which the end of the process waits for a slow reader of the log.
    private static let patience: Duration = .seconds(1)
    private static let log = ProgramLog(STDERR_FILENO, of: "reachagent", form: .of(STDERR_FILENO))

    /// A logger that writes to the log.
    static func make() -> Logger {
        Logger(label: "reachagent") { _ in ProgramLogHandler(log: log) }
    }

    /// Takes a level into use, at once and for all loggers; without one it is `notice`.
    static func setLevel(_ level: LogLevel?) {
        log.level = level.flatMap { Logger.Level(rawValue: $0.rawValue) } ?? .notice
    }

    /// Writes what somebody has asked to have in the log, a line each.
    static func write(_ lines: [String]) { log.write(lines, level: .notice) }

    /// Tells why a command fails: as an error in the journal, and elsewhere as commands do.
    ///
    /// What was logged before stands before it.
    static func fail(_ text: String) {
        finish()
        if log.form == .journal {
            log.write([text], level: .error)
            finish()
        } else {
            Terminal.printError("reachagent: \(text)")
        }
    }

    /// Tells what the log has held back, and waits shortly for what is not written yet.
    static func finish() { log.finish(within: patience) }
}
