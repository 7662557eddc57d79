internal import NIOCore

/// Keeps the order in which hooks are started, although their files are looked at by threads side by side.
///
/// What is ready waits for those before it; whoever takes too long is passed over, and starts when it is ready.
struct StartOrder<Element> {
    private var places: CircularBuffer<(ticket: UInt64, ready: Element?)> = []
    private var nextTicket: UInt64 = 0

    /// Whether something that is ready waits for one that is not.
    var isHeldUp: Bool { places.contains { $0.ready != nil } }

    /// Takes a place behind all others.
    mutating func take() -> UInt64 {
        defer { nextTicket &+= 1 }
        places.append((nextTicket, nil))
        return nextTicket
    }

    /// One is ready.
    ///
    /// - Returns: What can start now, in order.
    mutating func ready(_ ticket: UInt64, _ element: Element) -> [Element] {
        guard let index = places.firstIndex(where: { $0.ticket == ticket }) else { return [element] }
        places[index].ready = element
        return release()
    }

    /// Passes those over that hold up others.
    ///
    /// - Returns: What can start now, in order.
    mutating func passOver() -> [Element] {
        guard let last = places.lastIndex(where: { $0.ready != nil }) else { return [] }
        let released = places[...last].compactMap(\.ready)
        places.removeSubrange(places.startIndex...last)
        return released
    }

    private mutating func release() -> [Element] {
        var released: [Element] = []
        while let ready = places.first?.ready {
            released.append(ready)
            _ = places.popFirst()
        }
        return released
    }
}
