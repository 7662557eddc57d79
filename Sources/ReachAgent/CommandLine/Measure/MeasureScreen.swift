internal import AgentEvents
internal import Probes

/// The live display of `reachagent measure`: a line for each direction of each uplink, with a bar, the rate and the added
/// latency.
///
/// All columns have fixed widths, so that nothing moves but the bar and the digits; a narrow terminal omits the least
/// important columns first.
struct MeasureScreen {
    let style: TerminalStyle

    /// A column beside the bar, in the order in which columns are omitted.
    private enum Column: Int, CaseIterable {
        case elapsed, bytes, percent, added

        var width: Int {
            switch self {
            case .elapsed: 7
            case .bytes: 16
            case .percent: 5
            case .added: 8
            }
        }
    }

    private static let gap = 2
    private static let directionWidth = 8
    private static let rateWidth = 11
    private static let narrowestBar = 12
    private static let widestBar = 40

    /// The lines for measurements that are made one after another.
    ///
    /// - Parameters:
    ///   - elapsed: The time since the current transfer started.
    ///   - other: The other transfer of this machine that delays these; nil for none.
    func lines(_ measurements: [UplinkMeasurement], elapsed: Duration, waitingFor other: String? = nil) -> [String] {
        let labels = measurements.map { measurements.count > 1 || $0.interface != nil ? $0.uplink ?? "" : "" }
        let width = min(labels.map(\.displayWidth).max() ?? 0, 15)
        let current = measurements.firstIndex { $0.outcome == nil }
        return measurements.indices.flatMap { index in
            let label = labels[index].isEmpty && width == 0 ? "" : fitted(labels[index], width) + "  "
            let isCurrent = index == current
            return lines(
                measurements[index],
                label: label,
                elapsed: isCurrent ? elapsed : nil,
                waitingFor: isCurrent ? other : nil
            )
        }
    }

    private func lines(_ measurement: UplinkMeasurement, label: String, elapsed: Duration?, waitingFor other: String?)
        -> [String]
    {
        if let outcome = measurement.outcome { return lines(outcome, label: label) }
        guard elapsed != nil else { return [text("waiting", after: label, .dim)] }
        if let other { return [text("waiting for \(other)", after: label, .yellow)] }
        let directions: [(word: String, progress: TransferProgress)] = [
            ("download", measurement.download), ("upload", measurement.upload),
        ].compactMap { word, progress in progress.map { (word, $0) } }
        guard let last = directions.last else {
            let word = measurement.latest == nil ? "connecting" : "measuring idle round trips"
            return [text(word, after: label, .dim)]
        }
        return directions.map { word, progress in
            let isLast = word == last.word
            return line(
                label + word.padded(to: Self.directionWidth),
                bytes: progress.bytes,
                of: progress.totalBytes,
                rate: isLast && progress.phase == .suspended
                    ? "paused" : progress.bitsPerSecond.map(MeasureFigures.rate),
                added: progress.addedLatency,
                elapsed: isLast ? elapsed : nil,
                colour: isLast && progress.phase == .suspended ? .yellow : .cyan
            )
        }
    }

    private func lines(_ outcome: UplinkMeasurement.Outcome, label: String) -> [String] {
        guard case .report(let report) = outcome else { return [text("not measured", after: label, .yellow)] }
        let legs: [(word: String, leg: TransferLeg)] = [
            ("download", report.transfer?.download), ("upload", report.transfer?.upload),
        ].compactMap { word, leg in leg.map { (word, $0) } }
        let lines = legs.map { word, leg in
            line(
                label + word.padded(to: Self.directionWidth),
                bytes: leg.bytes,
                of: leg.wantedBytes,
                rate: leg.goodput.map { MeasureFigures.rate($0.p50) },
                added: leg.loaded?.added,
                elapsed: leg.duration,
                colour: leg.isComplete ? .green : .yellow
            )
        }
        switch report.verdict {
        case .ok: return lines
        case .failed(let code, _): return lines + [text("failed, \(code.rawValue)", after: label, .red)]
        case .unknown(let code, _): return lines + [text("not checked, \(code.rawValue)", after: label, .yellow)]
        }
    }

    /// A line with a bar, which takes the room that the other columns leave.
    private func line(
        _ start: String,
        bytes: Int,
        of total: Int,
        rate: String?,
        added: Duration?,
        elapsed: Duration?,
        colour: TerminalStyle.Colour
    ) -> String {
        func room(_ columns: [Column]) -> Int {
            let others = columns.reduce(Self.rateWidth + Self.gap) { $0 + $1.width + Self.gap }
            return style.columns - start.displayWidth - Self.gap - others
        }
        var columns = Column.allCases
        while room(columns) < Self.narrowestBar, !columns.isEmpty { columns.removeFirst() }
        let gap = String(repeating: " ", count: Self.gap)
        let share = total > 0 ? min(1, max(0, Double(bytes) / Double(total))) : 0
        var line = start
        let width = min(room(columns), Self.widestBar)
        if width >= Self.narrowestBar { line += gap + bar(share, width, colour) }
        for column in [Column.percent, .bytes] where columns.contains(column) {
            let cell = column == .percent ? "\(Int(share * 100)) %" : Self.bytes(bytes, of: total)
            line += gap + cell.leftPadded(to: column.width)
        }
        line += gap + (rate ?? "").leftPadded(to: Self.rateWidth)
        for column in [Column.added, .elapsed] where columns.contains(column) {
            let cell = column == .added ? added.map(Self.added) : elapsed.map(Self.seconds)
            line += gap + (cell ?? "").leftPadded(to: column.width)
        }
        while line.last == " " { line.removeLast() }
        return start.displayWidth + Self.gap + Self.rateWidth > style.columns
            ? start.prefix(columns: style.columns) : line
    }

    private func bar(_ share: Double, _ width: Int, _ colour: TerminalStyle.Colour) -> String {
        let full = Int(share * Double(width))
        let (mark, rest) = style.hasUnicode ? ("█", "░") : ("=", ".")
        let drawn = String(repeating: mark, count: full)
        return (full > 0 ? style.paint(drawn, colour) : "")
            + (full < width ? style.paint(String(repeating: rest, count: width - full), .dim) : "")
    }

    private func text(_ text: String, after label: String, _ colour: TerminalStyle.Colour) -> String {
        let room = style.columns - label.displayWidth
        guard room > 0 else { return label.prefix(columns: style.columns) }
        return label + style.paint(text.prefix(columns: room), colour)
    }

    private func fitted(_ label: String, _ width: Int) -> String { label.prefix(columns: width).padded(to: width) }

    private static func bytes(_ count: Int, of total: Int) -> String {
        ByteCountText.of(UInt64(max(0, min(count, total))), outOf: UInt64(max(0, total)))
    }

    /// An added latency in whole milliseconds: the value keeps changing, so decimals would be noise.
    private static func added(_ duration: Duration) -> String {
        "+\((max(0, duration.microseconds) + 500) / 1000) ms"
    }

    /// Tenths of seconds up to a minute, then minutes and seconds.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = max(0, duration.microseconds) / 100_000
        guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10 % 60
        return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds)"
    }
}
