/// The number of connections of each user and host, and the limits on them.
struct ConnectionLimits {
    /// The reason for refusing a connection.
    enum Refusal: Error, Hashable {
        /// All clients together have reached the limit.
        case all(limit: Int)
        /// The user or host has reached the limit for one.
        case user(limit: Int)
    }

    /// The maximum number of connections.
    let total: Int
    /// The maximum for one user, other than root and the agent's own user.
    let perUser: Int
    /// The number of connections reserved for root and the agent's own user.
    let reserve: Int
    /// The maximum for all other hosts: a connection with TLS takes far more memory than a local one.
    let remote: Int
    /// The maximum for one other host.
    let perHost: Int
    private let ownUser: UInt32
    private(set) var count = 0
    private var counts: [ClientOrigin: Int] = [:]
    /// The number of connections of users without a reserve.
    private var ordinary = 0
    /// The number of connections of other hosts.
    private var remoteCount = 0

    /// Creates limits for a total: a sixteenth for each user, up to 64 in reserve, and a quarter for other hosts, at most
    /// 512, of which one has an eighth.
    init(total: Int, ownUser: UInt32) {
        self.total = max(1, total)
        self.ownUser = ownUser
        reserve = min(64, self.total / 4)
        perUser = min(self.total - reserve, max(8, self.total / 16))
        remote = min(512, max(1, self.total / 4))
        perHost = min(remote, max(8, remote / 8))
    }

    /// Counts a connection, or returns the reason for refusing it.
    mutating func add(_ origin: ClientOrigin) -> Refusal? {
        guard count < total else { return .all(limit: total) }
        if !isPrivileged(origin) {
            let limit = isRemote(origin) ? perHost : perUser
            guard counts[origin] ?? 0 < limit else { return .user(limit: limit) }
            guard !isRemote(origin) || remoteCount < remote else { return .all(limit: remote) }
            guard ordinary < total - reserve else { return .all(limit: total - reserve) }
            ordinary += 1
            if isRemote(origin) { remoteCount += 1 }
        }
        counts[origin, default: 0] += 1
        count += 1
        return nil
    }

    /// Removes a counted connection.
    mutating func remove(_ origin: ClientOrigin) {
        guard let number = counts[origin] else { return }
        counts[origin] = number > 1 ? number - 1 : nil
        count -= 1
        if isPrivileged(origin) { return }
        ordinary -= 1
        if isRemote(origin) { remoteCount -= 1 }
    }

    private func isPrivileged(_ origin: ClientOrigin) -> Bool { origin == .user(0) || origin == .user(ownUser) }

    private func isRemote(_ origin: ClientOrigin) -> Bool {
        if case .host = origin { true } else { false }
    }
}
