internal import NIOCore

/// What waits for its turn: the users take turns, and so does what each of them has waiting.
///
/// However much of one user's waits, another's first element waits for one element of each user.
struct FairQueue<Element> {
    private var users = CircularBuffer<UInt32>()
    private var waiting: [UInt32: CircularBuffer<Element>] = [:]

    var isEmpty: Bool { users.isEmpty }

    /// Adds an element behind the user's others.
    mutating func add(_ element: Element, of user: UInt32) {
        if waiting[user] == nil { users.append(user) }
        waiting[user, default: CircularBuffer()].append(element)
    }

    /// Takes the element whose turn it is.
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
