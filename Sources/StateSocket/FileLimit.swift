internal import Glibc

/// The process's limit of open files (RLIMIT_NOFILE).
public enum FileLimit {
    /// The number of files reserved for everything but the sockets' connections.
    static let reserve = 128

    /// Raises the soft limit for a number of connections, as far as the hard limit allows.
    ///
    /// It is never lowered.
    ///
    /// - Returns: The possible number of connections: fewer when the hard limit is too low.
    public static func raise(for connections: Int) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
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
