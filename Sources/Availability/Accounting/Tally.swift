/// The microseconds of each condition.
public struct Tally: Sendable, Hashable {
    private var microseconds = [Int64](repeating: 0, count: Condition.allCases.count)

    /// A tally of no time.
    public init() {}

    /// The microseconds of a condition.
    public subscript(_ condition: Condition) -> Int64 { microseconds[condition.index] }

    /// The time of the window.
    public var total: Int64 { microseconds.reduce(0, +) }
    /// The time that was available.
    public var available: Int64 { microseconds[0] + microseconds[1] }
    /// The time of outages.
    public var unavailable: Int64 { microseconds[2] + microseconds[3] + microseconds[4] }
    /// The time of which nothing is known.
    public var unknown: Int64 { microseconds[5...].reduce(0, +) }
    /// The time of which something is known.
    public var known: Int64 { available + unavailable }

    /// The microseconds of each of ``Condition/words``.
    public var byWord: [Int64] { microseconds[..<5] + [unknown] }

    mutating func add(_ duration: Int64, of condition: Condition) { microseconds[condition.index] += duration }

    mutating func add(_ other: Tally) {
        for index in microseconds.indices { microseconds[index] += other.microseconds[index] }
    }
}
