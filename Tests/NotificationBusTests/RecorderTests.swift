import NotificationBus
import Synchronization
import Testing

/// The recorder, a subscriber that receives notifications before the others, and its bypass when it hangs.
struct RecorderTests {
    private func taken(_ subscription: Subscription<Int>) -> [UInt64] {
        guard case .notifications(let batch) = subscription.take() else { return [] }
        return batch.map(\.sequence)
    }

    private func isFinished(_ subscription: Subscription<Int>) -> Bool {
        if case .finished = subscription.take() { true } else { false }
    }

    private func publish(_ count: Int, on bus: NotificationBus<Int>) {
        for value in 0..<count { bus.publish { _ in value } }
    }

    @Test("subscribers get nothing that the recorder has not released")
    func order() {
        let bus = NotificationBus<Int>()
        let recorder = bus.subscribeRecorder(capacity: 10)
        let subscriber = bus.subscribe(capacity: 10)
        publish(3, on: bus)
        #expect(taken(recorder) == [1, 2, 3])
        #expect(taken(subscriber) == [])
        #expect((bus.lastSequence, bus.lastReleased) == (3, 0))
        bus.release(through: 2)
        #expect(taken(subscriber) == [1, 2])
        bus.release(through: 3)
        #expect(taken(subscriber) == [3])
        #expect(bus.lastReleased == 3)
    }

    @Test("a subscriber that joins while notifications are held gets them when they are released")
    func lateSubscriber() {
        let bus = NotificationBus<Int>()
        _ = bus.subscribeRecorder(capacity: 10)
        publish(2, on: bus)
        let late = bus.subscribe(capacity: 10)
        bus.release(through: 2)
        #expect(taken(late) == [1, 2])
    }

    @Test("a slow subscriber that joins while notifications are held resumes before them")
    func lateSlowSubscriber() {
        let bus = NotificationBus<Int>()
        _ = bus.subscribeRecorder(capacity: 10)
        publish(2, on: bus)
        let late = bus.subscribe(capacity: 1)
        bus.release(through: 2)
        guard case .lagged(let last) = late.take() else {
            Issue.record("expected a lagging subscriber")
            return
        }
        #expect(last == 0)
    }

    @Test("a subscriber that joins a finished bus gets what is still held, then the end")
    func lateAtTheEnd() {
        let bus = NotificationBus<Int>()
        _ = bus.subscribeRecorder(capacity: 10)
        publish(2, on: bus)
        bus.finish()
        let late = bus.subscribe(capacity: 10)
        bus.release(through: 2)
        #expect(taken(late) == [1, 2])
        #expect(isFinished(late))
    }

    @Test("a second recorder ends the first one's subscription")
    func replaced() {
        let bus = NotificationBus<Int>()
        let former = bus.subscribeRecorder(capacity: 10)
        let recorder = bus.subscribeRecorder(capacity: 10)
        #expect(isFinished(former))
        publish(1, on: bus)
        #expect(taken(recorder) == [1])
    }

    @Test("a recorder of a finished bus ends at once")
    func recorderAtTheEnd() {
        let bus = NotificationBus<Int>()
        bus.finish()
        #expect(isFinished(bus.subscribeRecorder(capacity: 10)))
    }

    @Test("a bypass while nothing waits has no effect")
    func needlessBypass() {
        let bus = NotificationBus<Int>()
        _ = bus.subscribeRecorder(capacity: 10)
        let subscriber = bus.subscribe(capacity: 10)
        bus.bypassRecorder()
        #expect(!bus.isRecorderBypassed)
        publish(1, on: bus)
        #expect(taken(subscriber) == [])
    }

    @Test("a recorder that is cut off counts as bypassed")
    func bypassedByOverflow() {
        let bus = NotificationBus<Int>()
        _ = bus.subscribeRecorder(capacity: 1)
        publish(2, on: bus)
        #expect(bus.isRecorderBypassed)
    }

    @Test("the hold handler is called when the first notification is held, at each progress, and when none is")
    func held() {
        let told = Mutex<[Bool]>([])
        let bus = NotificationBus<Int> { isHeld in told.withLock { $0.append(isHeld) } }
        _ = bus.subscribeRecorder(capacity: 10)
        publish(3, on: bus)
        bus.release(through: 2)
        // No progress: the timer runs on.
        bus.release(through: 2)
        bus.release(through: 3)
        publish(1, on: bus)
        #expect(told.withLock { $0 } == [true, true, false, true])
    }

