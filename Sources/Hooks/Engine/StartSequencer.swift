internal import NIOCore

/// Preserves the order in which programs start, although threads check their files and start them in parallel.
///
/// A ready program waits for those before it; one that takes too long is skipped, and starts when it is ready.
struct StartSequencer<Element> {
    /// A program that can start now.
    struct Starter {
        var ticket: UInt64
        var element: Element
    }

    private enum Stage {
        case waiting
        case ready(Element)
        case starting
    }

    private var entries: CircularBuffer<(ticket: UInt64, stage: Stage)> = []
    private var nextTicket: UInt64 = 0

    /// `true` if a ready program waits for one before it.
    var isHeldUp: Bool { firstReady != nil }

    /// Takes a ticket at the end of the order.
    mutating func take() -> UInt64 {
        defer { nextTicket &+= 1 }
        entries.append((nextTicket, .waiting))
        return nextTicket
    }

    /// Marks a program as ready.
    ///
    /// - Returns: The program, if it can start now.
    mutating func ready(_ ticket: UInt64, _ element: Element) -> Starter? {
        guard let index = entries.firstIndex(where: { $0.ticket == ticket }) else {
            return Starter(ticket: ticket, element: element)
        }
        entries[index].stage = .ready(element)
        return first()
    }

    /// Marks a program as started, or abandoned.
    ///
    /// - Returns: The next program to start.
    mutating func started(_ ticket: UInt64) -> Starter? {
        guard let index = entries.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        entries.remove(at: index)
        return first()
    }

    /// Skips the programs that delay others.
    ///
    /// - Returns: The first of the others.
    mutating func passOver() -> Starter? {
        guard let index = firstReady else { return nil }
        entries.removeSubrange(entries.startIndex..<index)
        return first()
    }

    private var firstReady: CircularBuffer<(ticket: UInt64, stage: Stage)>.Index? {
        entries.firstIndex { if case .ready = $0.stage { true } else { false } }
    }

    private mutating func first() -> Starter? {
        guard let first = entries.first, case .ready(let element) = first.stage else { return nil }
        entries[entries.startIndex].stage = .starting
        return Starter(ticket: first.ticket, element: element)
    }
}
