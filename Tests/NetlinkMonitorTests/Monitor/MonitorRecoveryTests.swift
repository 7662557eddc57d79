internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// A monitor that loses messages: every loss is reported, and made good.
struct MonitorRecoveryTests {
    private let harness: CoreHarness

    init() throws {
        harness = try CoreHarness()
        try harness.start()
        _ = harness.takeEvents()
    }

    /// A change of the network that nobody hears of.
    private func missChange() {
        harness.network.links[2]?.flags = []
        harness.network.setDefault(3)
    }

    @Test("an overrun leads to a resynchronization that names the missed changes, and then to an update")
    func overrun() throws {
        missChange()
        harness.queue.entries = [.overrun]
        harness.queue.drops = 17
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_overrun", "resynchronized after 1", "update"])
        guard case .overrun(let overrun) = harness.events[0] else {
            Issue.record("no overrun")
            return
        }
        #expect(overrun.dropped == 17)
        let corrections = try #require(harness.events[1].resynchronization?.corrections)
        #expect(corrections.map(\.code).contains(.linkDown))
        #expect(corrections == harness.events[2].update?.changes)
        #expect(harness.core.statistics.overruns == 1)
        #expect(harness.core.statistics.resynchronizations == 1)
        #expect(harness.core.retryDue == nil)
    }

    @Test(
        "after an overrun, no message of a long queue is applied to what was read after it",
        arguments: [10, 5000, 20_000]
    )
    func longQueue(length: Int) throws {
        // The link was down for a while, and its return is among what the kernel dropped.
        let down = NetlinkDatagram([.link(2, "eth0")])
        harness.queue.entries = [.overrun] + Array(repeating: .datagram(down), count: length)
        harness.turn()
        #expect(harness.takeEvents().map(\.word) == ["netlink_overrun", "resynchronized after 1"])
        for _ in 0..<4 { harness.turn() }
        #expect(harness.events.isEmpty)
        #expect(harness.core.snapshot?.links[2]?.isUsable == true)
        #expect(harness.queue.reopened == (length < 4096 ? 0 : 1))
    }

    @Test("messages that arrive faster than they are read make the view uncertain")
    func endlessQueue() throws {
        let down = NetlinkDatagram([.link(2, "eth0")])
        harness.network.duringNextDump = { [queue = harness.queue] in
            queue.entries = Array(repeating: .datagram(down), count: 5000)
        }
        harness.queue.entries = [.overrun]
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_overrun", "failed", "update"])
        #expect(harness.events.last?.update?.snapshot.isSynchronized == false)
    }

    @Test("an overrun without missed changes has no corrections, and no update follows")
    func harmlessOverrun() throws {
        harness.queue.entries = [.overrun]
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_overrun", "resynchronized after 1"])
        #expect(harness.events.last?.resynchronization?.corrections.isEmpty == true)
    }

    @Test("truncated and malformed messages are losses with separate codes")
    func unreadable() throws {
        var broken = MessageBuilder.link(2, "eth0")
        broken.attributes[0].claimedLength = 0
        let entries: [(ScriptedQueue.Entry, String)] = [
            (.truncated, "netlink_truncated"),
            (.datagram(NetlinkDatagram([broken])), "netlink_malformed"),
            (.datagram(NetlinkDatagram(bytes: [1, 2, 3])), "netlink_malformed"),
        ]
        for (entry, code) in entries {
            harness.clock.advance(by: .seconds(60))
            harness.queue.entries = [entry]
            harness.turn()
            #expect(harness.takeEvents().map(\.word) == [code, "resynchronized after 1"])
        }
        #expect(harness.core.statistics.truncated == 1)
        #expect(harness.core.statistics.malformed == 2)
    }

    @Test("an interrupted dump is restarted and counted")
    func interruptedDump() throws {
        missChange()
        harness.network.interruptions = 3
        harness.queue.entries = [.overrun]
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_overrun", "resynchronized after 1", "update"])
        #expect(harness.core.statistics.interruptedDumps == 3)
        #expect(harness.network.linkDumps == 5)
    }

    @Test("while dumps are interrupted, the last view is kept, marked as uncertain, until a later attempt succeeds")
    func failingRecovery() throws {
        missChange()
        harness.network.interruptions = 16
        harness.queue.entries = [.overrun]
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_overrun", "failed", "update"])
        guard case .resynchronizationFailed(let error, let pause) = harness.events[1] else {
            Issue.record("no failed resynchronization")
            return
        }
        #expect(error.cause == .dumpInterrupted)
        #expect(pause == .milliseconds(40))
        let uncertain = try #require(harness.events[2].update)
        #expect(!uncertain.snapshot.isSynchronized)
        #expect(uncertain.snapshot.links[2]?.isUsable == true)
        #expect(uncertain.changes.map(\.code) == [.synchronizationChanged])
        #expect(harness.core.retryDue == harness.clock.now.instant.advanced(by: .milliseconds(40)))

        _ = harness.takeEvents()
        harness.turn()
        #expect(harness.events.isEmpty, "the next attempt is not due yet")
        harness.clock.advance(by: .milliseconds(40))
        harness.turn()
        #expect(harness.takeEvents().map(\.word) == ["failed"])
        harness.clock.advance(by: .milliseconds(80))
        harness.turn()
        #expect(harness.events.map(\.word) == ["resynchronized after 3", "update"])
        let mended = try #require(harness.events.last?.update?.snapshot)
        #expect(mended.isSynchronized)
        #expect(mended.links[2]?.isUsable == false)
        #expect(harness.core.retryDue == nil)
    }

