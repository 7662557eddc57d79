internal import NIOCore

/// Keeps the order in which programs are started, although threads look at their files, and start them, side by side.
///
/// What is ready waits until those before it have been started; whoever takes too long is passed over, and starts when it
/// is ready.
struct StartOrder<Element> {
    /// One that can be started now.
    struct Starter {
        var ticket: UInt64
        var element: Element
    }

    private enum Stage {
        case waiting
        case ready(Element)
        case starting
    }

    private var places: CircularBuffer<(ticket: UInt64, stage: Stage)> = []
    private var nextTicket: UInt64 = 0

    /// Whether something that is ready waits for one before it.
    var isHeldUp: Bool { firstReady != nil }

    /// Takes a place behind all others.
    mutating func take() -> UInt64 {
        defer { nextTicket &+= 1 }
        places.append((nextTicket, .waiting))
        return nextTicket
    }

    /// One is ready.
    ///
    /// - Returns: It, if it can be started now.
    mutating func ready(_ ticket: UInt64, _ element: Element) -> Starter? {
        guard let index = places.firstIndex(where: { $0.ticket == ticket }) else {
            return Starter(ticket: ticket, element: element)
        }
        places[index].stage = .ready(element)
        return first()
    }

    /// One has been started, or never will be.
    ///
    /// - Returns: The one to start after it.
    mutating func started(_ ticket: UInt64) -> Starter? {
        guard let index = places.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        places.remove(at: index)
        return first()
    }

    /// Passes those over that hold up others.
    ///
    /// - Returns: The first of the others.
    mutating func passOver() -> Starter? {
        guard let index = firstReady else { return nil }
        places.removeSubrange(places.startIndex..<index)
        return first()
    }

    private var firstReady: CircularBuffer<(ticket: UInt64, stage: Stage)>.Index? {
        places.firstIndex { if case .ready = $0.stage { true } else { false } }
    }

    private mutating func first() -> Starter? {
        guard let first = places.first, case .ready(let element) = first.stage else { return nil }
        places[places.startIndex].stage = .starting
        return Starter(ticket: first.ticket, element: element)
    }
}

extension StartOrder: Sendable where Element: Sendable {}
extension StartOrder.Stage: Sendable where Element: Sendable {}
extension StartOrder.Starter: Sendable where Element: Sendable {}
