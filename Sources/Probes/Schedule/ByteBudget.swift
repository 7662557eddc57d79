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

    /// The maximum number of days whose usage is remembered: more than a clock steps through before it is right.
    private static let maximumFormerDays = 4

    /// The bytes used on this day, by account.
    private(set) var used: [String: Int] = [:]
    /// The part of them that requested checks used.
    private var requested: [String: Int] = [:]
    private var day: Int64?
    /// The usage of an earlier process, which applies once its day is reached: a clock may start in 1970.
    private var inherited: DataUsage?
    /// The usage of other days, which applies again on the same day: a clock may be ahead for a while.
    private var former: [DataUsage] = []
    private var hasChanged = false
    /// The bytes reserved for running checks, by job.
    private var reservations: [UInt64: Reservation] = [:]
    /// The sums of the reservations, by account.
    private var reserved: [String: Int] = [:]

    private struct Reservation {
        let account: String
        let bytes: Int
        let isTransfer: Bool
    }

    /// Creates a budget that continues the usage of an earlier process, if any.
    package init(continuing former: DataUsage? = nil) { inherited = former }

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
    package var usage: DataUsage? {
        day.map { day in
            // A process that ends abnormally leaves its transfer uncounted, so a running transfer counts in full.
            var bytes = used
            for reservation in reservations.values where reservation.isTransfer {
                Self.add(reservation.bytes, to: &bytes[reservation.account, default: 0])
            }
            return DataUsage(day: day, bytes: bytes)
        }
    }

    /// Starts a new day when the date has changed.
    ///
    /// Neither a clock that is set back a little around midnight nor one that was ahead for a while grants a day's budget
    /// twice.
    /// - Parameter seconds: The wall clock, in seconds since 1970.
    mutating func update(seconds: Int64) {
        var today = seconds / Self.secondsPerDay
        if seconds % Self.secondsPerDay < 0 { today -= 1 }
        if let day, today == day || today == day - 1 { return }
        if let day { former.append(DataUsage(day: day, bytes: used)) }
        (used, requested) = ([:], [:])
        day = today
        // A transfer at midnight counts on the new day.
        if !reservations.isEmpty { hasChanged = true }
        if let index = former.lastIndex(where: { $0.day == today }) {
            resume(former.remove(at: index))
        } else if let inherited, inherited.day == today || inherited.day == today + 1 {
            resume(inherited)
            self.inherited = nil
        }
        if former.count > Self.maximumFormerDays { former.removeFirst() }
    }

    private mutating func resume(_ usage: DataUsage) {
        day = usage.day
        for (account, bytes) in usage.bytes { use(bytes, of: account) }
    }

    /// Returns the usage to save if it changed since the last call.
    mutating func takeChange() -> DataUsage? {
        guard hasChanged, let usage else { return nil }
        hasChanged = false
        return usage
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
    ///
    /// - Parameter bytes: The bytes of a transfer, which must fit into the rest of the share; 1 for any other check.
    func allowsRequest(_ cost: LinkCost, of bytes: Int = 1) -> Bool {
        guard let account = cost.account, let allowed = cost.bytesPerDay else { return true }
        let left = max(0, allowed) / Self.requestShare - (requested[account] ?? 0)
        return left >= bytes && refusal(cost) == nil
    }

    private static func add(_ bytes: Int, to sum: inout Int) {
        let (total, isTooMuch) = sum.addingReportingOverflow(bytes)
        sum = isTooMuch ? .max : total
    }

    /// Returns the bytes left for today; nil without a budget.
    func remaining(_ cost: LinkCost) -> Int? {
        guard let account = cost.account, let allowed = cost.bytesPerDay else { return nil }
        return max(0, max(0, allowed) - taken(of: account))
    }

    /// Returns the reason no check is allowed now; nil when one is.
    func refusal(_ cost: LinkCost) -> Finding? {
        guard let account = cost.account, let allowed = cost.bytesPerDay else { return nil }
        guard taken(of: account) >= allowed else { return nil }
        let reserved = reserved[account] ?? 0
        let others = reserved == 0 ? "" : ", \(reserved) are reserved for checks under way"
        return Finding(
            .budgetExhausted,
            subject: account,
            evidence: "\(used[account] ?? 0) bytes were used today (UTC)\(others), and \(max(0, allowed)) are allowed "
                + "in a day"
        )
    }

    /// Returns the bytes that are used or reserved.
    private func taken(of account: String) -> Int {
        var bytes = used[account] ?? 0
        Self.add(reserved[account] ?? 0, to: &bytes)
        return bytes
    }
}

/// Reservations of bytes for running checks, so that all of them together never exceed the budget.
extension ByteBudget {
    /// The minimum reservation for a check: a TLS handshake and a small response.
    private static let smallCheck = 16 << 10

    /// Reserves bytes for a check: half of what is left, or a small part of it while other checks are running.
    ///
    /// - Returns: The limit of the check; nil for a link without a budget.
    mutating func reserve(forCheck job: UInt64, _ cost: LinkCost) -> Int? {
        guard let account = cost.account, let left = remaining(cost) else { return nil }
        let isAlone = !reservations.values.contains { !$0.isTransfer && $0.account == account }
        let bytes = min(left, max(isAlone ? left / 2 : left / 16, Self.smallCheck))
        set(Reservation(account: account, bytes: bytes, isTransfer: false), for: job)
        // The limit applies to the bytes of sockets; packet headers come on top.
        return bytes - (bytes + 4) / 5
    }

    /// Reserves the bytes of a transfer, or what is left of the budget.
    ///
    /// - Returns: The limit of the transfer; nil for a link without a budget.
    mutating func reserve(_ bytes: Int, forTransfer job: UInt64, _ cost: LinkCost) -> Int? {
        guard let account = cost.account, let left = remaining(cost) else { return nil }
        let bytes = min(max(0, bytes), left)
        set(Reservation(account: account, bytes: bytes, isTransfer: true), for: job)
        hasChanged = true
        return bytes
    }

    /// Ends the reservation of a check whose bytes were counted.
    mutating func release(_ job: UInt64) {
        guard let reservation = reservations.removeValue(forKey: job) else { return }
        reserved[reservation.account, default: 0] -= reservation.bytes
        if reservation.isTransfer { hasChanged = true }
    }

    /// Returns whether enough would be left for a transfer if the running checks used none of their reservations.
    func isPromising(_ bytes: Int, _ cost: LinkCost) -> Bool {
        guard let account = cost.account, let left = remaining(cost) else { return true }
        return bytes <= left + (reserved[account] ?? 0)
    }

    private mutating func set(_ reservation: Reservation, for job: UInt64) {
        release(job)
        reservations[job] = reservation
        // Cannot overflow: the bytes were left in the budget.
        reserved[reservation.account, default: 0] += reservation.bytes
    }
}
