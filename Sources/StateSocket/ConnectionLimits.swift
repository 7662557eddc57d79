/// The number of connections of each user, and the limits on them.
struct ConnectionLimits {
    /// The reason for refusing a connection.
    enum Refusal: Error, Hashable {
        /// All users together have reached the limit.
        case all(limit: Int)
        /// The user has reached the limit for one user.
        case user(limit: Int)
    }

    /// The maximum number of connections.
    let total: Int
    /// The maximum for one user, other than root and the agent's own user.
    let perUser: Int
    /// The number of connections reserved for root and the agent's own user.
    let reserve: Int
    private let ownUser: UInt32
    private(set) var count = 0
    private var counts: [UInt32: Int] = [:]
    /// The number of connections of users without a reserve.
    private var ordinary = 0

    /// Creates limits for a total: a sixteenth for each user, and up to 64 in reserve.
    init(total: Int, ownUser: UInt32) {
        self.total = max(1, total)
        self.ownUser = ownUser
        reserve = min(64, self.total / 4)
        perUser = min(self.total - reserve, max(8, self.total / 16))
    }

    /// Counts a connection of a user, or returns the reason for refusing it.
    mutating func add(_ user: UInt32) -> Refusal? {
        guard count < total else { return .all(limit: total) }
        if !isPrivileged(user) {
            guard counts[user] ?? 0 < perUser else { return .user(limit: perUser) }
            guard ordinary < total - reserve else { return .all(limit: total - reserve) }
            ordinary += 1
        }
        counts[user, default: 0] += 1
        count += 1
        return nil
    }

    /// Removes a counted connection.
    mutating func remove(_ user: UInt32) {
        guard let number = counts[user] else { return }
        counts[user] = number > 1 ? number - 1 : nil
        count -= 1
        if !isPrivileged(user) { ordinary -= 1 }
    }

    private func isPrivileged(_ user: UInt32) -> Bool { user == 0 || user == ownUser }
}
