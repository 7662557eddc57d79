internal import Configuration
internal import Glibc
internal import Logging

/// The process's own log, on standard error.
enum AgentLogger {
    /// The maximum time for which the end of the process waits for a slow reader of the log.
    private static let patience: Duration = .seconds(1)
    private static let log = AgentLog(STDERR_FILENO, form: .of(STDERR_FILENO))

    /// A logger that writes to the log.
    static func make() -> Logger {
        Logger(label: "reachagent") { _ in AgentLogHandler(log: log) }
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

/// Hands what is logged to a log.
struct AgentLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    private let log: AgentLog
    private var ownLevel: Logger.Level?

    init(log: AgentLog) { self.log = log }

    /// The log's, unless this logger was given one of its own.
    var logLevel: Logger.Level {
        get { ownLevel ?? log.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let pairs = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let suffix = pairs.map { " \($0.key)=\($0.value)" }.joined()
        let reason = event.error.map { ": \($0)" } ?? ""
        log.log(event.level, "\(event.message)\(reason)\(suffix)")
    }
}
