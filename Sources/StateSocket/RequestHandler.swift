internal import NIOCore

/// The requests of one connection, independently of the protocol.
protocol RequestHandler: AnyObject {
    /// The time since which the client owes a request: its first one, or the rest of an incomplete one.
    var owesSince: NIODeadline? { get }
    /// The memory of requests that were read but not handled, in bytes.
    var heldBytes: Int { get }

    /// Handles at most one request; returns `true` if there may be another one.
    func takeTurn() -> Bool
    /// Marks the input as closed.
    func closeInput()
    /// Continues after the connection has become writable.
    func resume()
    /// Closes the connection once everything is answered, if the client has closed its side or the agent is stopping.
    func closeIfDone()
    /// Ends the connection with an error; its input is dropped.
    func refuse(_ failure: ControlFailure)
    /// Drops the input.
    func forget()
}

extension Conversation: RequestHandler {}
extension HTTPExchange: RequestHandler {}

/// A fair queue: users and hosts take turns, and so do the elements of each.
///
/// Regardless of the number of elements of one user, another user's first element waits for at most one element of each
/// user.
struct FairQueue<Element> {
    private var users = CircularBuffer<ClientOrigin>()
    private var waiting: [ClientOrigin: CircularBuffer<Element>] = [:]

    var isEmpty: Bool { users.isEmpty }

    /// Adds an element after the user's others.
    mutating func add(_ element: Element, of user: ClientOrigin) {
        if waiting[user] == nil { users.append(user) }
        waiting[user, default: CircularBuffer()].append(element)
    }

    /// Takes the next element.
    mutating func next() -> Element? {
        guard let user = users.popFirst(), var queue = waiting.removeValue(forKey: user) else { return nil }
        let element = queue.popFirst()
        if !queue.isEmpty {
            waiting[user] = queue
            users.append(user)
        }
        return element
    }
}

/// The memory of unhandled requests, by user and host.
struct RequestMemory {
    private let limit: Int
    private(set) var total = 0
    private var byUser: [ClientOrigin: Int] = [:]

    /// Creates an account with a limit in bytes.
    init(limit: Int) { self.limit = max(1, limit) }

    /// The user or host whose requests use the most memory; `nil` unless the total is above the limit.
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
