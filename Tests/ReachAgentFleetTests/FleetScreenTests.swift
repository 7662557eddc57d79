import AgentEvents
import Availability
import CommandText
import Foundation
import Testing

@testable import ReachAgentFleet

/// Whole tables and reports, as people see them.
@Suite struct FleetScreenTests {
    static func text(columns: Int, since: Timestamp?) -> FleetText {
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: columns)
        return FleetText(style: style, clock: ClockText(now: now, local: \.description), since: since)
    }

    private static let now = WrittenDevice.moment(2 * 86_400)
    private static let start = WrittenDevice.moment(86_400)

    /// A fleet of a dozen devices with everything that a table can show.
    private static func fleet(_ window: Window?) -> Fleet {
        var fleet = Fleet(window: window)
        let day: Int64 = 86_400
        for number in 1...6 {
            var device = WrittenDevice("edge-\(number)", host: number == 3 ? "pump-house-north" : nil)
            fleet.add(device.starts(at: 0))
            fleet.add(device.changes(to: WrittenDevice.state(.full), at: 1))
            fleet.add(device.uplink("wlan0", "wifi", .full, isUsed: true, at: 2))
            fleet.add(device.uplink("wwan0", "wwan", number == 2 ? .none : .full, at: 3))
            fleet.add(device.other(at: day + 3600))
            if number == 2 {
                fleet.add(
                    device.changes(
                        to: WrittenDevice.state(.partial, reason: "tls_expired", probe: "api"),
                        at: day + 7200
                    )
                )
            }
            if number == 3 {
                fleet.add(device.changes(to: WrittenDevice.state(.none, reason: "link_down"), at: day + 9000))
                fleet.add(
                    device.changes(to: WrittenDevice.state(.full, interface: "wwan0", via: .wwan), at: day + 9900)
                )
                device.sequence += 5
                fleet.add(device.loses(8...12, at: day + 9901))
            }
            if number == 4 { fleet.add(device.changes(to: WrittenDevice.state(.local), at: day + 80_000)) }
            if number == 5 { fleet.add(device.stops(at: day + 70_000)) }
            if number != 6 && number != 5 { fleet.add(device.other(at: 2 * day - 120)) }
        }
        var portal = WrittenDevice("0f2c4d8e9a7b6c5d4e3f2a1b0c9d8e7f", host: "lobby-tablet")
        fleet.add(
            portal.changes(to: WrittenDevice.state(.portal, reason: "portal_redirect", probe: "web"), at: 2 * day - 30)
        )
        var hostile = WrittenDevice("evil\u{1B}[31m\u{202E}", host: "x\ny\u{7}")
        fleet.add(hostile.changes(to: WrittenDevice.state(.unknown, interface: "w\u{1B}]0;t\u{7}"), at: 2 * day - 10))
        return fleet
    }

    private static func check(_ text: String, _ name: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).expected")
        if ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    private static func printed(_ lines: [String]) -> String {
        String(decoding: TerminalText.bytes(of: lines.joined(separator: "\n") + "\n"), as: UTF8.self)
    }

    /// `REACHAGENT_WRITE_GOLDEN=1 swift test --filter FleetScreenTests` writes the files anew; read them as a person would.
    @Test(arguments: [80, 120], [false, true])
    func `a table is that of its file`(_ columns: Int, _ hasFigures: Bool) throws {
        let window = try #require(Window(from: Self.start, to: Self.now, in: .utc))
        var fleet = Self.fleet(hasFigures ? window : nil)
        var rows = fleet.rows(at: Self.now, silentAfter: .seconds(7200))
        FleetOrder.state.sort(&rows)
        let text = Self.text(columns: columns, since: hasFigures ? Self.start : nil)
        let lines = text.lines(FleetSummary(rows), rows)
        #expect(lines.allSatisfy { $0.displayWidth <= columns })
        try Self.check(Self.printed(lines), "\(hasFigures ? "figures" : "state").\(columns)")
    }

    @Test(arguments: [80, 120])
    func `a report is that of its file`(_ columns: Int) throws {
        let window = try #require(Window(from: Self.start, to: Self.now, in: .utc))
        var fleet = Self.fleet(window)
        var rows = fleet.rows(at: Self.now, silentAfter: nil)
        FleetOrder.availability.sort(&rows)
        let report = FleetReport(window: window, objective: Objective(percent: "99.5"), rows: rows)
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: columns)
        try Self.check(Self.printed([report.text(style)]), "report.\(columns)")
        if columns == 80 { try Self.check(report.csv(), "report.csv") }
    }

    @Test
    func `a device is one line of JSON`() throws {
        let window = try #require(Window(from: Self.start, to: Self.now, in: .utc))
        var fleet = Self.fleet(window)
        var rows = fleet.rows(at: Self.now, silentAfter: .seconds(7200))
        FleetOrder.device.sort(&rows)
        let lines = rows.map { String(decoding: $0.json(), as: UTF8.self) }
        for line in lines { #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any]) }
        try Self.check(lines.joined(separator: "\n") + "\n", "devices.jsonl")
    }

    @Test
    func `an objective adds the error budget of the known time to JSON and CSV`() throws {
        let window = try #require(Window(from: Self.start, to: Self.now, in: .utc))
        let objective = try #require(Objective(percent: "99.5"))
        var fleet = Self.fleet(window)
        let rows = fleet.rows(at: Self.now, silentAfter: nil)
        let lines = rows.map { String(decoding: $0.json(objective: objective), as: UTF8.self) }
        #expect(lines.count { $0.contains("error_budget") } == 6)
        let line = try #require(lines.first { $0.hasPrefix(#"{"device":"edge-3""#) })
        let figures = #""objective_percent":99.5,"allowed_us":49500000,"spent_us":900000000,"left_us":-850500000"#
        #expect(line.hasSuffix(#","segment":"wifi","error_budget":{\#(figures)}}}"#), "\(line)")
        let header = FleetReport(window: window, objective: nil, rows: []).csv()
        #expect(header.hasSuffix(",segment,lost\n"))
        #expect(
            FleetReport(window: window, objective: objective, rows: []).csv()
                == header.dropLast() + ",budget_seconds,left_seconds\n"
        )
    }

    @Test
    func `an empty fleet has a table without rows`() {
        let text = Self.text(columns: 80, since: nil)
        #expect(text.lines(FleetSummary([]), [FleetRow]()) == ["0 devices", ""])
    }
}
