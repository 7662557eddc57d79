internal import AgentEvents
internal import EventJournal
internal import Sinks

/// The removed events that a sink with `types` ships, and of which it is not decided yet whether its broker has them.
///
/// A sink that ships decides within seconds, which bounds their number.
struct SelectedEvents: Sendable, Hashable {
    private static let chunkBytes = 256 << 10

    /// The number up to which the journal was read.
    private(set) var last: UInt64 = 0
    /// Their numbers, in order.
    private(set) var numbers: [UInt64] = []

    /// Adds the events that were read up to a number.
    mutating func add(_ numbers: [UInt64], through last: UInt64) {
        self.numbers += numbers.filter { $0 > self.last }
        self.last = max(self.last, last)
    }

    /// Removes those up to a number.
    mutating func settle(through settled: UInt64) { numbers.removeAll { $0 <= settled } }

    /// Returns the loss of those in a range; `nil` if there are none.
    func loss(of sink: String, in range: ClosedRange<UInt64>) -> SinkLoss? {
        let lost = numbers.filter(range.contains)
        guard let first = lost.first, let last = lost.last else { return nil }
        var loss = SinkLoss(sink: sink, firstSequence: first, lastSequence: last)
        if lost.count < loss.count { loss.matching = UInt64(lost.count) }
        return loss
    }

    /// Reads the events up to a number, and returns the numbers of those that each sink ships.
    ///
    /// Of events whose segment is already deleted, only the lasting ones are found: the types of the others are not
    /// known any more.
    ///
    /// - Parameter ranges: For each sink its filter, and the number after which its range starts.
    static func read(
        _ ranges: [String: (filter: Sinks.EventFilter, after: UInt64)],
        through last: UInt64,
        in directory: String
    ) -> [String: [UInt64]] {
        var result = ranges.mapValues { _ in [UInt64]() }
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
                    result[name]?.append(line.sequence)
                }
            }
        }
        return result
    }
}
