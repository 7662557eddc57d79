internal import AgentEvents
internal import ArgumentParser
internal import Availability
internal import CommandText
internal import Glibc

/// The output format of a table.
enum FleetOutput: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// `reachagent fleet status`: one row for each device.
struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of each device.",
        usage: "reachagent fleet status [<options>]",
        discussion: """
            Reads the newest event of each device and type, and prints a row for each device: the state of its default path, the \
            beginning of the state, the path, the other uplinks, and the time of the last event. With --since it reads every event \
            from a time on, and shows the outages and the availability since then.

            A device is silent when it sent no event for two hours (--silent-after): it may be offline, or have \
            nothing to report. A device with a probe has something to report every hour. Figures end at the last \
            event of a device, because nothing is known of the time after it.

            With --output json there is one JSON object on one line for each device.

            EXAMPLES
              reachagent fleet status --server nats://broker.example
              reachagent fleet status --only trouble
              reachagent fleet status --since 7d --sort availability
              reachagent fleet status --output json | jq -r 'select(.state != "full").device'
            """
    )

    @Option(
        help: ArgumentHelp("Count outages and availability from this time on.", valueName: "time"),
        transform: FleetTime.moment(argument:)
    )
    var since: Timestamp?

    @Option(help: "Sort by state, device, seen, outages or availability.")
    var sort = FleetOrder.state

    @Option(help: "Print text or json.")
    var output = FleetOutput.text

    @OptionGroup var choice: SelectionOptions
    @OptionGroup var color: ColorOptions
    @OptionGroup var server: ServerOptions

    func validate() throws {
        if since == nil, sort == .outages || sort == .availability {
            throw ValidationError("'--sort \(sort.rawValue)' needs '--since'")
        }
        _ = try window(until: .now)
    }

    func run() throws {
        let now = Timestamp.now
        let progress = FleetProgress()
        let reading = FleetReading(source: try server.source(), progress: progress.note)
        var fleet = try reading.fleet(try window(until: now))
        progress.end()
        var rows = fleet.rows(at: now, silentAfter: choice.silentAfter.after)
        if let mistake = choice.mistake(among: rows) {
            Terminal.printError("reachagent fleet: \(mistake)")
            throw ExitCode(FleetExit.unavailable)
        }
        let summary = FleetSummary(rows)
        rows.removeAll { !choice.selection.contains($0) }
        sort.sort(&rows)
        var standardOutput = StandardOutput()
        switch output {
        case .json:
            fleet.printNotes()
            for row in rows { try standardOutput.print(line: Terminal.json(row.json())) }
        case .text:
            let text = FleetText(style: .standardOutput(color: color.color), clock: ClockText(now: now), since: since)
            for line in text.lines(summary, rows) { try standardOutput.print(line) }
            for note in fleet.notes { try standardOutput.print(note) }
        }
        try standardOutput.flush()
    }

    private func window(until now: Timestamp) throws -> Window? {
        try since.map { try FleetTime.window(from: $0, to: now) }
    }
}

extension Fleet {
    /// The irregularities of the events, as sentences.
    var notes: [String] {
        var notes: [String] = []
        if unreadable > 0 {
            notes.append(
                "\(SummaryText.count(UInt64(unreadable), "message")) of the stream left out: no events of an agent"
            )
        }
        if isTruncated {
            notes.append("only the first \(SummaryText.count(UInt64(Fleet.maximumDevices), "device")) are shown")
        }
        return notes
    }

    /// Prints the irregularities on standard error, where the output has no place for them.
    func printNotes() {
        for note in notes { Terminal.printError("reachagent fleet: \(note)") }
    }
}

/// The share of the events read so far, on the last line of a terminal.
final class FleetProgress {
    private let isTerminal = TerminalStyle.canRedraw(STDERR_FILENO)
    private var due = ContinuousClock.now + .milliseconds(500)
    private var isShown = false

    /// Shows the progress, if an update is due.
    func note(_ read: UInt64, of all: UInt64) {
        guard isTerminal, due <= .now else { return }
        due = .now + .milliseconds(100)
        isShown = true
        write(
            "\rreading events: \(SummaryText.number(Int(clamping: read))) of \(SummaryText.number(Int(clamping: all)))\u{1B}[K"
        )
    }

    /// Removes the line.
    func end() {
        guard isShown else { return }
        isShown = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
