/// A service level objective for the availability.
public struct Objective: Sendable, Hashable {
    /// Millionths of the time.
    public let millionths: Int64

    /// Reads per cent with at most four decimals, more than 0 and less than 100.
    public init?(percent text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = parts.first, !whole.isEmpty, whole.utf8.count <= 2 else {
            return nil
        }
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard (1...4).contains(decimals.utf8.count),
            (whole + decimals).utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            let value = Int64(whole + decimals + String(repeating: "0", count: 4 - decimals.utf8.count)), value > 0
        else { return nil }
        millionths = value
    }

    /// `99.5`.
    public var percent: String {
        var decimals = CivilTime.digits(Int(millionths % 10_000), 4)
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(millionths / 10_000)" + (decimals.isEmpty ? "" : "." + decimals)
    }

    /// The unavailable time that the objective allows in a known time, in microseconds.
    func budget(of known: Int64) -> Int64 { Int64(Int128(known) * Int128(1_000_000 - millionths) / 1_000_000) }
}

/// The unavailable time that an objective allows, and what is left of it.
public struct ErrorBudget: Sendable, Hashable {
    /// The objective.
    public let objective: Objective
    /// The time allowed, by the time of which something is known, in microseconds.
    public let allowed: Int64
    /// The time of outages, in microseconds.
    public let spent: Int64

    /// The budget of an account.
    public init(_ objective: Objective, of tally: Tally) {
        self.objective = objective
        allowed = objective.budget(of: tally.known)
        spent = tally.unavailable
    }

    /// The time left; negative when more was spent than allowed.
    public var left: Int64 { allowed - spent }
}
