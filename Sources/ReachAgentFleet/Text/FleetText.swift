internal import AgentEvents
internal import Availability
internal import CommandText
internal import ForeignText

/// The devices of a fleet as a table for people.
struct FleetText {
    let style: TerminalStyle
    let clock: ClockText
    /// The first moment of the figures; `nil` without figures.
    var since: Timestamp?

    /// The minimum number of columns that also fits everything beside the figures.
    private static let wide = 100

    /// Returns the lines: a summary, and a row for each device in the given order.
    ///
    /// - Parameters:
    ///   - summary: The numbers of all devices.
    ///   - shown: The devices of the table.
    func lines(_ summary: FleetSummary, _ shown: some Sequence<FleetRow>) -> [String] {
        var columns: [FittedTable.Column] = ["DEVICE", "STATE", .right("FOR"), .right("SEEN")]
        if since != nil { columns += [.right("OUTAGES"), .right("DOWN"), .right("AVAIL %")] }
        columns.append("PATH")
        if hasRoom { columns += ["OTHER UPLINKS", "REASON"] }
        var table = FittedTable(columns)
        for row in shown { table.add(cells(row)) }
        return heading(summary) + [""] + (table.rows.isEmpty ? [] : table.lines(style))
    }

    private var hasRoom: Bool { since == nil || style.columns >= Self.wide }

    /// Returns `10,000 devices: 3 none, 12 silent, 9,985 full; figures since 2026-11-22 17:00:00`.
    func heading(_ summary: FleetSummary) -> [String] {
        let parts = DeviceState.allCases.compactMap { state in
            summary.counts[state].map {
                style.paint("\(SummaryText.number($0)) \(state.rawValue)", Self.colour(state) ?? .bold)
            }
        }
        var text = SummaryText.count(UInt64(summary.total), "device")
        if !parts.isEmpty { text += ": " + parts.joined(separator: ", ") }
        if let since { text += "; figures since \(clock.brief(since))" }
        if summary.lost > 0 { text += "; \(SummaryText.count(summary.lost, "event")) lost" }
        var block = TextBlock(columns: style.columns)
        block.add(text, hanging: 2)
        return block.lines
    }

    private func cells(_ row: FleetRow) -> [FittedTable.Cell] {
        var cells: [FittedTable.Cell] = [
            .init(row.name), .init(row.state.rawValue, Self.colour(row.state)), .init(row.since.map(age)),
            .init(age(row.lastSeen)),
        ]
        if since != nil {
            let figures = row.figures
            let down = figures.map { $0.unavailable > 0 ? Figures.duration($0.unavailable) : style.dash }
            let percent = figures.flatMap { Figures.percent($0.available, of: $0.known) }
            cells += [
                .init(figures.map { SummaryText.number($0.outages) }), .init(down), .init(percent ?? style.dash),
            ]
        }
        cells.append(.init(row.path.map(path)))
        if hasRoom { cells += [.init(otherUplinks(row)), .init(reason(row))] }
        return cells
    }

    private func age(_ moment: Timestamp) -> String {
        let seconds = max(0, clock.duration(since: moment).components.seconds)
        return seconds == 0 ? "0s" : Figures.duration(seconds * 1_000_000)
    }

    /// Returns `tls_expired api`.
    private func reason(_ row: FleetRow) -> String {
        guard let path = row.path, path.connectivity != .full else { return "" }
        return [path.reason, path.probe].compactMap(\.self).joined(separator: " ")
    }

    private func path(_ path: DevicePath) -> String {
        path.via.rawValue + (path.interface.map { " \($0)" } ?? "")
    }

    private func otherUplinks(_ row: FleetRow) -> String {
        row.uplinks.filter { $0.interface != row.path?.interface }
            .map { "\($0.interface) \($0.connectivity)" }.joined(separator: ", ")
    }

    static func colour(_ state: DeviceState) -> TerminalStyle.Colour? {
        switch state {
        case .none, .local: .red
        case .portal, .partial, .silent: .yellow
        case .full: .green
        case .stopped, .unknown: nil
        }
    }
}

extension FleetRow {
    /// The name for people: that of the host for a device that is named by the hash of its machine id.
    var name: String {
        let isHash =
            device.bytes.count == 32
            && device.bytes.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
            }
        let name = device.shown(limit: 64)
        return isHash && !host.isEmpty ? "\(host) (\(name.prefix(8)))" : name
    }
}

/// The numbers of a fleet's devices.
struct FleetSummary: Sendable, Hashable {
    var counts: [DeviceState: Int] = [:]
    var total = 0
    /// The number of events that the stream lacks, and that the devices have announced as lost.
    var lost: UInt64 = 0

    init(_ rows: some Sequence<FleetRow>) {
        for row in rows {
            counts[row.state, default: 0] += 1
            total += 1
            lost = lost.saturating(adding: row.lost)
        }
    }
}
