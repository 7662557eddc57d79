import AgentEvents
import AgentTestKit
import ArgumentParser
import Availability
import CommandText
import ForeignText
import Testing

@testable import ReachAgentFleet

@Suite struct FleetSelectionTests {
    @Test(arguments: [
        ("edge-7", "edge-7", true), ("edge-7", "edge-8", false), ("edge-7", "*", true), ("edge-7", "edge-*", true),
        ("edge-7", "*7", true), ("edge-7", "e*-*", true), ("edge-7", "e*8", false), ("edge-7", "edge-7*", true),
        ("edge-7", "edge", false), ("", "*", true), ("", "", true), ("a", "", false), ("aaab", "*a*ab", true),
    ])
    func `a star matches any text`(_ text: String, _ pattern: String, _ isMatch: Bool) {
        #expect(FleetSelection.matches(Array(text.utf8), Array(pattern.utf8)) == isMatch)
    }

    @Test
    func `a pattern of many stars costs no more than the product of the lengths`() {
        let text = [UInt8](repeating: 0x61, count: 2000)
        let pattern = Array(String(repeating: "*a", count: 200).utf8) + [0x62]
        let seconds = CostGrowth.seconds { #expect(!FleetSelection.matches(text, pattern)) }
        #expect(seconds < 2)
    }

    static func rows(window: Bool = true) throws -> [FleetRow] {
        let span = try #require(Window(from: WrittenDevice.moment(0), to: WrittenDevice.moment(1000), in: .utc))
        var fleet = Fleet(window: window ? span : nil)
        var good = WrittenDevice("b-good")
        for message in [good.changes(to: WrittenDevice.state(.full), at: 0), good.other(at: 1000)] {
            fleet.add(message)
        }
        var bad = WrittenDevice("c-bad")
        for message in [
            bad.changes(to: WrittenDevice.state(.full), at: 0),
            bad.changes(to: WrittenDevice.state(.none, reason: "link_down"), at: 500), bad.other(at: 900),
        ] { fleet.add(message) }
        var flaky = WrittenDevice("a-flaky")
        for second in stride(from: Int64(0), to: 100, by: 20) {
            fleet.add(flaky.changes(to: WrittenDevice.state(.local), at: second))
            fleet.add(flaky.changes(to: WrittenDevice.state(.full), at: second + 1))
        }
        fleet.add(flaky.changes(to: WrittenDevice.state(.partial, reason: "http_500", probe: "api"), at: 950))
        return fleet.rows(at: WrittenDevice.moment(1000), silentAfter: nil)
    }

    @Test(arguments: [
        (FleetOrder.state, ["c-bad", "a-flaky", "b-good"]), (.device, ["a-flaky", "b-good", "c-bad"]),
        (.seen, ["b-good", "a-flaky", "c-bad"]), (.outages, ["a-flaky", "c-bad", "b-good"]),
        (.availability, ["c-bad", "a-flaky", "b-good"]),
    ])
    func `rows are sorted`(_ order: FleetOrder, _ names: [String]) throws {
        var rows = try Self.rows()
        order.sort(&rows)
        #expect(rows.map { $0.device.shown() } == names)
    }

    @Test
    func `a selection is of states and names`() throws {
        let rows = try Self.rows()
        func names(_ selection: FleetSelection) -> [String] {
            rows.filter(selection.contains).map { $0.device.shown() }.sorted()
        }
        #expect(names(FleetSelection()).count == 3)
        #expect(names(FleetSelection(states: [.none, .partial])) == ["a-flaky", "c-bad"])
        #expect(names(FleetSelection(names: ["b-*", "c-bad"])) == ["b-good", "c-bad"])
        #expect(names(FleetSelection(states: [.full], names: ["c-*"])).isEmpty)
        #expect(Set(StateWord.trouble.states) == Set(DeviceState.allCases).subtracting([.full]))
    }

    @Test
    func `every state can be named`() {
        for state in DeviceState.allCases { #expect(StateWord(rawValue: state.rawValue)?.states == [state]) }
    }

    @Test
    func `keys turn pages, sort, and choose devices in trouble`() throws {
        var screen = FleetScreen(order: .device, selection: FleetSelection())
        let rows = try Self.rows()
        let text = FleetScreenTests.text(columns: 80, since: nil)
        func press(_ key: Character) -> Bool { key.asciiValue.map { screen.follow(key: $0) } ?? false }
        func shown() -> [String] {
            screen.lines(rows, text, room: 4).dropFirst(3).compactMap {
                $0.split(separator: " ").first.map(String.init)
            }
        }
        #expect(shown() == ["a-flaky"])
        #expect(press(" "))
        #expect(shown() == ["b-good"])
        #expect(screen.footer.hasPrefix("2 to 2 of 3, by device"))
        #expect(press("b"))
        #expect(shown() == ["a-flaky"])
        for _ in 0..<9 { #expect(press(" ")) }
        #expect(shown() == ["c-bad"])
        #expect(press("t"))
        #expect(press("s"))
        #expect(screen.order == .seen)
        #expect(shown() == ["a-flaky"])
        #expect(!press("q"))
    }

    private static func named(_ devices: [String], host: String) -> [FleetRow] {
        var fleet = Fleet()
        for name in devices {
            var device = WrittenDevice(name, host: host)
            fleet.add(device.starts(at: 0))
        }
        return fleet.rows(at: WrittenDevice.moment(1), silentAfter: nil)
    }

    @Test(
        arguments: [
            (["a"], "html", "a"), (["a"], "text", "a"), (["a", "b"], "text", nil), (["a", "b"], "csv", nil),
            // A device of that name comes before another one with that host.
            (["a", "edge"], "html", "edge"), (["a", "edge"], "json", nil),
        ] as [([String], String, String?)]
    )
    func `a name that selects one device is for its complete report`(
        devices: [String],
        format: String,
        device: String?
    ) throws {
        let rows = Self.named(devices, host: "edge")
        let format = try #require(ReportFormat(rawValue: format))
        #expect(try FleetReportCommand.only(rows, named: "edge", as: format)?.device == device.map { ForeignText($0) })
        #expect(try FleetReportCommand.only(rows, named: nil, as: format) == nil)
    }

    @Test(arguments: ["html", "markdown"])
    func `a format for one device is refused for the host of several, and they are named`(format: String) throws {
        let format = try #require(ReportFormat(rawValue: format))
        for (devices, names) in [
            (["b", "a"], "is the host of 2: 'a', 'b'; name"),
            ((1...9).map { "d\($0)" }, "is the host of 9: 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', …; name"),
        ] {
            let error = #expect(throws: ValidationError.self) {
                try FleetReportCommand.only(Self.named(devices, host: "edge"), named: "edge", as: format)
            }
            #expect(error?.message.contains(names) == true, "\(error?.message ?? "")")
        }
    }
}
