import AgentTestKit
import Testing

@testable import ReachAgent

/// Tables on a narrow terminal.
@Suite struct FittedTableTests {
    @Test func `a table without room leaves out its last columns before cells say nothing`() {
        var table = FittedTable(["UPLINK", "KIND", "ROLE", "STATE", .right("METRIC"), "GATEWAY", .right("30 DAYS")])
        table.add(["wlan0", "wifi", "standby", "partial (http_status)", "200", "198.51.100.1", "100.000 %"])
        let lines = table.lines(TerminalStyle(hasColour: false, hasUnicode: true, columns: 40))
        #expect(lines == ["UPLINK  KIND  ROLE     STATE      METRIC", "wlan0   wifi  standby  partial…      200"])
    }

    @Test(arguments: [(80, "down [connect_refused]"), (40, "down [connect_refused]"), (16, "down…")])
    func `a code that a reader may search for is truncated last`(_ columns: Int, _ code: String) {
        var table = FittedTable(["PROBE", "VERDICT", "FOR", "DETAIL"])
        let detail = "203.0.113.10:81: connect: Connection refused"
        let verdict = FittedTable.Cell("down [connect_refused]", whole: 22)
        table.add(["a-probe-with-a-long-name-of-its-own IPv4", verdict, "3 s", .init(detail)])
        let lines = table.lines(TerminalStyle(hasColour: false, hasUnicode: true, columns: columns))
        #expect(lines.count == 2 && lines.allSatisfy { $0.count <= columns })
        #expect(lines.last?.contains("  \(code)") == true, "\(lines)")
    }

    @Test(
        arguments: [
            (100, "4 s ago  23 ms  flapping, [connect_timeout]…"),
            (80, "4 s ago  23 ms  flapping, [connect_timeout]…"),
            (72, "4 s ago  flapping, [connect_timeout]…"), (62, "flapping, [connect_timeout]…"),
            // Without room for both codes, the one of the last column is like any text.
            (61, "4 s ago  23 ms  flapping…"), (52, "4 s ago  23 ms"),
        ]
    )
    func `the name and the columns between give room to a row's second code`(columns: Int, rest: String) {
        var table = FittedTable(["PROBE", "VERDICT", "CHECKED", .right("TIME"), "DETAIL"])
        let codes = "flapping, [connect_timeout]"
        table.add([
            "a-probe-with-a-long-name-of-its-own-IPv4", .init("down [connect_refused]", whole: 22), "4 s ago", "23 ms",
            .init("\(codes) at the last check, 203.0.113.10:81", whole: codes.count),
        ])
        let lines = table.lines(TerminalStyle(hasColour: false, hasUnicode: true, columns: columns))
        #expect(lines.count == 2 && lines.allSatisfy { $0.count <= columns })
        #expect(lines.last?.hasSuffix("…  down [connect_refused]  \(rest)") == true, "\(lines)")
    }

    private static let points = [" IPv4", " IPv6", " wlan0 IPv4", " wlan0 IPv6", " wwan0 IPv4"]

    /// A row for each point of a probe with a long name.
    private static var probes: FittedTable {
        var table = FittedTable(["PROBE", "VERDICT", "FOR", "CHECKED", "DETAIL"])
        for point in points {
            table.add([
                .init("headquarters-building-north-floor-3-office-uplink-monitor\(point)", ending: point.count),
                .init("down [host_unreachable]", whole: 23), "12 min", "4 s ago",
                "192.0.2.1:443: connect: No route to host",
            ])
        }
        return table
    }

    @Test(arguments: [
        (120, "headquarters-…plink-monitor wlan0 IPv4"), (80, "head…tor wlan0 IPv4"), (40, "he…r wlan0 IPv4"),
    ])
    func `a long name is truncated in its middle, and its interface and family stay`(columns: Int, name: String) {
        let lines = Self.probes.lines(TerminalStyle(hasColour: false, hasUnicode: true, columns: columns))
        #expect(lines.count == 6 && lines.allSatisfy { $0.count <= columns })
        #expect(lines[3].hasPrefix("\(name)  down [host_unreachable]"), "\(lines)")
        #expect(Set(lines).count == 6)
    }

    @Test func `in a file or a pipe nothing is truncated`() {
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: 80, truncates: false)
        let lines = Self.probes.lines(style)
        for (line, point) in zip(lines.dropFirst(), Self.points) {
            #expect(line.contains("uplink-monitor\(point)  ") && line.hasSuffix(": No route to host"), "\(line)")
        }
    }

    @Test func `a part of a code is not shown`() {
        var table = FittedTable(["VERDICT"])
        table.add([.init("down [tls_missing_intermediate]", whole: 31)])
        let lines = table.lines(TerminalStyle(hasColour: false, hasUnicode: true, columns: 30))
        #expect(lines.last == "down…")
    }

    @Test(arguments: [false, true])
    func `the time for a table grows with its rows, not with their square`(wrapsLast: Bool) {
        let tables = [500, 1000, 2000].map { count in
            var table = FittedTable(["PROBE", "STATE", "DETAIL"])
            for number in 0..<count { table.add([.init("probe-\(number)"), "up", "203.0.113.10:81"]) }
            return table
        }
        let style = TerminalStyle(hasColour: false, hasUnicode: true, columns: 80)
        let growth = CostGrowth.measure(tables.count, noise: 0.005) { index in
            CostGrowth.seconds { _ = tables[index].lines(style, wrapsLast: wrapsLast) }
        }
        #expect(growth.isLinear, "\(growth)")
    }
}
