/// How many connections there are of each user, and whether there may be one more.
struct ConnectionLimits {
    /// Why there may be no more.
    enum Refusal: Error, Hashable {
        /// All users together have as many as they may have.
        case all(limit: Int)
        /// The user has as many as one user may have.
        case user(limit: Int)
    }

    /// The most connections.
    let total: Int
    /// The most that one user may have, unless that is root or the agent's own user.
    let perUser: Int
    /// How many are kept for root and the agent's own user.
    let reserve: Int
    private let ownUser: UInt32
    private(set) var count = 0
    private var counts: [UInt32: Int] = [:]
    /// The connections of users that have no reserve.
    private var ordinary = 0

    /// Limits for so many connections: a sixteenth for each user, and up to 64 in reserve.
    init(total: Int, ownUser: UInt32) {
        self.total = max(1, total)
        self.ownUser = ownUser
        reserve = min(64, self.total / 4)
        perUser = min(self.total - reserve, max(8, self.total / 16))
    }

    /// Counts a connection of a user, or says why there may be none.
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

    /// Forgets a connection that was counted.
    mutating func remove(_ user: UInt32) {
        guard let number = counts[user] else { return }
        counts[user] = number > 1 ? number - 1 : nil
        count -= 1
        if !isPrivileged(user) { ordinary -= 1 }
    }

    private func isPrivileged(_ user: UInt32) -> Bool { user == 0 || user == ownUser }
}