    @Test("a change while a resynchronization is due leaves the view uncertain")
    func newsWhileUncertain() throws {
        harness.network.interruptions = 8
        harness.queue.entries = [.overrun]
        harness.turn()
        #expect(harness.takeEvents().map(\.word) == ["netlink_overrun", "failed", "update"])
        harness.setLink(3, "wwan0", [], .down)
        harness.turn()
        let update = try #require(harness.events.first?.update)
        #expect(update.changes.map(\.code).contains(.linkDown))
        #expect(!update.snapshot.isSynchronized)
    }

    @Test("a failed lookup is reported, and retried without another message", arguments: [false, true])
    func failingLookup(isEdge: Bool) throws {
        harness.network.failingLookups = 1
        if isEdge {
            harness.setLink(2, "eth0", [.up], .down)
        } else {
            harness.network.setDefault(3)
            harness.queue.entries = [.datagram(NetlinkDatagram([.route(harness.network.defaultRoutes[0])]))]
        }
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_request_failed", "resynchronized after 1", "update"])
        #expect(harness.core.loss.isPending == false)
    }

    @Test("a resynchronization soon after another one is delayed, and the view uncertain until a timer fires")
    func distance() throws {
        harness.queue.entries = [.overrun]
        harness.turn()
        _ = harness.takeEvents()
        missChange()
        harness.queue.entries = [.overrun]
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_overrun", "update"])
        #expect(harness.takeEvents().last?.update?.snapshot.isSynchronized == false)
        harness.setLink(3, "wwan0", [.up], .down)
        harness.turn()
        #expect(harness.takeEvents().map { $0.update?.snapshot.isSynchronized } == [false])
        let due = try #require(harness.core.retryDue)
        harness.clock.advance(by: harness.clock.now.instant.duration(to: due))
        harness.turn()
        #expect(harness.events.map(\.word) == ["resynchronized after 1", "update"])
        #expect(harness.events.last?.update?.snapshot.isSynchronized == true)
    }

    @Test func `a path over an interface whose message was lost is not certain until the resynchronization`() throws {
        harness.queue.entries = [.overrun]
        harness.turn()
        _ = harness.takeEvents()
        // The kernel drops the message about wg0, and then has space for that about the route over it.
        harness.network.links[9] = Link(index: 9, name: "wg0", flags: [.up, .lowerUp])
        harness.network.setDefault(9)
        harness.queue.entries = [.overrun, .datagram(NetlinkDatagram([.route(harness.network.defaultRoutes[0])]))]
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_overrun", "update"])
        let uncertain = try #require(harness.takeEvents().last?.update?.snapshot)
        let path = try #require(uncertain.internetPath(.ipv4))
        #expect(!uncertain.isSynchronized)
        #expect(path.route?.interfaceIndex == 9 && path.link == nil)
        #expect(!path.isCertain)
        let due = try #require(harness.core.retryDue)
        harness.clock.advance(by: harness.clock.now.instant.duration(to: due))
        harness.turn()
        #expect(harness.events.map(\.word) == ["resynchronized after 1", "update"])
        let found = try #require(harness.events.last?.update?.snapshot.internetPath(.ipv4))
        #expect(found.link?.name == "wg0")
        #expect(found.isCertain)
    }

    @Test("a broken source is reopened, and the reopening is retried if it fails")
    func brokenSource() throws {
        harness.queue.entries = [.failure(NetlinkError(operation: "read", cause: .errno(100)))]
        harness.queue.failingReopens = 1
        harness.turn()
        #expect(harness.takeEvents().map(\.word) == ["netlink_request_failed", "failed", "update"])
        #expect(harness.core.isSourceBroken)
        harness.clock.advance(by: .seconds(1))
        harness.turn()
        #expect(harness.takeEvents().map(\.word) == ["resynchronized after 2", "update"])
        #expect(!harness.core.isSourceBroken)
        #expect(harness.queue.reopened == 1)
    }

    @Test("messages lost during a resynchronization restart it")
    func lossWhileReading() throws {
        harness.network.duringNextDump = { [queue = harness.queue] in queue.entries.append(.overrun) }
        harness.queue.entries = [.overrun]
        harness.turn()
        #expect(harness.takeEvents().map(\.word) == ["netlink_overrun", "failed", "update"])
        harness.clock.advance(by: .milliseconds(40))
        harness.turn()
        #expect(harness.events.map(\.word) == ["resynchronized after 2", "update"])
        #expect(harness.core.statistics.overruns == 2)
    }

    @Test("a message received during a resynchronization is part of its result")
    func messageWhileReading() throws {
        harness.network.duringNextDump = { [harness] in harness.setLink(9, "usb0", [.up, .lowerUp]) }
        harness.queue.entries = [.overrun]
        harness.turn()
        #expect(harness.events.map(\.word) == ["netlink_overrun", "resynchronized after 1", "update"])
        #expect(harness.events[1].resynchronization?.corrections.map(\.code) == [.linkAdded])
        #expect(harness.queue.entries.isEmpty)
    }

    @Test("losses during the initial dump are recovered after the first view")
    func lossWhileStarting() throws {
        for entry in [ScriptedQueue.Entry.overrun, .truncated, .datagram(NetlinkDatagram(bytes: [1]))] {
            let harness = try CoreHarness()
            harness.queue.entries = [entry]
            try harness.start()
            let words = harness.events.map(\.word)
            #expect(words.first == "update")
            #expect(words.last == "resynchronized after 1")
            #expect(words.count == 3)
            #expect(harness.core.retryDue == nil)
        }
    }
}
