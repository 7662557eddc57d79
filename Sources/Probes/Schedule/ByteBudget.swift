internal import CheckResults

/// The bytes used by each account on one UTC day, which a process passes on to its successor.
public struct DataUsage: Sendable, Hashable, Codable {
    /// Days since 1970-01-01.
    public var day: Int64
    /// The bytes by account.
    public var bytes: [String: Int]

    /// Creates the usage of a day.
    public init(day: Int64, bytes: [String: Int]) {
        self.day = day
        self.bytes = bytes
    }
}

/// The data budget of each account on the current UTC day.
package struct ByteBudget: Sendable {
    private static let secondsPerDay: Int64 = 86_400

    /// The divisor of a day's budget for requested checks.
    private static let requestShare = 4

    /// The bytes used on this day, by account.
    private(set) var used: [String: Int] = [:]
    /// The part of them that requested checks used.
    private var requested: [String: Int] = [:]
    private var day: Int64?
    /// The usage of an earlier process, which applies once its day is reached: a clock may start in 1970.
    private var former: DataUsage?
    private var hasChanged = false

    /// A budget of which nothing was used, but by an earlier process.
    package init(continuing former: DataUsage? = nil) { self.former = former }

    /// Counts bytes that were not used by a check.
    ///
    /// - Parameter seconds: The wall clock, in seconds since 1970.
    /// - Returns: The bytes left for today, `nil` without a budget; and the usage to save if it has changed.
    package mutating func charge(_ bytes: Int, to cost: LinkCost, seconds: Int64) -> (left: Int?, usage: DataUsage?) {
        update(seconds: seconds)
        use(bytes, of: cost.account)
        return (remaining(cost), takeChange())
    }

    /// The usage of the current day; `nil` before the first.
    package var usage: DataUsage? { day.map { DataUsage(day: $0, bytes: used) } }

    /// Starts a new day when the date has changed.
    ///
    /// A clock that is set back a little around midnight does not grant the day's budget twice.
    /// - Parameter seconds: The wall clock, in seconds since 1970.
    mutating func update(seconds: Int64) {
        var today = seconds / Self.secondsPerDay
        if seconds % Self.secondsPerDay < 0 { today -= 1 }
        if let day, today == day || today == day - 1 { return }
        if day != nil { (used, requested) = ([:], [:]) }
        day = today
        guard let former, former.day == today || former.day == today + 1 else { return }
        day = former.day
        self.former = nil
        for (account, bytes) in former.bytes { use(bytes, of: account) }
    }

    /// Returns the usage to save if it changed since the last call.
    mutating func takeChange() -> DataUsage? {
        guard hasChanged, let day else { return nil }
        hasChanged = false
        return DataUsage(day: day, bytes: used)
    }

    /// Counts bytes, saturating.
    mutating func use(_ bytes: Int, of account: String?) {
        guard let account, bytes > 0 else { return }
        Self.add(bytes, to: &used[account, default: 0])
        hasChanged = true
    }

    /// Counts bytes, already counted by ``use(_:of:)``, as those of a requested check.
    mutating func useOnRequest(_ bytes: Int, of account: String?) {
        guard let account, bytes > 0 else { return }
        Self.add(bytes, to: &requested[account, default: 0])
    }

    /// Returns whether a requested check is allowed: the requests' share of the budget is not used up.
    func allowsRequest(_ cost: LinkCost) -> Bool {
        guard let account = cost.account, let allowed = cost.bytesPerDay else { return true }
        return requested[account] ?? 0 < allowed / Self.requestShare && refusal(cost) == nil
    }

    private static func add(_ bytes: Int, to sum: inout Int) {
        let (total, isTooMuch) = sum.addingReportingOverflow(bytes)
        sum = isTooMuch ? .max : total
    }

    /// Returns the bytes left for today; nil without a budget.
    func remaining(_ cost: LinkCost) -> Int? {
        guard let account = cost.account, let allowed = cost.bytesPerDay else { return nil }
        return max(0, allowed - (used[account] ?? 0))
    }

    /// Returns the reason no check is allowed now; nil when one is.
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
