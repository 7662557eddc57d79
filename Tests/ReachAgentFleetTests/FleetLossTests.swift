import AgentEvents
import Availability
import Testing

@testable import ReachAgentFleet

/// Events that never come, come late, or are after the time in question.
@Suite struct FleetLossTests {
    private static let down = WrittenDevice.state(.none, reason: "link_down")
    private static let full = WrittenDevice.state(.full)

    private static func row(_ messages: [FleetMessage], _ range: ClosedRange<Int64>? = 0...100) throws -> FleetRow {
        let window = try range.map { range in
            let (start, end) = (WrittenDevice.moment(range.lowerBound), WrittenDevice.moment(range.upperBound))
            return try #require(Window(from: start, to: end, in: .utc))
        }
        var fleet = Fleet(window: window)
        for message in messages { fleet.add(message) }
        let now = WrittenDevice.moment(range.map(\.upperBound) ?? 100)
        return try #require(fleet.rows(at: now, silentAfter: nil).first)
    }

    /// Returns the available, unavailable and unknown seconds.
    private static func seconds(_ row: FleetRow) throws -> [Int64] {
        let figures = try #require(row.figures)
        return [figures.available, figures.unavailable, figures.unknown].map { $0 / 1_000_000 }
    }

    /// The events of a device that is full, has an outage from second 20 to 30, and is full to the end.
    private static func outage(in device: inout WrittenDevice) -> [FleetMessage] {
        [
            device.changes(to: full, at: 0), device.other(at: 10), device.changes(to: down, at: 20),
            device.changes(to: full, at: 30), device.other(at: 40),
        ]
    }

    @Test
    func `the time of an announced loss is unknown, and each state waits for its next change`() throws {
        var device = WrittenDevice("edge-1")
        var messages = Self.outage(in: &device)
        messages.removeSubrange(2...3)
        // Without an announcement a missing number has no meaning: a sink with types leaves numbers out.
        #expect(try Self.seconds(Self.row(messages + [device.other(at: 100)])) == [100, 0, 0])
        device.sequence -= 1
        messages.append(device.loses(3...4, at: 50))
        let later = device
        #expect(try Self.seconds(Self.row(messages + [device.other(at: 100)])) == [10, 0, 90])
        device = later
        // The next change says what was before it.
        messages += [device.changes(to: Self.down, at: 60), device.changes(to: Self.full, at: 70)]
        messages.append(device.other(at: 100))
        #expect(try Self.seconds(Self.row(messages)) == [60, 10, 30])
    }

    @Test
    func `of a sink with types only the announced number of events is lost`() throws {
        var device = WrittenDevice("edge-1")
        var messages = Self.outage(in: &device)
        messages.removeSubrange(2...3)
        messages += [device.loses(3...4, count: 1, at: 50), device.other(at: 100)]
        #expect(try Self.row(messages).lost == 1)
        #expect(try Self.seconds(Self.row(messages)) == [10, 0, 90], "which of the two is not known")
    }

    @Test
    func `a change between a loss and its announcement keeps the state after it`() throws {
        var device = WrittenDevice("edge-1")
        var messages = Self.outage(in: &device)
        messages.removeSubrange(2...3)
        messages += [device.changes(to: Self.down, at: 60), device.changes(to: Self.full, at: 70)]
        messages += [device.loses(3...3, at: 80), device.loses(4...4, at: 80), device.other(at: 100)]
        #expect(try Self.seconds(Self.row(messages)) == [60, 10, 30])
        #expect(try Self.row(messages).lost == 2)
    }

    @Test
    func `an announcement that follows the gap directly, or is about another sink, costs no more than the gap`() throws
    {
        var device = WrittenDevice("edge-1")
        var messages = Array(Self.outage(in: &device).prefix(2))
        device.sequence -= 1
        messages += [device.loses(3...4, at: 50), device.changes(to: Self.full, at: 60), device.other(at: 100)]
        #expect(try Self.seconds(Self.row(messages)) == [60, 0, 40])
        var other = WrittenDevice("edge-1")
        let all = Self.outage(in: &other) + [other.loses(3...4, at: 50), other.other(at: 100)]
        #expect(try Self.seconds(Self.row(all)) == [90, 10, 0])
    }

    @Test
    func `events omitted from the journal by their type are no loss`() throws {
        var device = WrittenDevice("edge-1")
        var messages = [device.changes(to: Self.full, at: 0)]
        device.sequence = 9
        let omitted = EventsOmitted(firstSequence: 2, count: 9)
        messages.append(device.event(.eventsOmitted, at: 20, .eventsOmitted(omitted)))
        messages += [device.loses(2...9, at: 50), device.other(at: 100)]
        #expect(try Self.seconds(Self.row(messages)) == [100, 0, 0])
    }

    @Test
    func `the state before the time of a report is unknown if a loss is at its start`() throws {
        var device = WrittenDevice("edge-1")
        var messages = Self.outage(in: &device)
        messages.removeSubrange(2...3)
        messages += [device.loses(3...4, at: 50), device.other(at: 100)]
        let row = try Self.row(messages, 15...100)
        #expect(try Self.seconds(row) == [0, 0, 85])
    }

