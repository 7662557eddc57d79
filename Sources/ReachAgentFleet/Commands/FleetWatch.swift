internal import AgentEvents
internal import Availability
internal import CommandText
internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import Sinks

/// `reachagent fleet watch` on a terminal.
///
/// This thread sleeps until a signal, a key or an event wakes it; another thread follows the events.
final class FleetWatch {
    /// The minimum intervals between two drawings: live, and while the stored events are read.
    private static let pauses: (live: Duration, reading: Duration) = (.milliseconds(500), .seconds(1))
    /// The interval at which ages are redrawn.
    private static let aging: Duration = .seconds(30)

    private let follower: FleetFollower
    private let signals: SignalDescriptor
    private let silence: Duration?
    private let color: ColorMode
    private var screen: FleetScreen
    private var rows: [FleetRow] = []
    /// The first moment of the figures; `nil` before the first connection.
    private var since: Timestamp?

    init(
        _ source: FleetSource,
        _ window: Window,
        _ screen: FleetScreen,
        silentAfter silence: Duration?,
        color: ColorMode
    ) throws {
        // Before another thread is started.
        signals = try SignalDescriptor(SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP)
        follower = try FleetFollower(source, window)
        self.screen = screen
        self.silence = silence
        self.color = color
    }

    /// Watches until a signal, or until the key q is pressed.
    ///
    /// - Throws: The reason that the first connection failed.
    func run() throws {
        try follower.start()
        var terminal = AlternateScreen()
        defer { terminal.leave() }
        var due = ContinuousClock.now
        while true {
            let (hasChanges, backlog, end) = follower.withState { ($0.hasChanges, $0.backlog, $0.end) }
            if let end { throw end }
            if due <= .now {
                count()
                draw(on: terminal)
                let isReading = hasChanges && backlog > 0
                due = .now + (isReading ? Self.pauses.reading : Self.pauses.live)
            }
            sleep(until: hasChanges ? due : .now + Self.aging)
            while let signal = signals.nextNotIgnored() {
                switch signal {
                case SIGWINCH: due = .now
                case SIGTSTP:
                    terminal.leave()
                    kill(getpid(), SIGSTOP)
                    terminal = AlternateScreen()
                    due = .now
                default: return
                }
            }
            switch keys() {
            case .enough: return
            case .some: due = .now
            case .none: break
            }
        }
    }

    /// Takes the current devices.
    private func count() {
        let silence = silence
        (rows, since) = follower.withState { state in
            state.hasChanges = false
            return (state.fleet.rows(at: .now, silentAfter: silence), state.fleet.window?.start)
        }
    }

    private func draw(on terminal: AlternateScreen) {
        let size = TerminalStyle.size(of: STDOUT_FILENO) ?? (80, 24)
        let text = FleetText(
            style: .standardOutput(color: color),
            clock: ClockText(now: .now),
            since: since
        )
        let (interruption, backlog) = follower.withState { ($0.interruption, $0.backlog) }
        let lines = screen.lines(rows, text, room: size.rows - 1)
        var footer = screen.footer
        if let interruption {
            let since = text.clock.brief(interruption.since)
            footer = "no answer since \(since), trying again; q ends; \(ForeignText.line(interruption.failure.detail))"
        } else if backlog == .max {
            footer = "connecting; q ends"
        } else if backlog > 0 {
            footer = "reading, \(SummaryText.count(backlog, "event")) left; q ends"
        }
        terminal.show(lines.map { $0[...] }, footer: footer, on: size)
    }

    private func sleep(until deadline: ContinuousClock.Instant) {
        var entries = [follower.wakeup.descriptor, signals.descriptor, STDIN_FILENO].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = poll(&entries, nfds_t(entries.count), PollTimeout.milliseconds(until: deadline))
        if entries[0].revents != 0 { follower.wakeup.reset() }
    }

    private enum Keys { case none, some, enough }

    /// Handles the keys that were pressed; a closed terminal also ends the watch.
    private func keys() -> Keys {
        var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return .none }
        var keys = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(STDIN_FILENO, &keys, keys.count)
        guard count > 0 else { return .enough }
        for key in keys.prefix(count) {
            guard screen.follow(key: key) else { return .enough }
        }
        return .some
    }
}

/// The screen of `watch`: as many devices as fit, and the keys that select them.
struct FleetScreen {
    private(set) var order: FleetOrder
    private(set) var selection: FleetSelection
    /// The index of the first visible row.
    private(set) var first = 0
    private let chosen: FleetSelection

    init(order: FleetOrder, selection: FleetSelection) {
        self.order = order
        self.selection = selection
        chosen = selection
    }

    /// Returns the lines and the footer.
    ///
    /// - Parameters:
    ///   - rows: All devices.
    ///   - room: The number of available lines, without the footer.
    mutating func lines(_ rows: [FleetRow], _ text: FleetText, room: Int) -> [String] {
        let summary = FleetSummary(rows)
        var shown = rows.filter(selection.contains)
        order.sort(&shown)
        // The summary, an empty line and the titles.
        let page = max(1, room - text.heading(summary).count - 2)
        first = max(0, min(first, shown.count - 1))
        let end = min(shown.count, first + page)
        lastPage = page
        place = shown.isEmpty ? "no device" : "\(first + 1) to \(end) of \(SummaryText.number(shown.count))"
        return text.lines(summary, shown[first..<end])
    }

    private var lastPage = 1
    private var place = ""

    /// Handles a key.
    ///
    /// - Returns: `false` for the key that ends the watch.
    mutating func follow(key: UInt8) -> Bool {
        switch key {
        case UInt8(ascii: "q"), 4: return false
        case UInt8(ascii: "s"): order = order.next
        case UInt8(ascii: "t"):
            selection = selection == chosen ? trouble : chosen
            first = 0
        case UInt8(ascii: " "): first += lastPage
        case UInt8(ascii: "b"): first = max(0, first - lastPage)
        default: break
        }
        return true
    }

    private var trouble: FleetSelection {
        var selection = chosen
        selection.states = Set(DeviceState.allCases).subtracting([.full])
        return selection
    }

    /// The last line: the visible devices, the order, and the keys.
    var footer: String {
        "\(place), by \(order.rawValue); q ends, s sorts, t \(selection == chosen ? "trouble only" : "all"), space and b turn pages"
    }
}
