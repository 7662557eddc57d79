internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The byte counters of interfaces.
struct StatisticsMessageTests {
    @Test("the bytes in both directions are read, and packets are not taken for them")
    func counters() throws {
        let message = MessageBuilder.statistics(interface: 7, received: 5, sent: .max)
        let bytes = InterfaceBytes(received: 5, sent: .max)
        #expect(try parse(message) == .statistics(interfaceIndex: 7, bytes))
        #expect(bytes.total == 4)
    }

    @Test(
        "an answer without the counters is passed over, and one without an interface or with half of them is malformed"
    )
    func malformed() throws {
        var message = MessageBuilder.statistics(interface: 7, received: 5, sent: 6)
        message.attributes[0].value.removeLast()
        #expect(throws: MessageError.self) { try parse(message) }
        message.attributes = []
        #expect(try parse(message) == .irrelevant(type: Rtnetlink.newStatistics))
        #expect(throws: MessageError.self) { try parse(.statistics(interface: 0, received: 5, sent: 6)) }
    }

    @Test("the kernel counts what passes the loopback interface")
    func kernel() throws {
        var counters = try #require(InterfaceCounters(of: "lo"))
        let readings = [counters.read(), counters.read()].compactMap(\.self)
        #expect(readings.count == 2 && readings[0].total <= readings[1].total)
        let absent = InterfaceCounters(of: "no-such-if0")
        #expect(absent.map { _ in true } == nil)
    }
}
