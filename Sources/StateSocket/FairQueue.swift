internal import NIOCore

/// A fair queue: users and hosts take turns, and so do the elements of each.
///
/// However many elements one user has, another user's first element waits for at most one element of each user.
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
