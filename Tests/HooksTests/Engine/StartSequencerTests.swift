import Testing

@testable import Hooks

@Suite
struct StartSequencerTests {
    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]])
    func `elements that become ready in any order start in the order of their tickets`(order: [Int]) {
        var starts = StartSequencer<Int>()
        let tickets = (0..<4).map { _ in starts.take() }
        var started: [Int] = []
        for element in order {
            var starter = starts.ready(tickets[element], element)
            while let now = starter {
                started.append(now.element)
                starter = starts.started(now.ticket)
            }
        }
        #expect(started == [0, 1, 2, 3] && !starts.isHeldUp)
    }

    @Test
    func `one starts only when the one before it has been started`() {
        var starts = StartSequencer<String>()
        let tickets = (0..<2).map { _ in starts.take() }
        let first = starts.ready(tickets[0], "first")
        let second = starts.ready(tickets[1], "second")
        #expect(first?.element == "first" && second == nil && starts.isHeldUp)
        let following = starts.started(tickets[0])
        #expect(following?.element == "second" && following?.ticket == tickets[1] && !starts.isHeldUp)
    }

    @Test
    func `elements that take too long are skipped, and start when they are ready`() {
        var starts = StartSequencer<Int>()
        let tickets = (0..<4).map { _ in starts.take() }
        let early = [1, 3].map { starts.ready(tickets[$0], $0)?.element }
        #expect(early == [nil, nil] && starts.isHeldUp)
        let passed = starts.passOver()
        #expect(passed?.element == 1 && starts.isHeldUp)
        let again = starts.passOver()
        #expect(again?.element == 3 && !starts.isHeldUp)
        let nothing = starts.passOver()
        #expect(nothing == nil)
        let late = [0, 2].map { starts.ready(tickets[$0], $0)?.element }
        #expect(late == [0, 2])
        let afterwards = tickets.map { starts.started($0) == nil }
        #expect(afterwards == [true, true, true, true])
    }
}
