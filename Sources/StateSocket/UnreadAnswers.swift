/// The memory of answers that clients have requested but not read, by connection.
///
/// An answer is complete before it is sent, so clients that request large ones and read none would keep all of them in
/// memory.
struct UnreadAnswers {
    /// The number of connections of a user or host that may keep an answer of any size, so that a few slow readers are
    /// never closed.
    private static let exemptConnections = 4

    private let limit: Int
    private(set) var total = 0
    private var byOrigin: [ClientOrigin: [Int: Int]] = [:]

    /// Creates an account with a limit in bytes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// The connection to close while the total is above the limit: the one with the most bytes, of the user or host
    /// with the most bytes among those with more connections than are exempt.
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

/// The unread answers of one connection, counted until its client has read them.
///
/// Used only on the event loop.
final class UnreadAnswerCounter {
    private let connection: Connection
    private let connections: ConnectionRegistry
    /// The memory of the largest unread answer, in bytes, all of which is held until its last byte has been sent.
    private var largest = 0
    private var counted = 0
    /// `true` while waiting for the client.
    private var isWaiting = false

    init(for connection: Connection, among connections: ConnectionRegistry) {
        self.connection = connection
        self.connections = connections
    }

    /// Counts an answer that was written.
    ///
    /// - Parameter memory: Its memory, in bytes.
    func add(_ memory: Int) {
        largest = counted > 0 ? max(largest, memory) : memory
        count()
    }

    private func count() {
        // A stream that follows has limits of its own.
        let unsent = connection.stream == nil ? connection.unsentBytes : 0
        let bytes = unsent > 0 ? max(unsent, largest) : 0
        if bytes != counted {
            counted = bytes
            connections.noteUnreadAnswers(bytes, of: connection)
        }
        guard bytes > 0, !isWaiting else { return }
        isWaiting = true
        connection.whenSent { [self] in
            isWaiting = false
            count()
        }
    }
}
