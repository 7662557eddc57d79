import AgentEvents
import Availability
import ForeignText
import Testing

@testable import ReachAgentFleet

@Suite struct FleetFoldTests {
    private static func fleet(_ messages: [FleetMessage], _ window: ClosedRange<Int64>? = nil) throws -> Fleet {
        let span = try window.map { range in
            try #require(
                Window(
                    from: WrittenDevice.moment(range.lowerBound),
                    to: WrittenDevice.moment(range.upperBound),
                    in: .utc
                )
            )
        }
        var fleet = Fleet(window: span)
        for message in messages { fleet.add(message) }
        return fleet
    }

    private static func row(_ fleet: inout Fleet, at second: Int64, silentAfter: Duration? = .seconds(7200)) throws
        -> FleetRow
    {
        try #require(fleet.rows(at: WrittenDevice.moment(second), silentAfter: silentAfter).first)
    }

    @Test
    func `a device has the state of its last change`() throws {
        var device = WrittenDevice("edge-1", host: "pump-house")
        var fleet = try Self.fleet([
            device.starts(at: 0), device.changes(to: WrittenDevice.state(.full), at: 1),
            device.uplink("wlan0", "wifi", .full, isUsed: true, at: 2), device.uplink("wwan0", "wwan", .none, at: 3),
            device.changes(to: WrittenDevice.state(.partial, reason: "tls_expired", probe: "api"), at: 60),
        ])
        let row = try Self.row(&fleet, at: 100)
        #expect(row.state == .partial)
        #expect(row.host == "pump-house")
        #expect(row.since == WrittenDevice.moment(60))
        #expect(row.path?.reason == "tls_expired")
        #expect(row.uplinks.map(\.interface) == ["wlan0", "wwan0"])
        #expect(row.version == "0.1.0")
        #expect(row.sequence == 5)
    }

    @Test
    func `a machine without a path has the state none, whatever its probe verdicts`() throws {
        var device = WrittenDevice("edge-1")
        var state = WrittenDevice.state(.none, reason: "link_down")
        state.connectivity = .unknown
        var fleet = try Self.fleet([device.changes(to: state, at: 1)])
        #expect(try Self.row(&fleet, at: 2).state == .none)
    }

    @Test
    func `a device is silent without events for too long, and stopped at once when its agent stops`() throws {
        var device = WrittenDevice("edge-1")
        var fleet = try Self.fleet([device.changes(to: WrittenDevice.state(.full), at: 0, stored: 10)])
        #expect(try Self.row(&fleet, at: 7210).state == .full)
        let silent = try Self.row(&fleet, at: 7211)
        #expect(silent.state == .silent)
        #expect(silent.since == WrittenDevice.moment(10))
        #expect(try Self.row(&fleet, at: 99_999, silentAfter: nil).state == .full)
        fleet.add(device.stops(at: 20))
        #expect(try Self.row(&fleet, at: 21).state == .stopped)
        fleet.add(device.starts(at: 30))
        #expect(try Self.row(&fleet, at: 31).state == .full)
    }

    @Test
    func `outages and availability are those of the window, and end with the last event`() throws {
        var device = WrittenDevice("edge-1")
        var fleet = try Self.fleet(
            [
                device.starts(at: 0), device.changes(to: WrittenDevice.state(.full), at: 0),
                device.changes(to: WrittenDevice.state(.none, reason: "link_down"), at: 150),
                device.changes(to: WrittenDevice.state(.full), at: 160), device.other(at: 200),
            ],
            100...300
        )
        let figures = try #require(try Self.row(&fleet, at: 300).figures)
        #expect(figures.available == 90_000_000)
        #expect(figures.unavailable == 10_000_000)
        #expect(figures.unknown == 100_000_000)
        #expect(figures.outages == 1)
        #expect(figures.segment == .wifi)
        #expect(figures.millionths == 900_000)
    }

    @Test
    func `a duplicate event counts once`() throws {
        var device = WrittenDevice("edge-1")
        let messages = [
            device.changes(to: WrittenDevice.state(.full), at: 0),
            device.changes(to: WrittenDevice.state(.none, reason: "link_down"), at: 10),
            device.changes(to: WrittenDevice.state(.full), at: 20), device.other(at: 100),
        ]
        var once = try Self.fleet(messages, 0...100)
        var twice = try Self.fleet(messages.flatMap { [$0, $0] } + messages, 0...100)
        #expect(try Self.row(&once, at: 100).figures == Self.row(&twice, at: 100).figures)
        #expect(try Self.row(&twice, at: 100).figures?.outages == 1)
        #expect(try Self.row(&twice, at: 100).state == .full)
    }

    @Test
    func `a restored snapshot whose numbers begin again lower is followed by the broker's name of the epoch`() throws {
        var device = WrittenDevice("edge-1")
        var messages = [
            device.changes(to: WrittenDevice.state(.full), at: 0), device.other(at: 10), device.other(at: 20),
        ]
        device.sequence = 1
        device.stream += "~1"
        messages.append(device.changes(to: WrittenDevice.state(.none, reason: "link_down"), at: 30))
        var fleet = try Self.fleet(messages, 0...100)
        let row = try Self.row(&fleet, at: 40)
        #expect(row.state == .none)
        #expect(row.sequence == 2)
        // Of the time between the two nothing is known.
        #expect(row.figures?.known == 20_000_000)
    }

    @Test
    func `without an id of the broker's the event's own is used`() throws {
        var device = WrittenDevice("edge-1")
        var message = device.changes(to: WrittenDevice.state(.full), at: 0)
        message.id = nil
        var fleet = try Self.fleet([message, message])
        #expect(try Self.row(&fleet, at: 1).sequence == 1)
        #expect(fleet.unreadable == 0)
    }

    /// A device whose stream has 1, 2, 6, 7 and 9, the last of which is in `announced` too.
    private static func withGaps(_ announced: [ClosedRange<UInt64>]) -> [FleetMessage] {
        var device = WrittenDevice("edge-1")
        var messages = [device.starts(at: 0), device.other(at: 1)]
        device.sequence = 5
        messages += [device.other(at: 2), device.other(at: 3)]
        device.sequence = 8
        messages.append(device.other(at: 4))
        return messages + announced.map { device.loses($0, at: 5) }
    }

    @Test(
        arguments: [
            ([3...5], 3), ([4...4], 1), ([3...8], 4), ([1...2], 0), ([6...7], 0), ([9...9], 0), ([1...UInt64.max], 4),
            ([], 0),
            // Two sinks of the device may lose the same events.
            ([3...5, 3...5], 3), ([3...4, 4...8], 4), ([4...4, 3...5], 3),
        ] as [([ClosedRange<UInt64>], UInt64)]
    )
    func `events are lost that a device announces and the stream lacks`(
        _ announced: [ClosedRange<UInt64>],
        _ count: UInt64
    ) throws {
        var fleet = try Self.fleet(Self.withGaps(announced), 0...100)
        #expect(try Self.row(&fleet, at: 6).lost == count)
        // Of the newest event of each type nothing follows.
        var newest = try Self.fleet(Self.withGaps(announced))
        #expect(try Self.row(&newest, at: 6).lost == 0)
    }

    @Test
    func `numbers between the newest events from before the window are not missing`() throws {
        var fleet = try Self.fleet(Self.withGaps([3...8]), 3...100)
        #expect(try Self.row(&fleet, at: 6).lost == 1)
        var later = try Self.fleet(Self.withGaps([3...8]), 5...100)
        #expect(try Self.row(&later, at: 6).lost == 0)
        // Of a subject without an event in the window the newest one is far back.
        var device = WrittenDevice("edge-1")
        var messages = [device.starts(at: 0)]
        device.sequence = 49
        messages += [device.other(at: 10), device.loses(10...20, at: 11)]
        var far = try Self.fleet(messages, 5...100)
        #expect(try Self.row(&far, at: 12).lost == 0)
        var fresh = try Self.fleet(Array(messages.dropFirst()), 5...100)
        #expect(try Self.row(&fresh, at: 12).lost == 0)
    }

    @Test
    func `an event that is stored late is not lost, and another history has other numbers`() throws {
        var device = WrittenDevice("edge-1")
        var messages = [device.starts(at: 0)]
        let late = device.other(at: 1)
        device.sequence = 3
        messages += [device.other(at: 2), late, device.loses(2...3, at: 3)]
        var fleet = try Self.fleet(messages, 0...100)
        #expect(try Self.row(&fleet, at: 4).lost == 1)
        var wiped = WrittenDevice("edge-1", stream: "6f1c0000000000000000000000000002")
        wiped.sequence = 2
        fleet.add(wiped.starts(at: 5))
        fleet.add(wiped.loses(1...3, at: 6))
        #expect(try Self.row(&fleet, at: 7).lost == 3)
    }

    @Test
    func `gaps take bounded memory, and the largest ones are kept`() {
        let gap = MissingNumbers.Gap(start: WrittenDevice.moment(0), end: WrittenDevice.moment(1), next: 0)
        func count(_ taken: [(gap: MissingNumbers.Gap, count: UInt64)]) -> UInt64 { taken.reduce(0) { $0 + $1.count } }
        var missing = MissingNumbers()
        missing.add(after: 0, before: 2, gap)
        missing.add(after: 2, before: 13, gap)
        for number in 7...10_000 as ClosedRange<UInt64> { missing.add(after: 2 * number, before: 2 * number + 2, gap) }
        #expect(count(missing.lose(1...2)) == 0)
        #expect(count(missing.lose(3...12)) == 10)
        #expect([missing.remove(20_001), missing.remove(20_001)] == [true, false])
        #expect(count(missing.lose(1...UInt64.max)) == UInt64(MissingNumbers.maximumRanges) - 2)
        missing.add(after: 0, before: .max, gap)
        #expect(count(missing.lose(1...UInt64.max)) == UInt64.max - 1)
    }

    @Test(arguments: ["", "{", "[]", "null", #"{"type":"reachagent.agent.started"}"#, #"{"type":1,"seq":1}"#])
    func `a message that is not an event is counted, and adds no device`(_ payload: String) throws {
        var message = FleetMessage(
            device: "edge-1",
            id: "s-1",
            stored: WrittenDevice.moment(0),
            payload: Array(payload.utf8)
        )
        var fleet = try Self.fleet([message])
        message.id = nil
        fleet.add(message)
        message.device = ""
        fleet.add(message)
        #expect(fleet.devices.isEmpty)
        #expect(fleet.unreadable == 3)
    }

    @Test
    func `an uplink that has gone makes room for one of another name`() throws {
        var device = WrittenDevice("edge-1")
        var messages: [FleetMessage] = []
        for number in 0..<40 as Range<Int64> {
            messages.append(device.uplink("ppp\(number)", "wwan", .full, isUsed: true, at: number))
            messages.append(device.uplink("ppp\(number)", "wwan", .none, reason: "no_route", at: number))
        }
        messages.append(device.uplink("eth0", "wired", .full, isUsed: true, at: 50))
        var fleet = try Self.fleet(messages)
        #expect(try Self.row(&fleet, at: 51).uplinks.contains { $0.interface == "eth0" })
    }

    /// The order in which the events of a device arrive.
    enum Arrival: Sendable, CaseIterable {
        case inOrder, startFirst, lateUplink
    }

    @Test(arguments: Arrival.allCases)
    func `an uplink of an earlier run is not shown until this one has an event about it`(_ arrival: Arrival) throws {
        var device = WrittenDevice("edge-1")
        let former = [
            device.uplink("d0", "wired", .full, isUsed: true, at: 0), device.uplink("w0", "wwan", .full, at: 0),
        ]
        let stop = device.stops(at: 10)
        let start = device.starts(at: 20)
        let present = device.uplink("d0", "wired", .full, isUsed: true, at: 21)
        let again = device.uplink("w0", "wwan", .local, at: 30)
        let messages =
            switch arrival {
            case .inOrder: former + [stop, start, present]
            case .startFirst: [start] + former + [stop, present]
            case .lateUplink: [former[0], stop, start, present, former[1]]
            }
        var fleet = try Self.fleet(messages)
        #expect(try Self.row(&fleet, at: 22).uplinks.map(\.interface) == ["d0"])
        fleet.add(again)
        let uplinks = try Self.row(&fleet, at: 31).uplinks
        #expect(uplinks.map(\.interface) == ["d0", "w0"])
        #expect(uplinks.last?.connectivity == "local")
    }

    @Test(arguments: [(nil, ["d0"]), (1, ["d0", "w0"])] as [(Int?, [String])])
    func `an uplink that is not among all settled states is gone`(_ omitted: Int?, _ shown: [String]) throws {
        var device = WrittenDevice("edge-1")
        let used = WrittenDevice.uplink("d0", "wired", .full, isUsed: true)
        var fleet = try Self.fleet([
            device.starts(at: 0), device.uplink("d0", "wired", .full, isUsed: true, at: 1),
            device.uplink("w0", "wwan", .full, at: 1),
            device.states(WrittenDevice.state(.full), [used], omitted: omitted, at: 10),
        ])
        #expect(try Self.row(&fleet, at: 11).uplinks.map(\.interface) == shown)
    }

    @Test
    func `a device cannot make its row large`() throws {
        let long = String(repeating: "wlan\u{1B}[2J\u{202E}0", count: 4000)
        var device = WrittenDevice("edge-1", host: long)
        var messages = [device.changes(to: WrittenDevice.state(.full, interface: long, reason: long), at: 0)]
        messages += (0..<100).map { device.uplink("\($0)\(long.prefix(500))", "wifi", .full, at: 1) }
        var fleet = try Self.fleet(messages)
        let row = try Self.row(&fleet, at: 2)
        #expect(row.uplinks.count <= Device.maximumUplinks)
        #expect(row.uplinks.allSatisfy { $0.interface.utf8.count <= 512 && !$0.interface.contains("\u{1B}") })
        #expect(row.host.utf8.count <= 1024)
        let code = Connectivity(String(repeating: "x\u{1B}", count: 4000))
        device = WrittenDevice("edge-2")
        fleet = try Self.fleet([device.changes(to: WrittenDevice.state(code), at: 3)])
        let stated = try #require(try Self.row(&fleet, at: 4).path?.connectivity)
        #expect((1...512).contains(stated.rawValue.utf8.count) && !stated.rawValue.contains("\u{1B}"))
    }
}
