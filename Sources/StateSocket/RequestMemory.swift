/// The memory of unhandled requests, by user and host.
struct RequestMemory {
    private let limit: Int
    private(set) var total = 0
    private var byUser: [ClientOrigin: Int] = [:]

    /// Creates an account with a limit in bytes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// The user or host whose requests use the most memory, while the total is above the limit.
    var greediest: ClientOrigin? {
        guard total > limit else { return nil }
        return byUser.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// Records a change of the memory of a user's requests, in bytes.
    mutating func change(_ user: ClientOrigin, by difference: Int) {
        guard difference != 0 else { return }
        total += difference
        let bytes = (byUser[user] ?? 0) + difference
        byUser[user] = bytes > 0 ? bytes : nil
    }
}
