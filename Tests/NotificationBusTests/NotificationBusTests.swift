import NotificationBus
import Synchronization
import Testing

/// Numbers, order, and what happens to the slow.
struct NotificationBusTests {
    /// The numbers of what waits in a subscription.
    private func taken(_ subscription: Subscription<Int>) -> [UInt64] {
        guard case .notifications(let batch) = subscription.take() else { return [] }
        return batch.map(\.sequence)
    }

    @Test("notifications are numbered from the first number without a gap")
    func numbers() {
        let bus = NotificationBus<Int>(firstSequence: 40)
        #expect(bus.lastSequence == 39)
        let subscription = bus.subscribe(capacity: 10)
        for value in 0..<3 { bus.publish { _ in value } }
        #expect(taken(subscription) == [40, 41, 42])
        #expect(bus.lastSequence == 42)
    }

    @Test("a subscriber sees everything published after it subscribed, and nothing before")
    func since() {
        let bus = NotificationBus<Int>()
        bus.publish { _ in 1 }
        let subscription = bus.subscribe(capacity: 10)
        bus.publish { _ in 2 }
        #expect(taken(subscription) == [2])
    }

    @Test("with many publishers at once, every subscriber sees the same, in order of number")
    func oneTimeline() async {
        let bus = NotificationBus<String>()
        let subscriptions = (0..<4).map { _ in bus.subscribe(capacity: 10_000) }
        await withTaskGroup(of: Void.self) { group in
            for publisher in 0..<4 {
                group.addTask { for number in 0..<500 { bus.publish { _ in "\(publisher)-\(number)" } } }
            }
        }
        let seen = subscriptions.map { subscription -> [Notification<String>] in
            guard case .notifications(let batch) = subscription.take() else { return [] }
            return batch
        }
        #expect(seen[0].map(\.sequence) == (1...2000).map(UInt64.init))
        for other in seen.dropFirst() { #expect(other == seen[0]) }
        for publisher in 0..<4 {
            let own = seen[0].map(\.content).filter { $0.hasPrefix("\(publisher)-") }
            #expect(own == (0..<500).map { "\(publisher)-\($0)" })
        }
    }

    @Test("subscribers are woken in the order in which they subscribed")
    func order() {
        let bus = NotificationBus<Int>()
        let woken = Mutex<[Int]>([])
        let subscriptions = (0..<20).map { number in
            bus.subscribe(capacity: 10) { woken.withLock { $0.append(number) } }
        }
        bus.cancel(subscriptions[7])
        woken.withLock { $0 = [] }
        bus.publish { _ in 1 }
        #expect(woken.withLock { $0 } == (0..<20).filter { $0 != 7 })
    }

    @Test("a subscriber with a wake threshold is woken when it is reached, and immediately at the end")
    func batches() {
        let bus = NotificationBus<Int>()
        let wakings = Mutex(0)
        let subscription = bus.subscribe(capacity: 100) { wakings.withLock { $0 += 1 } }
        func publish(_ count: Int) -> Int {
            for value in 0..<count { bus.publish { _ in value } }
            return wakings.withLock { $0 }
        }
        subscription.setWakeThreshold(4)
        #expect(publish(3) == 0)
        #expect(publish(2) == 1)
        #expect(taken(subscription) == [1, 2, 3, 4, 5])
        // Taken without being woken.
        #expect(publish(3) == 1)
        #expect(taken(subscription) == [6, 7, 8])
        #expect(publish(1) == 1)
        // One is queued already.
        subscription.setWakeThreshold(1)
        #expect(publish(1) == 2)
        #expect(taken(subscription) == [9, 10])
        #expect(publish(1) == 3)
        #expect(taken(subscription) == [11])
        subscription.setWakeThreshold(.max)
        #expect(publish(99) == 3)
        #expect(publish(1) == 4)
        #expect(taken(subscription).count == 100)
        bus.finish()
        #expect(wakings.withLock { $0 } == 5)
    }

    @Test("a subscriber that lags is notified at once, cut off, and delays no other subscriber")
    func lag() {
        let bus = NotificationBus<Int>()
        let slow = bus.subscribe(capacity: 2)
        let quick = bus.subscribe(capacity: 10)
        bus.publish { _ in 0 }
        #expect(taken(slow) == [1])
        for value in 1...3 { bus.publish { _ in value } }
        guard case .lagged(let last) = slow.take() else {
            Issue.record("the slow subscriber was not notified")
            return
        }
        #expect(last == 1)
        bus.publish { _ in 4 }
        guard case .finished = slow.take() else {
            Issue.record("something follows the cut-off")
            return
        }
        #expect(taken(quick) == [1, 2, 3, 4, 5])
    }

    @Test("when the bus finishes, queued notifications can still be taken first")
    func finish() {
        let bus = NotificationBus<Int>()
        let subscription = bus.subscribe(capacity: 10)
        bus.publish { _ in 1 }
        bus.finish()
        #expect(bus.publish { _ in 2 } == nil)
        #expect(taken(subscription) == [1])
        guard case .finished = subscription.take(), case .finished = bus.subscribe(capacity: 1).take() else {
            Issue.record("both are at their end")
            return
        }
    }

    @Test("a consumer is woken only by a notification into its empty queue, and at the end")
    func waking() {
        let count = Mutex(0)
        let bus = NotificationBus<Int>()
        let subscription = bus.subscribe(capacity: 10) { count.withLock { $0 += 1 } }
        for value in 0..<3 { bus.publish { _ in value } }
        #expect(count.withLock { $0 } == 1)
        _ = subscription.take()
        bus.publish { _ in 3 }
        #expect(count.withLock { $0 } == 2)
        bus.finish()
        #expect(count.withLock { $0 } == 3)
    }

    @Test("a cancelled subscription gets nothing more")
    func cancellation() {
        let bus = NotificationBus<Int>()
        let subscription = bus.subscribe(capacity: 10)
        bus.cancel(subscription)
        bus.publish { _ in 1 }
        guard case .finished = subscription.take() else {
            Issue.record("it is at its end")
            return
        }
    }

    @Test("a task that iterates concurrently with the publisher reaches the end of the bus")
    func iteration() async {
        let bus = NotificationBus<Int>()
        let subscription = bus.subscribe(capacity: 10_000)
        async let seen = subscription.reduce(into: [UInt64]()) { numbers, delivery in
            if case .notification(let notification) = delivery { numbers.append(notification.sequence) }
        }
        for value in 0..<1000 {
            bus.publish { _ in value }
            if value.isMultiple(of: 100) { await Task.yield() }
        }
        bus.finish()
        #expect(await seen == (1...1000).map(UInt64.init))
    }

    @Test("cancelling a task ends its iteration, whether it waits or not")
    func taskCancellation() async {
        let bus = NotificationBus<Int>()
        let subscription = bus.subscribe(capacity: 10)
        let (waiting, isWaiting) = AsyncStream<Void>.makeStream()
        let task = Task {
            isWaiting.finish()
            var count = 0
            for await _ in subscription { count += 1 }
            return count
        }
        for await _ in waiting {}
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test("a cancelled task gets none of the notifications that are still queued")
    func taskCancellationWithQueue() async {
        let bus = NotificationBus<Int>()
        let subscription = bus.subscribe(capacity: 10)
        for value in 0..<3 { bus.publish { _ in value } }
        let task = Task {
            var count = 0
            for await _ in subscription {
                count += 1
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return count
        }
        #expect(await task.value == 1)
    }
}
