/// The bytes that each account used on one day of UTC: what a process hands on to the next one.
public struct DataUsage: Sendable, Hashable, Codable {
    /// Days since 1970-01-01.
    public var day: Int64
    /// The bytes by account.
    public var bytes: [String: Int]

    /// The usage of a day.
    public init(day: Int64, bytes: [String: Int]) {
        self.day = day
        self.bytes = bytes
    }
}

/// The bytes that each account used on the present day of UTC.
struct ByteBudget {
    private static let secondsPerDay: Int64 = 86_400

    /// The bytes of the day, by account.
    private(set) var used: [String: Int] = [:]
    private var day: Int64?
    /// What an earlier process has used; it counts once it is its day, as a clock may start in 1970.
    private var former: DataUsage?
    private var hasChanged = false

    init(continuing former: DataUsage? = nil) { self.former = former }

    /// Begins a new day when there is one.
    ///
    /// A clock that is set back a little around midnight does not give the day's budget a second time.
    /// - Parameter seconds: The wall clock, in seconds since 1970.
    mutating func update(seconds: Int64) {
        var today = seconds / Self.secondsPerDay
        if seconds % Self.secondsPerDay < 0 { today -= 1 }
        if let day, today == day || today == day - 1 { return }
        if day != nil { used = [:] }
        day = today
        guard let former, former.day == today || former.day == today + 1 else { return }
        day = former.day
        self.former = nil
        for (account, bytes) in former.bytes { use(bytes, of: account) }
    }

    /// The usage to keep, when there is news since the last call.
    mutating func takeChange() -> DataUsage? {
        guard hasChanged, let day else { return nil }
        hasChanged = false
        return DataUsage(day: day, bytes: used)
    }

    /// Counts bytes; never more than can be counted.
    mutating func use(_ bytes: Int, of account: String?) {
        guard let account, bytes > 0 else { return }
        let (sum, isTooMuch) = (used[account] ?? 0).addingReportingOverflow(bytes)
        used[account] = isTooMuch ? .max : sum
        hasChanged = true
    }

    /// Why no check may be made now; nil when one may.
    func refusal(_ cost: LinkCost) -> Finding? {
        guard let account = cost.account, let allowed = cost.bytesPerDay else { return nil }
        let used = used[account] ?? 0
        guard used >= allowed else { return nil }
        return Finding(
            .budgetExhausted,
            subject: account,
            evidence: "\(used) bytes were used today (UTC), and \(max(0, allowed)) are allowed in a day"
        )
    }
}
