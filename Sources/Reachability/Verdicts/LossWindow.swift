/// The lost checks among the last ones.
struct LossWindow: Sendable, Hashable {
    /// The maximum capacity of a window.
    static let largest = 10_000

    private let capacity: Int
    private var lost: [Bool] = []
    private var next = 0
    private var count = 0
    /// The number of the newest checks that were lost in a row.
    private(set) var lostInARow = 0

    /// Creates an empty window; a capacity below 1 counts as 1.
    init(capacity: Int) { self.capacity = min(max(1, capacity), Self.largest) }

    /// Adds a check.
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

    /// `true` once the window is full.
    var isFull: Bool { lost.count == capacity }

    /// The lost checks in percent of the whole window: missing checks count as not lost.
    var leastPercent: Double { Double(count) * 100 / Double(capacity) }
}
