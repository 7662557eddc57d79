/// The memory of answers over HTTP that clients have asked for and not read, by connection.
///
/// A page is made whole before it is sent, and somebody who asks for many and reads none would have all of them kept.
struct UnreadAnswers {
    /// The number of connections of a user or host that may keep an answer of any size: one slow reader is none too many.
    static let exemptConnections = 4

    private let limit: Int
    private(set) var total = 0
    private var byOrigin: [ClientOrigin: [Int: Int]] = [:]

    /// Creates an account with a limit in bytes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// The connection that must be closed: while the total is above the limit, the one with the most bytes of the user or
    /// host with the most, of those with more connections than are exempt.
    var excess: (origin: ClientOrigin, connection: Int)? {
        guard total > limit else { return nil }
        let greediest = byOrigin.filter { $0.value.count > Self.exemptConnections }
            .max { ($0.value.values.reduce(0, +), $1.key) < ($1.value.values.reduce(0, +), $0.key) }
        let largest = greediest?.value.max { ($0.value, $1.key) < ($1.value, $0.key) }
        guard let greediest, let largest else { return nil }
        return (greediest.key, largest.key)
    }

    /// Records the number of bytes that a connection has not read.
    mutating func set(_ bytes: Int, of connection: Int, _ origin: ClientOrigin) {
        let former = byOrigin[origin]?[connection] ?? 0
        guard bytes != former else { return }
        total += bytes - former
        byOrigin[origin, default: [:]][connection] = bytes > 0 ? bytes : nil
        if byOrigin[origin]?.isEmpty == true { byOrigin[origin] = nil }
    }
}
