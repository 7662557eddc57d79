internal import AgentEvents
internal import Probes

/// The summary of `reachagent measure`: each figure in a row, and the uplinks side by side.
struct MeasureText {
    let style: TerminalStyle
    /// True for a probe of the configuration, whose keys are named instead of options.
    var isConfigured = false

    private static let indent = 2
    private static let gap = 2

    /// The text for measurements of a target.
    func text(_ target: String, _ measurements: [UplinkMeasurement]) -> String {
        var block = TextBlock(columns: style.columns)
        block.addFitting(style.paint(ForeignText.line(target), .bold), hanging: 2)
        for columns in groups(measurements) {
            block.add()
            for line in table(columns) { block.add(line) }
        }
        let findings = FindingText(style: style, isConfigured: isConfigured)
        for measurement in measurements {
            switch measurement.outcome {
            case .report? where !measurement.findings.isEmpty:
                if measurements.count > 1 {
                    block.add()
                    block.add(style.paint(name(measurement), .bold))
                }
                findings.add(measurement.findings, to: &block)
            case .skipped(_, let reason)?:
                block.add()
                block.add("\(name(measurement)) was not measured: \(reason)", hanging: 2)
            default: break
            }
        }
        return block.text
    }

    private func name(_ measurement: UplinkMeasurement) -> String { measurement.uplinks ?? "default path" }

    // MARK: Table

    /// A row of the table; a heading has no cells.
    private struct Row {
        let title: String
        var cells: [FittedTable.Cell] = []
    }

    /// The measurements in as many tables as the width needs.
    private func groups(_ measurements: [UplinkMeasurement]) -> [[UplinkMeasurement]] {
        var groups: [[UplinkMeasurement]] = []
        for measurement in measurements {
            if let last = groups.last, width(rows(last + [measurement])) <= style.columns {
                groups[groups.count - 1].append(measurement)
            } else {
                groups.append([measurement])
            }
        }
        return groups
    }

    private func rows(_ measurements: [UplinkMeasurement]) -> [Row] {
        var rows = [
            Row(title: "", cells: measurements.map { .init(name($0), .bold) }),
            Row(title: "result", cells: measurements.map(result)),
        ]
        let figures = measurements.map { $0.report?.transfer.map(MeasureFigures.init(transfer:)) }
        for section in MeasureFigures.Section.allCases {
            let columns = figures.map { $0?.figures(section) ?? [] }
            guard columns.contains(where: { !$0.isEmpty }) else { continue }
            rows.append(Row(title: section.rawValue))
            for title in MeasureFigures.rows {
                let texts = columns.map { column in column.first { $0.name == title }?.text }
                guard texts.contains(where: { $0 != nil }) else { continue }
                let cells = texts.map { FittedTable.Cell($0 ?? style.dash, $0 == nil ? .dim : nil) }
                rows.append(Row(title: String(repeating: " ", count: Self.indent) + title, cells: cells))
            }
        }
        return rows
    }

    private func result(_ measurement: UplinkMeasurement) -> FittedTable.Cell {
        switch measurement.outcome {
        case .skipped(let code, _)?: return .init(code, .yellow)
        case .report(let report)?:
            switch report.verdict {
            case .ok: return .init("ok", .green)
            case .failed(let code, _): return .init(code.rawValue, .red)
            case .unknown(let code, _): return .init(code.rawValue, .yellow)
            }
        case nil: return .init("not measured", .yellow)
        }
    }

    private func widths(_ rows: [Row]) -> (title: Int, cells: [Int]) {
        let count = rows.map(\.cells.count).max() ?? 0
        let cells = (0..<count).map { column in
            rows.map { $0.cells.indices.contains(column) ? $0.cells[column].text.displayWidth : 0 }.max() ?? 0
        }
        return (rows.map(\.title.displayWidth).max() ?? 0, cells)
    }

    private func width(_ rows: [Row]) -> Int {
        let (title, cells) = widths(rows)
        return cells.reduce(title) { $0 + Self.gap + $1 }
    }

    /// The lines of the table, with right-aligned figures for comparison.
    private func table(_ measurements: [UplinkMeasurement]) -> [String] {
        let rows = rows(measurements)
        let (titleWidth, cellWidths) = widths(rows)
        return rows.map { row in
            guard !row.cells.isEmpty else { return style.paint(row.title, .bold) }
            var line = row.title.padded(to: titleWidth)
            for (cell, width) in zip(row.cells, cellWidths) {
                line += String(repeating: " ", count: Self.gap + max(0, width - cell.text.displayWidth))
                line += cell.colour.map { style.paint(cell.text, $0) } ?? cell.text
            }
            return line
        }
    }
}