    @Test(arguments: [nil, 0...100] as [ClosedRange<Int64>?])
    func `an event that is stored late changes the state unless a later one has`(_ window: ClosedRange<Int64>?) throws {
        var device = WrittenDevice("edge-1")
        var messages = Self.outage(in: &device)
        let late = device.changes(to: Self.down, at: 50)
        messages += [device.other(at: 60), late, device.other(at: 100)]
        let row = try Self.row(messages, window)
        #expect(row.state == .none)
        #expect(row.since == WrittenDevice.moment(50))
        // It is unknown, not available: the figures take events in order.
        if window != nil { #expect(try Self.seconds(row) == [40, 10, 50]) }
        // Coming once more it changes nothing.
        #expect(try Self.row(messages + [late], window).figures == row.figures)
        let recovered = messages.dropLast() + [device.changes(to: Self.full, at: 90), late]
        #expect(try Self.row(Array(recovered), window).state == .full)
    }

    @Test
    func `a stop and an uplink that are stored late are read in their order`() throws {
        var device = WrittenDevice("edge-1")
        var messages = [device.starts(at: 0), device.changes(to: Self.full, at: 1)]
        let older = device.uplink("wlan0", "wifi", .full, at: 10)
        messages += [device.uplink("wlan0", "wifi", .none, at: 11), older]
        #expect(try Self.row(messages, nil).uplinks.map(\.connectivity) == ["none"])
        let stop = device.stops(at: 20)
        messages += [device.starts(at: 30), stop]
        let row = try Self.row(messages, nil)
        #expect(row.state == .full)
        // That was before the start.
        #expect(row.uplinks.isEmpty)
    }

    @Test
    func `a report of a past time has neither the losses nor the state of the time after it`() throws {
        var device = WrittenDevice("edge-1")
        var messages = Self.outage(in: &device)
        messages += [device.other(at: 110), device.changes(to: Self.down, at: 150)]
        let end = device.sequence
        device.sequence += 5
        messages += [device.other(at: 200), device.loses(end + 1...end + 5, at: 210), device.stops(at: 220)]
        let row = try Self.row(messages)
        #expect(row.state == .full)
        #expect(row.since == WrittenDevice.moment(30))
        #expect(row.lost == 0)
        #expect(row.sequence == 5)
        #expect(row.lastSeen == WrittenDevice.moment(40))
        #expect(try Self.row(messages, 0...300).lost == 5)
        #expect(try Self.row(messages, 0...300).state == .stopped)
    }

    @Test
    func `an event of the time that comes after its end, and a clock that is ahead, still set the state`() throws {
        var device = WrittenDevice("edge-1")
        let messages = [device.changes(to: Self.full, at: 0), device.changes(to: Self.down, at: 50, stored: 900)]
        #expect(try Self.row(messages).state == .none)
        var ahead = WrittenDevice("edge-1")
        #expect(try Self.row([ahead.changes(to: Self.full, at: 900, stored: 10)]).state == .full)
    }

    @Test
    func `the states in an event about missing ones count from it on, whenever the loss is announced`() throws {
        var device = WrittenDevice("edge-1")
        var messages = [
            device.changes(to: Self.full, at: 0), device.uplink("wlan0", "wifi", .full, at: 0), device.other(at: 10),
        ]
        // The device's journal lacks the changes.
        let gap = device.sequence + 1...device.sequence + 5000
        device.sequence += 5000
        messages.append(device.other(at: 40))
        let uplinks = [WrittenDevice.uplink("wlan0", "wifi", .none, reason: "link_down")]
        messages.append(device.states(Self.down, uplinks, at: 50))
        let before = try Self.row(messages + [device.other(at: 100)])
        #expect(before.state == .none)
        #expect(before.since == WrittenDevice.moment(50))
        #expect(before.uplinks.map(\.connectivity) == ["none"])
        // The time since the last known change is unknown, because a change is missing somewhere in it.
        #expect(try Self.seconds(before) == [0, 50, 50])
        messages += [device.loses(gap, at: 60), device.other(at: 100)]
        let after = try Self.row(messages)
        #expect(after.state == .none)
        #expect(try Self.seconds(after) == [0, 50, 50])
    }

    @Test
    func `a state that was known before missing events keeps its beginning, and is known after them`() throws {
        var device = WrittenDevice("edge-1")
        var messages = [device.starts(at: 0), device.changes(to: Self.full, at: 0), device.other(at: 10)]
        let gap = device.sequence + 1...device.sequence + 5000
        device.sequence += 5000
        messages += [device.other(at: 40), device.states(Self.full, at: 50)]
        messages += [device.loses(gap, at: 60), device.other(at: 100)]
        let row = try Self.row(messages)
        #expect(row.state == .full)
        #expect(row.since == WrittenDevice.moment(0))
        #expect(try Self.seconds(row) == [70, 0, 30])
    }
}
