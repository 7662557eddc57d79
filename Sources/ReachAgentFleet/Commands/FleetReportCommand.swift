internal import AgentEvents
internal import ArgumentParser
internal import Availability
internal import CommandText
internal import ForeignText

/// `reachagent fleet report`: the availability of each device over a period.
struct FleetReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report the availability and outages of each device.",
        usage: "reachagent fleet report [<options>]",
        discussion: """
            Reads every event of the time, and prints a row for each device, the lowest availability first. With exactly one \
            --device without a star it is a report like that of 'reachagent report' there, with the times, days and outages of the \
            default path and the uplinks; checks, transfers, probes and certificates are in that one alone. Times are those of the \
            devices' clocks; days are those of this system's time zone (TZ).

            The stream must still have the events, and time that no event covers counts as unknown. A state from before the time is \
            known only while its event is still the newest of its subject; else the figures of a device begin with its first event \
            in the time.

            EXAMPLES
              reachagent fleet report --server nats://broker.example --month 2026-10 --slo 99.5
              reachagent fleet report --since 7d --format csv >fleet.csv
              reachagent fleet report --device edge-7 --format html >edge-7.html

            EXIT STATUS
              0   done
              64  wrong usage, such as a month that does not exist, or a host of several
                  devices for html
              69  the server cannot be reached, or the stream has no event of these devices
            """
    )

    @OptionGroup var time: ReportOptions

    @Option(
        help: ArgumentHelp("The objective, for the error budget: 99.5 for 99.5 %.", valueName: "percent"),
        transform: ReportOptions.objective(argument:)
    )
    var slo: Objective?

    @Option(
        help: ArgumentHelp(
            "Report on devices only whose name or host is this; '*' matches any text.",
            valueName: "name"
        )
    )
    var device: [String] = []

    @Option(help: "The output format; html and markdown for one device.")
    var format = ReportFormat.text

    @OptionGroup var color: ColorOptions
    @OptionGroup var server: ServerOptions

    /// The maximum number of devices that an error names.
    private static let maximumNames = 8

    /// The only device, for which the complete report is printed; `nil` for several devices or a pattern.
    private var only: String? { device.count == 1 && !device[0].utf8.contains(UInt8(ascii: "*")) ? device[0] : nil }

    func validate() throws {
        if only == nil, format == .html || format == .markdown {
            throw ValidationError("'--format \(format.rawValue)' needs one '--device'")
        }
    }

    func run() throws {
        let window = try time.window(now: .now)
        let progress = FleetProgress()
        let reading = FleetReading(source: try server.source(), progress: progress.note)
        var fleet = try reading.fleet(window)
        progress.end()
        let selection = FleetSelection(names: device.map { ForeignText($0) })
        var rows = fleet.rows(at: window.end, silentAfter: nil).filter(selection.contains)
        guard !rows.isEmpty else {
            Terminal.printError(
                "reachagent fleet: the stream has no event of \(device.isEmpty ? "a device" : "these devices")"
            )
            throw ExitCode(FleetExit.unavailable)
        }
        if let device = try Self.only(rows, named: only, as: format)?.device,
            let account = fleet.devices[device]?.account()
        {
            fleet.printNotes()
            return try print(account)
        }
        FleetOrder.availability.sort(&rows)
        let report = FleetReport(window: window, objective: slo, rows: rows)
        var output = StandardOutput()
        switch format {
        case .json:
            fleet.printNotes()
            for row in rows { try output.print(line: Terminal.json(row.json(objective: slo))) }
        case .csv:
            fleet.printNotes()
            return Terminal.write(Array(report.csv().utf8))
        default:
            try output.print(report.text(.standardOutput(color: color.color)))
            for note in fleet.notes { try output.print(note) }
        }
        try output.flush()
    }

    /// Returns the device of the complete report; `nil` for a report with a row for each device.
    ///
    /// - Parameters:
    ///   - rows: The selected devices.
    ///   - name: The name that selects a single device; `nil` for several.
    ///   - format: The format, of which html and markdown are those of complete reports alone.
    /// - Throws: `ValidationError` if the format needs one device, and the name is that of several.
    static func only(_ rows: [FleetRow], named name: String?, as format: ReportFormat) throws -> FleetRow? {
        guard let name else { return nil }
        if rows.count == 1 { return rows.first }
        guard format == .html || format == .markdown else { return nil }
        // Devices that are named by their machine ids may share a host's name, which may be that of another device too.
        if let row = rows.first(where: { $0.device == ForeignText(name) }) { return row }
        let names = rows.map(\.device).sorted().prefix(maximumNames).map { "'\($0.shown(limit: 64))'" }
        throw ValidationError(
            "'--format \(format.rawValue)' needs one device, and '\(name)' is the host of \(rows.count): "
                + names.joined(separator: ", ") + (rows.count > names.count ? ", …" : "")
                + "; name one of them with '--device'"
        )
    }

    /// Prints the complete report of one device.
    private func print(_ account: Account) throws {
        guard let report = Report(account, objective: slo), !account.isEmpty else {
            Terminal.printError("reachagent fleet: the stream has no data of the device in this time")
            throw ExitCode(FleetExit.unavailable)
        }
        report.print(as: format, color: color.color)
    }
}
