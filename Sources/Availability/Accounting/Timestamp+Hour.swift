internal import AgentEvents

extension Timestamp {
    static let microsecondsPerHour: Int64 = 3_600_000_000

    /// The number of its hour of UTC since 1970.
    var hour: Int64 { microsecondsSince1970.floorDivided(by: Self.microsecondsPerHour) }

    /// Creates the start of an hour of UTC from its number since 1970.
    init(hour: Int64) { self.init(microsecondsSince1970: hour &* Self.microsecondsPerHour) }
}
