/// A priority queue of due times: the earliest first, in order of insertion among equal times.
///
/// A binary heap that tracks the position of each element, so that one is moved or removed in logarithmic time and no
/// stale entries remain: the first entry is always valid. It uses an array's own members, because unoptimized code
/// looks up those of `Collection` at each call.
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
    /// The earliest element.
    var first: Element? { items.count > 0 ? items[0].element : nil }
    /// The due time of the earliest element.
    var firstDue: ContinuousClock.Instant? { items.count > 0 ? items[0].due : nil }

    /// Returns the due time of an element; nil when it is not in the heap.
    func due(of element: Element) -> ContinuousClock.Instant? { positions[element].map { items[$0].due } }

    /// Adds an element, or moves it to another time.
    mutating func set(_ element: Element, due: ContinuousClock.Instant) {
        guard let position = positions[element] else {
            additions &+= 1
            let item = Item(due: due, order: additions, element: element)
            items.append(item)
            siftUp(item, from: items.count - 1)
            return
        }
        var item = items[position]
        guard item.due != due else { return }
        let isEarlier = due < item.due
        item.due = due
        if isEarlier { siftUp(item, from: position) } else { siftDown(item, from: position) }
    }

    /// Removes an element if it is there.
    mutating func remove(_ element: Element) {
        guard let position = positions.removeValue(forKey: element) else { return }
        guard let last = items.popLast(), position < items.count else { return }
        if last < items[position] { siftUp(last, from: position) } else { siftDown(last, from: position) }
    }

    /// Removes the earliest element.
    mutating func removeFirst() { if items.count > 0 { remove(items[0].element) } }

    /// Places an item where another one may be overwritten, or above it.
    private mutating func siftUp(_ item: Item, from start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard item < items[parent] else { break }
            place(items[parent], at: position)
            position = parent
        }
        place(item, at: position)
    }

    /// Places an item where another one may be overwritten, or below it.
    private mutating func siftDown(_ item: Item, from start: Int) {
        var position = start
        while true {
            let left = 2 * position + 1
            guard left < items.count else { break }
            let right = left + 1
            let child = right < items.count && items[right] < items[left] ? right : left
            guard items[child] < item else { break }
            place(items[child], at: position)
            position = child
        }
        place(item, at: position)
    }

    private mutating func place(_ item: Item, at position: Int) {
        items[position] = item
        positions[item.element] = position
    }
}
