package import AgentEvents
package import ArgumentParser
package import Availability
internal import Glibc

/// The format of `reachagent report`.
package enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json, csv, html, markdown
}

extension Report {
    /// Prints the complete report to standard output.
    package func print(as format: ReportFormat, color: ColorMode = .auto) {
        switch format {
        case .text:
            let style = TerminalStyle.standardOutput(color: color)
            Terminal.write(TerminalText.bytes(of: text(hasColour: style.hasColour, introducer: style.introducer)))
        case .json: Terminal.print(json())
        case .csv: Terminal.write(Array(csv().utf8))
        case .html: Terminal.write(Array(html().utf8))
        case .markdown: Terminal.write(Array(markdown().utf8))
        }
    }
}

/// The options for the period of a report.
package struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The calendar month (default: the present one, so far).", valueName: "YYYY-MM"),
        transform: ReportOptions.firstDay(ofMonth:)
    )
    package var month: CivilTime.Day?

    @Option(
        help: ArgumentHelp("Begin at this moment instead.", valueName: "time"),
        transform: { try ReportOptions.moment(argument: $0) }
    )
    package var since: Timestamp?

    @Option(
        help: ArgumentHelp("End at this moment (default: now).", valueName: "time"),
        transform: { try ReportOptions.moment(argument: $0, isEnd: true) }
    )
    package var until: Timestamp?

    /// Creates the options for the current month.
    package init() {}

    package func validate() throws {
        if month != nil, since != nil || until != nil {
            throw ValidationError("'--month' and '--since' or '--until' exclude each other")
        }
        if until != nil, since == nil { throw ValidationError("'--until' needs '--since'") }
        _ = try window(now: .now)
    }

    /// Returns the window, which ends now at the latest because the future has no availability.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - local: The local time that defines the days and months.
    package func window(now: Timestamp, in local: CivilTime = .system) throws -> Window {
        CivilTime.updateSystemZone()
        let today = local.day(of: now)
        guard let thisMonth = CivilTime.Day(firstOfMonthWith: today) else {
            throw ValidationError("the clock of this machine is not set")
        }
        let first = month ?? thisMonth
        // A clock that was not set is in the first month of 1970, which begins before it east of UTC.
        let start = max(since ?? local.start(of: first), Timestamp(microsecondsSince1970: 0))
        var end = until ?? now
        if since == nil, let next = first.nextMonth { end = local.start(of: next) }
        end = min(end, now)
        if start >= now { throw ValidationError("the report would start in the future: \(local.text(start))") }
        guard let window = Window(from: start, to: end, in: local) else {
            throw ValidationError(
                """
                expected a time that begins before it ends, of at most \(Window.maximumDays) days, \
                got \(local.text(start)) to \(local.text(end))
                """
            )
        }
        return window
    }

    /// Returns the objective that an argument gives in per cent.
    package static func objective(argument text: String) throws -> Objective {
        guard let objective = Objective(percent: text) else {
            throw ValidationError("expected per cent more than 0 and less than 100, such as 99.5, got '\(text)'")
        }
        return objective
    }

    private static func firstDay(ofMonth text: String) throws -> CivilTime.Day {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // Int reads a sign too.
        guard parts.map(\.utf8.count) == [4, 2], !text.utf8.contains(UInt8(ascii: "+")), let year = Int(parts[0]),
            let month = Int(parts[1]), let day = CivilTime.Day(year: year, month: month)
        else { throw ValidationError("expected a month such as 2026-10, got '\(text)'") }
        return day
    }

    private static func moment(argument text: String, isEnd: Bool = false) throws -> Timestamp {
        guard case .moment(let moment)? = EventPosition(text, now: .now, isEnd: isEnd) else {
            throw ValidationError("expected a time such as '2026-11-21 07:00', yesterday or 30d, got '\(text)'")
        }
        return moment
    }
}

extension CivilTime {
    /// Reads the system's time zone again if it has changed: localtime_r(3) reads it only once.
    package static func updateSystemZone() { tzset() }

    /// The system's time zone, as of the last ``updateSystemZone()``.
    package static let system = CivilTime { seconds in
        var moment = time_t(seconds)
        var civil = tm()
        return localtime_r(&moment, &civil) == nil ? 0 : Int64(civil.tm_gmtoff)
    }
}

extension CivilTime.Day {
    fileprivate init?(firstOfMonthWith day: CivilTime.Day) {
        self.init(year: day.parts.year, month: day.parts.month)
    }
}
