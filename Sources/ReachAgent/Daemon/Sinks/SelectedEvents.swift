internal import AgentEvents
internal import EventJournal
internal import Sinks

/// The events in a range of the journal that a sink with `types` ships.
struct SelectedEvents: Sendable, Hashable {
    private static let chunkBytes = 256 << 10

    /// The number after which the range starts.
    let after: UInt64
    /// The lowest and the highest number of the selected events; `nil` if there are none.
    private(set) var numbers: ClosedRange<UInt64>?
    /// The number of the selected events.
    private(set) var count: UInt64 = 0

    /// Creates the selection of a range without events.
    init(after: UInt64) { self.after = after }

    /// Adds an event.
    mutating func add(_ sequence: UInt64) {
        numbers = min(numbers?.lowerBound ?? sequence, sequence)...max(numbers?.upperBound ?? sequence, sequence)
        count += 1
    }

    /// Reads the events up to a number, and returns the selections of the sinks.
    ///
    /// Of events whose segment is already deleted, only the lasting ones are counted: the types of the others are not
    /// known any more.
    ///
    /// - Parameter ranges: For each sink its filter, and the number after which its range starts.
    static func read(
        _ ranges: [String: (filter: Sinks.EventFilter, after: UInt64)],
        through last: UInt64,
        in directory: String
    ) -> [String: SelectedEvents] {
        var result = ranges.mapValues { SelectedEvents(after: $0.after) }
        guard let first = ranges.values.map(\.after).min(), first < last,
            let reader = try? JournalReader(directory: directory, includesHistory: true)
        else { return result }
        var cursor = reader.events(after: first, through: last)
        while let chunk = try? cursor.nextRecorded(atMost: chunkBytes) {
            for line in chunk.lines {
                // It stands for events whose types are not known.
                guard chunk.type(of: line) != .eventsOmitted else { continue }
                let type = String(decoding: chunk.bytes[line.type], as: UTF8.self)
                for (name, range) in ranges where line.sequence > range.after && range.filter.passes(type) {
                    result[name]?.add(line.sequence)
                }
            }
        }
        return result
    }
}
