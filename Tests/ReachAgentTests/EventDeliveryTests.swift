import AgentEvents
import NotificationBus
import Synchronization
import Testing

@testable import ReachAgent

/// Events for a consumer that handles them on the publisher's thread.
@Suite struct EventDeliveryTests {
    private let bus = NotificationBus<Event>()
    private let origin = EventOrigin(streamID: "6f1c", host: "edge-7")

    private func publish() {
        bus.publish { number in Event(.agentStopping(reason: "SIGTERM"), from: origin, at: .now, number: number) }
    }

    /// New hooks are configured on another thread, while the publisher may still be printing the event.
    @Test func `who catches up gets what is published before its turn, and once`() {
        let taken = Mutex<[UInt64?]>([])
        let delivery = EventDelivery(bus: bus) { event in taken.withLock { $0.append(event.sequence) } }
        let before = Mutex<[[UInt64?]]>([])
        let earlier = bus.subscribe(capacity: 8) {
            before.withLock { $0.append(taken.withLock { $0 }) }
            delivery.catchUp()
            before.withLock { $0.append(taken.withLock { $0 }) }
        }
        delivery.start()
        publish()
        #expect(before.withLock { $0 } == [[], [1]])
        #expect(taken.withLock { $0 } == [1])
        delivery.end()
        withExtendedLifetime(earlier) {}
    }

    /// A recorder with a slow disk holds the events that were published before a reload.
    @Test func `a change of the consumer is made between the events before it and those after it`() throws {
        let taken = Mutex<[String]>([])
        let delivery = EventDelivery(bus: bus) { event in
            taken.withLock { $0.append(event.sequence.map(String.init) ?? "") }
        }
        let recorder = bus.subscribeRecorder(capacity: 8)
        delivery.start()
        delivery.afterPublishedEvents { taken.withLock { $0.append("first") } }
        #expect(taken.withLock { $0 } == ["first"])
        for _ in 0..<2 { publish() }
        delivery.afterPublishedEvents { taken.withLock { $0.append("second") } }
        publish()
        delivery.afterPublishedEvents { taken.withLock { $0.append("third") } }
        #expect(taken.withLock { $0 } == ["first"])
        bus.release(through: 1)
        #expect(taken.withLock { $0 } == ["first", "1"])
        bus.release(through: 3)
        #expect(taken.withLock { $0 } == ["first", "1", "2", "second", "3", "third"])
        delivery.end()
        delivery.afterPublishedEvents { taken.withLock { $0.append("fourth") } }
        #expect(taken.withLock { $0 }.last == "fourth")
        withExtendedLifetime(recorder) {}
    }

    @Test func `nothing is delivered before the start and after the end`() {
        let count = Mutex(0)
        let delivery = EventDelivery(bus: bus) { _ in count.withLock { $0 += 1 } }
        publish()
        delivery.catchUp()
        delivery.start()
        publish()
        delivery.end()
        publish()
        delivery.catchUp()
        #expect(count.withLock { $0 } == 1)
    }
}