    @Test("a hung recorder is bypassed, still gets everything, and is waited for again once it has caught up")
    func bypass() {
        let bus = NotificationBus<Int>()
        let recorder = bus.subscribeRecorder(capacity: 10)
        let subscriber = bus.subscribe(capacity: 10)
        publish(2, on: bus)
        bus.bypassRecorder()
        #expect(bus.isRecorderBypassed)
        publish(1, on: bus)
        #expect(taken(subscriber) == [1, 2, 3])
        #expect(taken(recorder) == [1, 2, 3])
        bus.release(through: 2)
        #expect(bus.isRecorderBypassed)
        bus.release(through: 3)
        #expect(!bus.isRecorderBypassed)
        publish(1, on: bus)
        #expect(taken(subscriber) == [])
    }

    @Test("a recorder with a full queue is cut off, and subscribers do without until a recorder subscribes again")
    func overflow() {
        let bus = NotificationBus<Int>()
        let recorder = bus.subscribeRecorder(capacity: 2)
        let subscriber = bus.subscribe(capacity: 10)
        publish(3, on: bus)
        #expect(taken(subscriber) == [1, 2, 3])
        guard case .lagged(0) = recorder.take() else {
            Issue.record("the recorder was not told that it lagged")
            return
        }
        publish(1, on: bus)
        #expect(taken(subscriber) == [4])
        let again = bus.subscribeRecorder(capacity: 2)
        publish(1, on: bus)
        #expect(taken(again) == [5])
        #expect(taken(subscriber) == [])
    }

    @Test("when the bus finishes, subscribers get the rest as the recorder releases it")
    func ending() {
        let bus = NotificationBus<Int>()
        let recorder = bus.subscribeRecorder(capacity: 10)
        let subscriber = bus.subscribe(capacity: 10)
        publish(2, on: bus)
        bus.finish()
        guard case .empty = subscriber.take() else {
            Issue.record("the subscriber was given something before the recorder released it")
            return
        }
        #expect(taken(recorder) == [1, 2])
        bus.release(through: 2)
        #expect(taken(subscriber) == [1, 2])
        guard case .finished = subscriber.take(), case .finished = recorder.take() else {
            Issue.record("a subscription did not end")
            return
        }
    }

    @Test("cancelling the recorder releases what it held, and nothing is held any more")
    func cancelled() {
        let bus = NotificationBus<Int>()
        let recorder = bus.subscribeRecorder(capacity: 10)
        let subscriber = bus.subscribe(capacity: 10)
        publish(1, on: bus)
        bus.cancel(recorder)
        publish(1, on: bus)
        #expect(taken(subscriber) == [1, 2])
    }

    /// The ways in which everything that was held is delivered at once.
    enum Release: CaseIterable { case released, bypassed, cancelled, replaced, overflowed }

    @Test("a fast subscriber gets all of a long wait, however it ends", arguments: Release.allCases)
    func longWait(_ end: Release) {
        let bus = NotificationBus<Int>()
        let recorder = bus.subscribeRecorder(capacity: 5_000)
        let taken = Mutex<[UInt64]>([])
        let subscriber = FastSubscriber(of: bus, capacity: 2_000) { batch in taken.withLock { $0 += batch } }
        publish(5_000, on: bus)
        #expect(taken.withLock { $0.isEmpty })
        switch end {
        case .released: bus.release(through: 5_000)
        case .bypassed: bus.bypassRecorder()
        case .cancelled: bus.cancel(recorder)
        case .replaced: _ = bus.subscribeRecorder(capacity: 1)
        case .overflowed: publish(1, on: bus)
        }
        #expect(taken.withLock { $0.prefix(5_000).elementsEqual(1...5_000) })
        #expect(taken.withLock { $0.count } == (end == .overflowed ? 5_001 : 5_000))
        withExtendedLifetime(subscriber) {}
    }

    @Test("a notification that is published between two portions of a long wait follows them")
    func publishedMeanwhile() {
        let bus = NotificationBus<Int>()
        let recorder = bus.subscribeRecorder(capacity: 5_000)
        let taken = Mutex<[UInt64]>([])
        let subscriber = FastSubscriber(of: bus, capacity: 2_000) { batch in
            taken.withLock { $0 += batch }
            // Once: the notification itself leads to another delivery.
            if batch.first == 1 { bus.publish { _ in 0 } }
        }
        publish(3_000, on: bus)
        bus.cancel(recorder)
        #expect(taken.withLock { $0.elementsEqual(1...3_001) })
        #expect((bus.lastReleased, bus.lastSequence) == (3_001, 3_001))
        withExtendedLifetime(subscriber) {}
    }
}

/// A subscriber that takes everything as soon as it is woken.
private final class FastSubscriber: Sendable {
    private let subscription = Mutex<Subscription<Int>?>(nil)

    init(of bus: NotificationBus<Int>, capacity: Int, take: @escaping @Sendable ([UInt64]) -> Void) {
        let subscribed = bus.subscribe(capacity: capacity) { [weak self] in
            guard case .notifications(let batch)? = self?.subscription.withLock({ $0 })?.take() else { return }
            take(batch.map(\.sequence))
        }
        subscription.withLock { $0 = subscribed }
    }
}
