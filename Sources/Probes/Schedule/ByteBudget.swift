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

    /// The part of a day's budget that checks on request may use: one in so many.
    private static let requestShare = 4

    /// The bytes of the day, by account.
    private(set) var used: [String: Int] = [:]
    /// Those of them that checks on request have used.
    private var requested: [String: Int] = [:]
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
        if day != nil { (used, requested) = ([:], [:]) }
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
        Self.add(bytes, to: &used[account, default: 0])
        hasChanged = true
    }

    /// Counts bytes that ``use(_:of:)`` has counted as those of a check on request.
    mutating func useOnRequest(_ bytes: Int, of account: String?) {
        guard let account, bytes > 0 else { return }
        Self.add(bytes, to: &requested[account, default: 0])
    }

    /// Whether a check may be made on request: the requests' share of the budget is not used up.
    func allowsRequest(_ cost: LinkCost) -> Bool {
        guard let account = cost.account, let allowed = cost.bytesPerDay else { return true }
        return requested[account] ?? 0 < allowed / Self.requestShare && refusal(cost) == nil
    }

    private static func add(_ bytes: Int, to sum: inout Int) {
        let (total, isTooMuch) = sum.addingReportingOverflow(bytes)
        sum = isTooMuch ? .max : total
    }

    /// The bytes that are left for today; nil without a budget.
    func remaining(_ cost: LinkCost) -> Int? {
        guard let account = cost.account, let allowed = cost.bytesPerDay else { return nil }
        return max(0, allowed - (used[account] ?? 0))
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
