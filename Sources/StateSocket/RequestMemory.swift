/// The memory that requests take before they are handled, by user.
struct RequestMemory {
    private let limit: Int
    private(set) var total = 0
    private var byUser: [UInt32: Int] = [:]

    /// Memory of at most so many bytes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// The user whose requests take the most, while all of them together take too much.
    var greediest: UInt32? {
        guard total > limit else { return nil }
        return byUser.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// Notes that a user's requests take so many bytes more, or fewer.
    mutating func change(_ user: UInt32, by difference: Int) {
        guard difference != 0 else { return }
        total += difference
        let bytes = (byUser[user] ?? 0) + difference
        byUser[user] = bytes > 0 ? bytes : nil
    }
}
