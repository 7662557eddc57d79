internal import AgentEvents
internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import NetlinkMonitor
internal import StateClient
internal import Synchronization

/// `reachagent status --watch`: the status in place, read again after each event.
///
/// One thread sleeps until a signal, a key or an event wakes it; a second one follows the events.
final class StatusWatch: Sendable {
    /// The minimum time between two requests of the status.
    private static let pause: Duration = .milliseconds(250)
    /// The time until the next request after one without an answer.
    private static let retryPause: Duration = .seconds(1)

    /// The state of the connection, according to the event stream.
    private struct Connection {
        var hasChanges = true
        /// The socket of the agent that sends the events; `nil` before the first connection.
        var socket: String?
        /// The reason for an interruption, and its time.
        var interruption: (error: StateClientError, since: Timestamp)?
        /// The reason for the end of the events.
        var end: StateClientError?
    }

    private let client: StateClient
    private let view: StatusCommand.View
    private let signals: SignalDescriptor
    private let wakeup: Wakeup
    private let connection = Mutex(Connection())

    /// Prepares to watch; must be called before any other thread is started.
    init(socket: String?, view: StatusCommand.View) throws {
        client = StateClient(socket: socket)
        self.view = view
        signals = try SignalDescriptor(SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP)
        wakeup = try Wakeup()
    }

    /// Watches until a signal or the key q.
    ///
    /// - Throws: The reason that the agent cannot be followed.
    func run() throws(StateClientError) {
        if view.isShort { OutputReader.endWhenGone() }
        do {
            try NamedThread.start("status-events") { [self] in Blocking.run { await self.follow() } }
        } catch {
            throw .system(operation: "start a thread", errno: error.errno)
        }
        var screen = view.isShort ? nil : AlternateScreen()
        defer { screen?.leave() }
        var status: AgentStatus?
        var isAnswered = true
        var lastLine = ""
        var next = ContinuousClock.now
        while true {
            let (hasChanges, interruption, end) = connection.withLock { ($0.hasChanges, $0.interruption, $0.end) }
            if let end { throw end }
            if hasChanges, next <= .now {
                connection.withLock { $0.hasChanges = false }
                isAnswered = true
                if interruption == nil {
                    let answer = try read()
                    status = answer ?? status
                    isAnswered = answer != nil
                    // The change is known, and no other event may come for hours.
                    if !isAnswered { connection.withLock { $0.hasChanges = true } }
                }
                next = .now.advanced(by: isAnswered ? Self.pause : Self.retryPause)
            }
            if let screen {
                draw(status, isAnswered, interruption, on: screen)
            } else {
                let line = interruption.map { StatusCommand.short($0.error) } ?? status.map(view.text(of:)) ?? ""
                if line != lastLine { Terminal.print(line) }
                lastLine = line
            }
            sleep(until: hasChanges ? next : nil)
            while let signal = signals.nextNotIgnored() {
                switch signal {
                case SIGWINCH: break
                case SIGTSTP:
                    screen?.leave()
                    kill(getpid(), SIGSTOP)
                    if screen != nil { screen = AlternateScreen() }
                default: return
                }
            }
            if screen != nil, isQuitting() { return }
        }
    }

    /// Requests the status; `nil` while the agent does not answer, which the event stream reports as well.
    private func read() throws(StateClientError) -> AgentStatus? {
        let answer: [UInt8]
        let socket = connection.withLock { $0.socket } ?? client.location.path
        do throws(StateClientError) {
            answer = try AgentQuestion.answer(to: "status", socket: socket, patience: .seconds(2))
        } catch .notPermitted(let socket, let number) {
            throw .notPermitted(socket: socket, errno: number)
        } catch {
            return nil
        }
        return try StateClient.decode(AgentStatus.self, from: answer, to: "status")
    }

    private func draw(
        _ status: AgentStatus?,
        _ isAnswered: Bool,
        _ interruption: (error: StateClientError, since: Timestamp)?,
        on screen: AlternateScreen
    ) {
        let size = TerminalStyle.size(of: STDOUT_FILENO) ?? (80, 24)
        let lines = status.map(view.text(of:))?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        let footer =
            if let interruption {
                "no answer since \(Self.clock(interruption.since)); q ends; \(ForeignText.line(interruption.error.description))"
            } else if !isAnswered {
                "as of \(Self.clock(status?.time)), the agent does not answer; q ends"
            } else if lines.count >= size.rows {
                "as of \(Self.clock(status?.time)), \(lines.count - size.rows + 1) more lines; q ends"
            } else {
                "as of \(Self.clock(status?.time)); q ends"
            }
        screen.show(lines, footer: footer, on: size)
    }

    private static func clock(_ moment: Timestamp?) -> String {
        moment.map { ClockText(now: $0).brief($0) } ?? "?"
    }

    /// Sleeps until there is an event, a signal or a key.
    private func sleep(until deadline: ContinuousClock.Instant?) {
        let keys = view.isShort ? -1 : STDIN_FILENO
        var entries = [wakeup.descriptor, signals.descriptor, keys].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: deadline))
        if entries[0].revents != 0 { wakeup.reset() }
    }

    /// True if a key ends the display, or if the terminal is gone.
    private func isQuitting() -> Bool {
        var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return false }
        var keys = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(STDIN_FILENO, &keys, keys.count)
        return count <= 0 || keys.prefix(count).contains { $0 == UInt8(ascii: "q") || $0 == 4 }
    }

    /// Follows the events, each of which wakes the display.
    private func follow() async {
        var subscription = StateSubscription()
        // An event only wakes the display, which needs no missed one.
        subscription.resumesWithOldest = false
        do throws(StateClientError) {
            for try await item in client.events(subscription) {
                note { connection in
                    // The stream stays with the agent that it found first.
                    if case .connected = item { connection.socket = connection.socket ?? client.location.path }
                    connection.hasChanges = true
                    if case .interrupted(let error, _) = item {
                        let now = Timestamp(microsecondsSince1970: ObservedTime.now.microsecondsSince1970)
                        connection.interruption = (error, connection.interruption?.since ?? now)
                    } else {
                        connection.interruption = nil
                    }
                }
            }
        } catch {
            note { $0.end = error }
        }
    }

    private func note(_ change: (inout Connection) -> Void) {
        connection.withLock { change(&$0) }
        wakeup.signal()
    }
}
