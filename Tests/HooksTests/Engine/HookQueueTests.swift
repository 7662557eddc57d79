import Testing

@testable import Hooks

@Suite
struct HookQueueTests {
    private let zero = SuspendingClock.Instant.now

    private func at(_ milliseconds: Int) -> SuspendingClock.Instant { zero.advanced(by: .milliseconds(milliseconds)) }

    /// Begins all that is due, and says what.
    private func begun(_ queue: inout HookQueue<Int>, at now: SuspendingClock.Instant) -> [Int] {
        var begun: [Int] = []
        while let start = queue.next(at: now) { begun.append(start.element) }
        return begun
    }

    @Test
    func `a run starts at once, and the next one when it has ended`() {
        var queue = HookQueue<Int>(HookPace())
        #expect(queue.isIdle && queue.wake == nil)
        queue.offer(1, at: at(0))
        #expect(queue.wake == at(0))
        #expect(begun(&queue, at: at(0)) == [1])
        queue.offer(2, at: at(1))
        #expect(queue.wake == nil && begun(&queue, at: at(2)).isEmpty)
        queue.ended(.succeeded, at: at(3))
        #expect(begun(&queue, at: at(3)) == [2])
        queue.ended(.succeeded, at: at(4))
        #expect(queue.isIdle && queue.superseded == 0)
    }

    @Test
    func `with latest the newest event waits, and the run has the count of those it replaced`() {
        var queue = HookQueue<Int>(HookPace())
        queue.offer(1, at: at(0))
        _ = queue.next(at: at(0))
        for element in 2...5 { queue.offer(element, at: at(element)) }
        #expect(queue.waiting == 1 && queue.superseded == 3)
        queue.ended(.succeeded, at: at(9))
        let start = queue.next(at: at(9))
        #expect(start?.element == 5 && start?.superseded == 3 && start?.offered == at(5))
        queue.offer(6, at: at(10))
        queue.ended(.succeeded, at: at(11))
        let following = queue.next(at: at(11))
        #expect(following?.superseded == 0)
    }

    @Test
    func `with all every event runs in order, and only the excess is dropped`() {
        var queue = HookQueue<Int>(HookPace(concurrency: 3, queue: .all))
        for element in 0..<HookPace.maximumWaiting + 5 { queue.offer(element, at: at(0)) }
        #expect(queue.waiting == HookPace.maximumWaiting && queue.superseded == 5)
        #expect(begun(&queue, at: at(0)) == [5, 6, 7])
        queue.ended(.succeeded, at: at(1))
        #expect(begun(&queue, at: at(1)) == [8])
    }

    @Test
    func `events lost before they were offered are reported with the next run`() {
        var queue = HookQueue<Int>(HookPace())
        queue.countLost(7)
        queue.countLost(Int.max)
        queue.countLost(-1)
        queue.offer(1, at: at(0))
        let start = queue.next(at: at(0))
        #expect(start?.superseded == Int.max)
    }

    @Test
    func `with a debounce a hook runs when no event arrived for that long`() {
        var queue = HookQueue<Int>(HookPace(debounce: .milliseconds(100)))
        queue.offer(1, at: at(0))
        #expect(queue.wake == at(100))
        queue.offer(2, at: at(60))
        #expect(queue.wake == at(160))
        #expect(begun(&queue, at: at(159)).isEmpty)
        #expect(begun(&queue, at: at(160)) == [2])
    }

    @Test
    func `events that keep coming delay a hook by three debounces at most`() {
        var queue = HookQueue<Int>(HookPace(debounce: .milliseconds(100)))
        var begun: [(Int, Int)] = []
        for time in stride(from: 0, to: 1000, by: 50) {
            queue.offer(time, at: at(time))
            if let start = queue.next(at: at(time)) {
                begun.append((time, start.element))
                queue.ended(.succeeded, at: at(time))
            }
        }
        #expect(begun.map(\.0) == [300, 650] && begun.map(\.1) == [300, 650])
    }

    @Test
    func `a hook that runs longer than its debounce runs again at once`() {
        var queue = HookQueue<Int>(HookPace(debounce: .milliseconds(100)))
        queue.offer(1, at: at(0))
        _ = queue.next(at: at(100))
        queue.offer(2, at: at(150))
        #expect(queue.wake == nil)
        queue.ended(.succeeded, at: at(900))
        #expect(begun(&queue, at: at(900)) == [2])
    }

