import Testing

@testable import Hooks

@Suite
struct StartOrderTests {
    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]])
    func `what becomes ready in any order starts in the order of the places`(order: [Int]) {
        var starts = StartOrder<Int>()
        let tickets = (0..<4).map { _ in starts.take() }
        #expect(!starts.isHeldUp)
        let started = order.flatMap { starts.ready(tickets[$0], $0) }
        #expect(started == [0, 1, 2, 3])
        #expect(!starts.isHeldUp)
    }

    @Test
    func `one that takes too long is passed over, and starts when it is ready`() {
        var starts = StartOrder<Int>()
        let tickets = (0..<5).map { _ in starts.take() }
        let early = starts.ready(tickets[1], 1) + starts.ready(tickets[3], 3)
        #expect(early.isEmpty && starts.isHeldUp)
        let passed = starts.passOver()
        #expect(passed == [1, 3] && !starts.isHeldUp)
        let nothing = starts.passOver()
        #expect(nothing.isEmpty)
        let late = [0, 4, 2].map { starts.ready(tickets[$0], $0) }
        #expect(late == [[0], [4], [2]])
    }

    @Test
    func `places that are passed over hold up nobody who comes later`() {
        var starts = StartOrder<Int>()
        let slow = starts.take()
        let first = starts.take()
        _ = starts.ready(first, 1)
        _ = starts.passOver()
        let second = starts.take()
        let ready = starts.ready(second, 2)
        #expect(ready == [2])
        let late = starts.ready(slow, 0)
        #expect(late == [0])
    }
}
