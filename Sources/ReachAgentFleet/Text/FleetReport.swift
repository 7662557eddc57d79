internal import AgentEvents
internal import Availability
internal import CommandText
internal import ForeignText

/// The availability of the devices of a fleet within a window.
struct FleetReport {
    let window: Window
    let objective: Objective?
    /// The devices, in the order of the report.
    let rows: [FleetRow]

    /// Returns the report for people.
    func text(_ style: TerminalStyle) -> String {
        var columns: [FittedTable.Column] = ["DEVICE", .right("AVAIL %"), .right("OUTAGES"), .right("DOWN")]
        columns += [.right("LONGEST"), "MOSTLY", .right("UNKNOWN")]
        if objective != nil { columns.append(.right("BUDGET LEFT")) }
        var table = FittedTable(columns)
        for row in rows { table.add(cells(row, style)) }
        let civil = window.civilTime
        var lines = ["Availability of \(SummaryText.count(UInt64(rows.count), "device"))"]
        lines += ["\(civil.text(window.start)) to \(civil.text(window.end))", ""]
        lines += total + [""]
        return (lines + (rows.isEmpty ? [] : table.lines(style))).joined(separator: "\n")
    }

    /// The combined figures of all devices.
    private var total: [String] {
        let figures = rows.compactMap(\.figures)
        let sum = figures.reduce(into: (available: Int128(0), known: Int128(0), all: Int128(0))) { sum, device in
            sum.available += Int128(device.available)
            sum.known += Int128(device.known)
            sum.all += Int128(device.total)
        }
        func percent(_ part: Int128, _ whole: Int128) -> String {
            // In milliseconds, because the microseconds of a large fleet over a decade overflow 64 bits.
            Figures.percent(Int64(clamping: part / 1000), of: Int64(clamping: whole / 1000)).map { "\($0) %" } ?? "-"
        }
        var lines = [
            "availability   \(percent(sum.available, sum.known)) of the known time, "
                + "which is \(percent(sum.known, sum.all)) of the time",
            "outages        \(SummaryText.number(figures.reduce(0) { $0 + $1.outages }))",
        ]
        if let objective {
            let missed = figures.count { $0.budget(objective).map { $0.left < 0 } ?? false }
            lines.append(
                "objective      \(objective.percent) %, missed by \(SummaryText.count(UInt64(missed), "device"))"
            )
        }
        let lost = rows.reduce(UInt64(0)) { $0.saturating(adding: $1.lost) }
        if lost > 0 { lines.append("lost           \(SummaryText.count(lost, "event")), which the stream lacks") }
        return lines
    }

    private func cells(_ row: FleetRow, _ style: TerminalStyle) -> [FittedTable.Cell] {
        guard let figures = row.figures else { return [] }
        let budget = objective.flatMap(figures.budget)
        func duration(_ microseconds: Int64) -> String {
            microseconds > 0 ? Figures.duration(microseconds) : style.dash
        }
        var cells: [FittedTable.Cell] = [
            .init(row.name),
            .init(
                Figures.percent(figures.available, of: figures.known) ?? style.dash,
                budget.map { $0.left < 0 ? .red : .green }
            ),
            .init(SummaryText.number(figures.outages)), .init(duration(figures.unavailable)),
            .init(duration(figures.longest)), .init(figures.segment?.rawValue), .init(duration(figures.unknown)),
        ]
        if objective != nil {
            cells.append(
                .init(
                    budget.map { Figures.duration($0.left) } ?? style.dash,
                    budget.map { $0.left < 0 ? .red : nil } ?? nil
                )
            )
        }
        return cells
    }

    /// Returns the report as CSV, with durations in seconds, and a line for each device; the error budget is in the last
    /// columns, which are absent without an objective.
    func csv() -> String {
        let header =
            "device,host,availability_percent,available_seconds,unavailable_seconds,unknown_seconds,outages,longest_seconds,segment,lost"
        var lines = [objective == nil ? header : header + ",budget_seconds,left_seconds"]
        for row in rows {
            guard let figures = row.figures else { continue }
            let fields = [
                Self.field(String(decoding: row.device.bytes, as: UTF8.self)), Self.field(row.host),
                Figures.percent(figures.available, of: figures.known) ?? "",
            ]
            let times = [figures.available, figures.unavailable, figures.unknown].map(Figures.seconds)
            let rest = [
                "\(figures.outages)", Figures.seconds(figures.longest), figures.segment?.rawValue ?? "", "\(row.lost)",
            ]
            let budget = objective.map { objective in
                figures.budget(objective).map { [Figures.seconds($0.allowed), Figures.seconds($0.left)] } ?? ["", ""]
            }
            lines.append((fields + times + rest + (budget ?? [])).joined(separator: ","))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func field(_ text: String) -> String { CSVField.of(text, limit: 128) }
}