    @Test(
        arguments: [
            (1, nil), (2, nil), (3, 1), (4, 2), (5, 4), (6, 8), (11, 256), (12, 300), (13, 300), (Int.max, 300),
        ] as [(Int, Int?)]
    )
    func `the pause after failures doubles up to its limit`(failures: Int, seconds: Int?) {
        #expect(HookBackOff.pause(after: failures) == seconds.map { .seconds($0) })
    }

    @Test
    func `a hook that keeps failing is paused, and waiting events are kept`() {
        var queue = HookQueue<Int>(HookPace())
        for failure in 1...3 {
            queue.offer(failure, at: at(0))
            #expect(begun(&queue, at: at(0)) == [failure])
            queue.ended(.failed, at: at(0))
        }
        #expect(queue.failures == 3 && queue.pausedUntil == at(1000))
        queue.offer(4, at: at(10))
        queue.offer(5, at: at(20))
        #expect(queue.wake == at(1000) && begun(&queue, at: at(999)).isEmpty)
        #expect(begun(&queue, at: at(1000)) == [5])
        queue.ended(.failed, at: at(1500))
        #expect(queue.failures == 4 && queue.pausedUntil == at(3500))
        queue.offer(6, at: at(2000))
        #expect(begun(&queue, at: at(3500)) == [6])
        queue.ended(.succeeded, at: at(3600))
        #expect(queue.failures == 0 && queue.pausedUntil == nil)
    }

    @Test
    func `a stopped run is neither a failure nor a success`() {
        var queue = HookQueue<Int>(HookPace())
        for _ in 1...3 {
            queue.offer(1, at: at(0))
            _ = queue.next(at: at(0))
            queue.ended(.failed, at: at(0))
        }
        queue.offer(2, at: at(1000))
        _ = queue.next(at: at(1000))
        queue.ended(.stopped, at: at(1000))
        #expect(queue.failures == 3 && queue.running == 0)
    }

    @Test
    func `a new pace forgets failures, keeps matching events, and counts active runs`() {
        var queue = HookQueue<Int>(HookPace(queue: .all))
        for _ in 1...3 {
            queue.offer(0, at: at(0))
            _ = queue.next(at: at(0))
            queue.ended(.failed, at: at(0))
        }
        queue.offer(1, at: at(1000))
        _ = queue.next(at: at(1000))
        for element in 2...6 { queue.offer(element, at: at(1000 + element)) }
        queue.restart(HookPace()) { $0 < 6 }
        #expect(queue.waiting == 1 && queue.superseded == 3 && queue.running == 1 && queue.pausedUntil == nil)
        #expect(begun(&queue, at: at(2000)).isEmpty)
        queue.ended(.succeeded, at: at(2000))
        #expect(begun(&queue, at: at(2000)) == [5])
    }

    @Test
    func `withdrawn events do not run`() {
        var queue = HookQueue<Int>(HookPace(queue: .all))
        #expect(queue.withdraw() == nil)
        for element in 1...4 { queue.offer(element, at: at(element)) }
        queue.countLost(5)
        let newest = queue.withdraw()
        #expect(newest?.element == 4 && newest?.offered == at(4) && newest?.superseded == 8)
        #expect(queue.isIdle && queue.wake == nil && begun(&queue, at: at(1)).isEmpty)
        queue.offer(9, at: at(2))
        #expect(begun(&queue, at: at(2)) == [9])
    }

    @Test(arguments: [HookPace.Queue.latest, .all], [[0, 1], [1, 0]])
    func `events that are put back keep their order, whichever run ends first`(waiting: HookPace.Queue, ends: [Int]) {
        var queue = HookQueue<Int>(HookPace(concurrency: 2))
        var starts: [HookQueue<Int>.Start] = []
        for element in 1...2 {
            queue.offer(element, at: at(0))
            if let start = queue.next(at: at(0)) { starts.append(start) }
        }
        queue.restart(HookPace(queue: waiting)) { _ in true }
        for number in ends where starts.indices.contains(number) {
            queue.ended(.stopped, at: at(1))
            queue.putBack(starts[number])
        }
        var elements: [Int] = []
        while let start = queue.next(at: at(2)) {
            elements.append(start.element)
            queue.ended(.succeeded, at: at(2))
        }
        #expect(elements == (waiting == .all ? [1, 2] : [2]))
        #expect(queue.superseded == (waiting == .all ? 0 : 1))
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(-5), .zero])
    func `no pace makes it trap`(debounce: Duration) {
        var queue = HookQueue<Int>(HookPace(concurrency: -3, debounce: debounce))
        queue.offer(1, at: at(0))
        let wake = queue.wake
        #expect(wake.map { $0 >= at(0) } == true)
        queue.ended(.failed, at: at(0))
        #expect(queue.running == 0)
    }
}
