internal import Glibc
internal import Logging

/// Log messages on standard error: one line each, with the priority that journald understands in front when it listens.
struct StandardErrorLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .notice
    private let isJournal: Bool

    init(isJournal: Bool) { self.isJournal = isJournal }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let prefix = isJournal ? "<\(priority(event.level))>" : "reachagent: \(event.level): "
        let pairs = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let suffix = pairs.map { " \($0.key)=\($0.value)" }.joined()
        Terminal.printError("\(prefix)\(event.message)\(suffix)")
    }

    /// syslog(3) priorities.
    private func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

enum AgentLogger {
    /// The agent's logger.
    ///
    /// systemd sets `JOURNAL_STREAM` where standard error is connected to its journal.
    static func make() -> Logger {
        let isJournal = getenv("JOURNAL_STREAM") != nil
        return Logger(label: "reachagent") { _ in StandardErrorLogHandler(isJournal: isJournal) }
    }
}
