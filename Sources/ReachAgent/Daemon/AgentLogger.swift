internal import AgentEvents
internal import CommandText
internal import Configuration
internal import Glibc
internal import LinuxSupport
internal import Logging
internal import NetlinkMonitor
internal import ServiceSupport
internal import Synchronization

/// The process's own log, on standard error.
enum AgentLogger {
    /// The maximum time that the process waits at its end for a slow reader of the log.
    private static let patience: Duration = .seconds(1)
    private static let log = ProgramLog(STDERR_FILENO, of: "reachagent", format: .of(STDERR_FILENO))

    /// A logger that writes to the log.
    static func make() -> Logger {
        Logger(label: "reachagent") { _ in ProgramLogHandler(log: log) }
    }

    /// Sets the level of all loggers with immediate effect; the default is `notice`.
    static func setLevel(_ level: LogLevel?) {
        log.level = level.flatMap { Logger.Level(rawValue: $0.rawValue) } ?? .notice
    }

    /// Writes requested messages to the log, a line each.
    static func write(_ lines: [String]) { log.write(lines, level: .notice) }

    /// Reports why a command fails: as an error in the journal, and elsewhere as commands do.
    ///
    /// Earlier messages are written before it.
    static func fail(_ text: String) {
        finish()
        if log.format == .journal {
            log.write([text], level: .error)
            finish()
        } else {
            Terminal.printError("reachagent: \(text)")
        }
    }

    /// Logs the number of suppressed messages, and waits briefly for unwritten ones.
    static func finish() { log.finish(within: patience) }
}

/// The agent's state for its log: what `reachagent status --full` prints.
final class StateDump: Sendable {
    /// The maximum number of lines of a dump: many probes must not push everything else out of the log.
    static let maximumLines = 200
    private static let columns = 100

    private enum Request { case none, first, another }

    private let status: @Sendable () -> AgentStatus
    /// The work in progress.
    private let request = Mutex(Request.none)

    /// - Parameter status: Returns the current status; called on a thread of its own.
    init(of status: @escaping @Sendable () -> AgentStatus) { self.status = status }

    /// Logs the state, and once more if another request arrives meanwhile.
    ///
    /// Safe from any thread, and does not block: with thousands of probes formatting takes a while, so it has a thread
    /// of its own, which ends with it.
    func log() {
        let isFirst = request.withLock { request in
            defer { request = request == .none ? .first : .another }
            return request == .none
        }
        guard isFirst else { return }
        do throws(SystemError) {
            try NamedThread.start("state-dump") { [self] in
                repeat { AgentLogger.write(Self.lines(status())) } while isRequestedAgain()
            }
        } catch {
            AgentLogger.make().warning("the state cannot be logged: the system has no thread left")
            request.withLock { $0 = .none }
        }
    }

    private func isRequestedAgain() -> Bool {
        request.withLock { request in
            defer { request = request == .another ? .first : .none }
            return request == .another
        }
    }

    /// The lines, without empty ones, of which the journal keeps none.
    static func lines(_ status: AgentStatus, local: @escaping (Timestamp) -> String = \.localDescription) -> [String] {
        let style = TerminalStyle(hasColour: false, hasUnicode: false, columns: columns)
        let text = StatusText(status, style: style, now: .now, local: local).full
        let lines =
            ["the state, as 'reachagent status --full' shows it:"] + text.split(separator: "\n").map(String.init)
        return lines.cut(to: maximumLines)
    }
}
