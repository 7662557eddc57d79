internal import NIOCore

/// The events that wait until the hook directories have been read.
///
/// A directory is read on a thread of its own, because its file system may hang. One reading serves all events that were
/// there when it began. Meanwhile later events and the configured hooks wait too, so that files start first and each
/// hook gets its events in order; but only the files wait longer than ``passOver()``.
///
/// A value without a clock or a thread.
struct DirectoryQueue<Element> {
    /// An event to offer now.
    enum Offer {
        case toFiles(Element)
        case toConfigured(Element)
        /// Dropped for the files, because too many wait.
        case lost(Element)
    }

    private struct Entry {
        var element: Element
        var isForFiles: Bool
        var isForConfigured = true
    }

    /// The maximum number of waiting events; beyond it the oldest are dropped, and counted.
    static var maximumEvents: Int { HookInbox.maximumEvents }

    /// The waiting events, the first of which is for the files.
    private var entries: CircularBuffer<Entry> = []
    /// The number of events that the current reading serves.
    private var served = 0
    private var isPassedOver = false

    /// Adds an event.
    ///
    /// - Parameter isForFiles: `true` if the directories may have a hook for it.
    mutating func add(_ element: Element, isForFiles: Bool) -> [Offer] {
        let isHeld = isForFiles ? !isPassedOver : !entries.isEmpty && !isPassedOver
        if isForFiles || isHeld {
            entries.append(Entry(element: element, isForFiles: isForFiles, isForConfigured: isHeld))
        }
        return (isHeld ? [] : [.toConfigured(element)]) + trim()
    }

    /// Returns whether the directories must be read, for all events that wait now.
    mutating func beginReading() -> Bool {
        served = entries.count
        return served > 0
    }

    /// Offers what waits to the configured hooks, which no longer wait for the current reading.
    mutating func passOver() -> [Offer] {
        guard !entries.isEmpty else { return [] }
        isPassedOver = true
        var offers: [Offer] = []
        var rest: CircularBuffer<Entry> = []
        var stillServed = 0
        for (index, var entry) in entries.enumerated() {
            if entry.isForConfigured { offers.append(.toConfigured(entry.element)) }
            guard entry.isForFiles else { continue }
            entry.isForConfigured = false
            rest.append(entry)
            if index < served { stillServed += 1 }
        }
        (entries, served) = (rest, stillServed)
        return offers
    }

    /// Offers the events that the reading served, and those after them that are not for the files.
    mutating func endReading() -> [Offer] {
        var offers: [Offer] = []
        for _ in 0..<served { popFirst(&offers) { .toFiles($0) } }
        served = 0
        isPassedOver = false
        while entries.first?.isForFiles == false { popFirst(&offers) { .toFiles($0) } }
        return offers
    }

    /// Abandons the current reading, which was of other directories.
    mutating func restart() { served = 0 }

    /// Drops all events; must follow ``passOver()`` if configured hooks still need them.
    mutating func removeAll() { self = DirectoryQueue() }

    private mutating func trim() -> [Offer] {
        var offers: [Offer] = []
        while entries.count > Self.maximumEvents || entries.first?.isForFiles == false {
            popFirst(&offers) { .lost($0) }
            served = max(0, served - 1)
        }
        return offers
    }

    private mutating func popFirst(_ offers: inout [Offer], _ toFiles: (Element) -> Offer) {
        guard let entry = entries.popFirst() else { return }
        if entry.isForFiles { offers.append(toFiles(entry.element)) }
        if entry.isForConfigured { offers.append(.toConfigured(entry.element)) }
    }
}
