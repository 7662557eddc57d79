/// Which of the last checks were lost.
struct LossWindow: Sendable, Hashable {
    /// The most checks that a window holds.
    static let largest = 10_000

    private let capacity: Int
    private var lost: [Bool] = []
    private var next = 0
    private var count = 0
    /// How many of the newest checks were lost without one between them that was not.
    private(set) var lostInARow = 0

    /// An empty window; a capacity below 1 counts as 1.
    init(capacity: Int) { self.capacity = min(max(1, capacity), Self.largest) }

    /// Takes another check.
    mutating func add(isLost: Bool) {
        lostInARow = isLost ? lostInARow + 1 : 0
        if isLost { count += 1 }
        guard lost.count == capacity else {
            lost.append(isLost)
            return
        }
        if lost[next] { count -= 1 }
        lost[next] = isLost
        next = (next + 1) % capacity
    }

    /// Whether as many checks were made as the window holds.
    var isFull: Bool { lost.count == capacity }

    /// The lost checks in percent of the whole window: the checks that are missing yet count as not lost.
    var leastPercent: Double { Double(count) * 100 / Double(capacity) }
}
