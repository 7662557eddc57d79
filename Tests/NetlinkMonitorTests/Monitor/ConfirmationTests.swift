internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The second and the third look, because the kernel announces what it removes before it has removed it.
struct ConfirmationTests {
    private let start = ContinuousClock.now
    private let routes = KernelView.Effects(isRelevant: true, isEdge: true, classifies: true, staleRoutes: [.ipv4])

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start.advanced(by: .milliseconds(milliseconds)) }

    @Test("nothing is rechecked without a relevant message")
    func idle() {
        var confirmation = Confirmation.ofChanges
        confirmation.note(KernelView.Effects(), at: at(0))
        #expect(confirmation.due == nil)
        #expect(confirmation.take(at: at(1000)) == nil)
    }

    @Test("state that a message made stale is reread after 2 ms and another 50 ms, and then no more")
    func looks() {
        var confirmation = Confirmation.ofChanges
        confirmation.note(routes, at: at(0))
        #expect(confirmation.due == at(2))
        #expect(confirmation.take(at: at(1)) == nil)
        #expect(confirmation.take(at: at(2))?.staleRoutes == [.ipv4])
        #expect(confirmation.due == at(52))
        #expect(confirmation.take(at: at(52))?.staleRoutes == [.ipv4])
        #expect(confirmation.due == nil)
        #expect(confirmation.take(at: at(500)) == nil)
    }

    @Test("another message restarts the rechecks and adds the state that it made stale")
    func restart() {
        var confirmation = Confirmation.ofChanges
        confirmation.note(routes, at: at(0))
        _ = confirmation.take(at: at(2))
        confirmation.note(KernelView.Effects(isRelevant: true, staleRules: true), at: at(10))
        #expect(confirmation.due == at(12))
        let again = confirmation.take(at: at(12))
        #expect(again?.staleRules == true)
        #expect(again?.staleRoutes == [.ipv4])
        #expect(again?.isEdge == false)
    }

    @Test("a route that was still there when its removal was announced is found missing 2 ms later")
    func announcedTooEarly() throws {
        let harness = try CoreHarness()
        try harness.start()
        _ = harness.takeEvents()
        // The message comes first, as the kernel sends it.
        let route = try #require(harness.network.defaultRoutes.first)
        harness.queue.entries.append(.datagram(NetlinkDatagram([.routeRemoved(route)])))
        harness.turn()
        #expect(harness.takeEvents().isEmpty)
        harness.network.setDefault(nil)
        let due = try #require(harness.core.wakeDue)
        harness.clock.advance(by: harness.clock.now.instant.duration(to: due))
        harness.turn()
        let update = try #require(harness.takeEvents().first?.update)
        #expect(update.snapshot.defaultRoutes.isEmpty)
        #expect(update.changes.contains { $0.code == .routeRemoved })
    }
}
