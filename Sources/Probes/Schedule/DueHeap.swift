/// A priority queue of due times: the earliest first, in order of insertion among equal times.
///
/// A binary heap that tracks the position of each element, so that one is moved or removed in logarithmic time and no
/// stale entries remain: the first entry is always valid.
struct DueHeap<Element: Hashable & Sendable> {
    private struct Item {
        var due: ContinuousClock.Instant
        var order: UInt64
        let element: Element

        static func < (left: Item, right: Item) -> Bool {
            left.due != right.due ? left.due < right.due : left.order < right.order
        }
    }

    private var items: [Item] = []
    private var positions: [Element: Int] = [:]
    private var additions: UInt64 = 0

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }
    /// The earliest element and its due time.
    var first: (element: Element, due: ContinuousClock.Instant)? { items.first.map { ($0.element, $0.due) } }

    /// Returns the due time of an element; nil when it is not in the heap.
    func due(of element: Element) -> ContinuousClock.Instant? { positions[element].map { items[$0].due } }

    /// Adds an element, or moves it to another time.
    mutating func set(_ element: Element, due: ContinuousClock.Instant) {
        guard let position = positions[element] else {
            additions &+= 1
            items.append(Item(due: due, order: additions, element: element))
            positions[element] = items.count - 1
            siftUp(from: items.count - 1)
            return
        }
        guard items[position].due != due else { return }
        let isEarlier = due < items[position].due
        items[position].due = due
        if isEarlier { siftUp(from: position) } else { siftDown(from: position) }
    }

    /// Removes an element if it is there.
    mutating func remove(_ element: Element) {
        guard let position = positions.removeValue(forKey: element) else { return }
        guard let last = items.popLast(), position < items.count else { return }
        let isEarlier = last < items[position]
        items[position] = last
        positions[last.element] = position
        if isEarlier { siftUp(from: position) } else { siftDown(from: position) }
    }

    /// Removes the earliest element.
    mutating func removeFirst() { if let first = items.first { remove(first.element) } }

    private mutating func siftUp(from start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard items[position] < items[parent] else { return }
            exchange(position, parent)
            position = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var position = start
        while true {
            let left = 2 * position + 1
            guard left < items.count else { return }
            let right = left + 1
            let child = right < items.count && items[right] < items[left] ? right : left
            guard items[child] < items[position] else { return }
            exchange(position, child)
            position = child
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        items.swapAt(one, other)
        positions[items[one].element] = one
        positions[items[other].element] = other
    }
}
