internal import Glibc

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
    /// The maximum for each user other than root and the agent's own user.
    let perUser: Int
    /// The number of connections reserved for root and the agent's own user.
    let reserve: Int
    /// The maximum for all other hosts, because a connection with TLS takes far more memory than a local one.
    let remote: Int
    /// The maximum for each other host.
    let perHost: Int
    private let ownUser: UInt32
    private(set) var count = 0
    private var counts: [ClientOrigin: Int] = [:]
    /// The number of connections of users other than root and the agent's own user.
    private var ordinary = 0
    /// The number of connections of other hosts.
    private var remoteCount = 0

    /// Creates limits for a total: a sixteenth for each user, up to 64 in reserve, and a quarter for other hosts, but
    /// at most 512, an eighth of which for each host.
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

/// The process's limit of open files (RLIMIT_NOFILE).
public enum FileLimit {
    /// The number of files reserved for everything but the sockets' connections.
    static let reserve = 128

    /// The soft limit, which applies; zero if it cannot be read.
    public static var current: UInt64 {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? UInt64(limit.rlim_cur) : 0
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)) }

    /// Raises the soft limit for a number of connections, up to the hard limit.
    ///
    /// It is never lowered.
    ///
    /// - Returns: The possible number of connections, which is lower if the hard limit is too low.
    public static func raise(for connections: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return connections }
        let wanted = rlim_t(clamping: connections) + rlim_t(reserve)
        if limit.rlim_cur < wanted {
            let former = limit.rlim_cur
            limit.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = former }
        }
        guard limit.rlim_cur < wanted else { return connections }
        return max(1, Int(clamping: limit.rlim_cur) - reserve)
    }
}
