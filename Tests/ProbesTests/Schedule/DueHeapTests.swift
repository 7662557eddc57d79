import AgentTestKit
import Testing

@testable import Probes

@Suite struct DueHeapTests {
    private let start = ContinuousClock.Instant.now

    @Test func `the earliest is first, and among equals the one added first`() {
        var heap = DueHeap<String>()
        for (name, seconds) in [("c", 3), ("a", 1), ("b", 2), ("a2", 1)] {
            heap.set(name, due: start + .seconds(seconds))
        }
        #expect(drain(&heap) == ["a", "a2", "b", "c"])
    }

    @Test func `an element is moved and removed at any position`() {
        var heap = DueHeap<String>()
        for (index, name) in ["a", "b", "c", "d", "e"].enumerated() { heap.set(name, due: start + .seconds(index)) }
        heap.set("a", due: start + .seconds(10))
        heap.set("e", due: start - .seconds(1))
        heap.remove("c")
        heap.remove("nobody")
        #expect(heap.due(of: "a") == start + .seconds(10))
        #expect(heap.due(of: "c") == nil)
        #expect(drain(&heap) == ["e", "b", "d", "a"])
    }

    @Test func `random changes leave it in order`() {
        var random = SplitMix(state: 7)
        var heap = DueHeap<Int>()
        var expected: [Int: ContinuousClock.Instant] = [:]
        for _ in 0..<5000 {
            let element = Int.random(in: 0..<300, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                heap.remove(element)
                expected[element] = nil
            } else {
                let due = start + .milliseconds(Int.random(in: 0..<1000, using: &random))
                heap.set(element, due: due)
                expected[element] = due
            }
            #expect(heap.firstDue == expected.values.min())
        }
        #expect(heap.count == expected.count)
        var last = start
        while let element = heap.first, let due = heap.firstDue {
            #expect(due >= last && expected[element] == due)
            last = due
            heap.removeFirst()
        }
    }

    private func drain(_ heap: inout DueHeap<String>) -> [String] {
        var names: [String] = []
        while let name = heap.first {
            names.append(name)
            heap.removeFirst()
        }
        return names
    }
}
