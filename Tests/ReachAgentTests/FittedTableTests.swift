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
        var table = FittedTable(["PROBE", .whole("VERDICT"), "FOR", "DETAIL"])
        let detail = "203.0.113.10:81: connect: Connection refused"
        table.add(["a-probe-with-a-long-name-of-its-own IPv4", "down [connect_refused]", "3 s", .init(detail)])
        let lines = table.lines(TerminalStyle(hasColour: false, hasUnicode: true, columns: columns))
        #expect(lines.count == 2 && lines.allSatisfy { $0.count <= columns })
        #expect(lines.last?.contains("  \(code)") == true, "\(lines)")
    }
}
