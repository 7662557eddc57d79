internal import AgentEvents
internal import Sinks

/// The progress of each sink: the events that its broker has, and those that it never gets.
///
/// Pure; the agent keeps it across restarts. All numbers are those of one stream. A sink's entry lasts as long as its
/// target: with another one everything is shipped again.
struct SinkProgress: Sendable, Hashable {
    /// The numbers of one sink.
    struct Entry: Sendable, Hashable, Codable {
        /// The broker.
        var broker: String
        /// The device's name.
        var device: String
        /// The number up to which the broker has all events; `nil` while that is not known.
        var acknowledged: UInt64?
        /// The time of the last acknowledgement.
        var acknowledgedTime: Timestamp?
        /// The number up to which nothing more can be lost: shipped, announced as lost, or older than the sink.
        var settled: UInt64
        /// The newest event that the broker rejected permanently.
        var refused: UInt64?
        /// The number of lost events.
        var lost: UInt64 = 0
        /// The losses of which it is not certain that they were published.
        var announcing: [Announcement] = []

        /// The target that the numbers belong to.
        var target: SinkTarget { SinkTarget(broker: broker, device: device) }

        private enum CodingKeys: String, CodingKey {
            case broker, device
            case acknowledged = "acknowledged_seq"
            case acknowledgedTime = "acknowledged_time"
            case settled = "settled_seq"
            case refused = "refused_seq"
            case lost, announcing
        }
    }

    /// A loss that is published, or about to be.
    struct Announcement: Sendable, Hashable, Codable {
        /// The loss.
        var loss: SinkLoss
        /// The number after which its event follows.
        var after: UInt64
        /// The number of its event; `nil` until it was published.
        var sequence: UInt64?

        private enum CodingKeys: String, CodingKey {
            case loss
            case after = "after_seq"
            case sequence = "seq"
        }
    }

    /// The maximum number of announcements of a sink that are not certain; a further loss widens the newest.
    static let maximumAnnouncements = 16

    /// The placeholder for the number of an event that waits for the agent's first one; only the journal has the number.
    static let queued = UInt64.max

    /// The stream that the numbers belong to.
    let stream: String
    private(set) var entries: [String: Entry] = [:]

    /// The progress without sinks.
    init(stream: String) { self.stream = stream }

    // MARK: Changes

    /// Sets the configured sinks; entries of others are removed.
    ///
    /// - Parameters:
    ///   - sinks: The sinks.
    ///   - oldest: The number of the oldest event of the journal, with which a new sink starts to ship.
    mutating func configure(_ sinks: [SinkSettings], oldest: UInt64) {
        let former = entries
        entries = [:]
        for sink in sinks {
            let target = sink.target
            if let known = former[sink.name], known.target == target {
                entries[sink.name] = known
            } else {
                entries[sink.name] = Entry(
                    broker: target.broker,
                    device: target.device,
                    settled: oldest - min(oldest, 1)
                )
            }
        }
    }

    /// Records the number up to which a broker has all events.
    mutating func acknowledge(_ sequence: UInt64, at time: Timestamp?, by name: String, newest: UInt64) {
        guard var entry = entries[name] else { return }
        entry.acknowledged = min(sequence, newest)
        entry.acknowledgedTime = time ?? entry.acknowledgedTime
        entry.settled = max(entry.settled, min(sequence, newest))
        entries[name] = entry
    }

    /// The sinks that have not shipped everything before a number, each with the number up to which nothing more can be
    /// lost.
    func unsettled(before oldest: UInt64) -> [String: UInt64] {
        entries.mapValues(\.settled).filter { oldest > 0 && $0.value < oldest - 1 }
    }

    /// Records that the events before a number have left the journal.
    ///
    /// - Parameters:
    ///   - newest: The number of the newest event.
    ///   - selected: For each sink that ships some of the events, those among the unsettled ones.
    /// - Returns: Whether a sink has lost some of them.
    mutating func remove(before oldest: UInt64, newest: UInt64, selected: [String: SelectedEvents] = [:]) -> Bool {
        var hasLost = false
        for (name, settled) in unsettled(before: oldest).sorted(by: { $0.key < $1.key }) {
            var loss = SinkLoss(sink: name, firstSequence: settled + 1, lastSequence: oldest - 1)
            if let selected = selected[name] {
                // Some were acknowledged meanwhile, so the caller counts again.
                guard selected.after == settled else { continue }
                entries[name]?.settled = oldest - 1
                guard let numbers = selected.numbers else { continue }
                (loss.firstSequence, loss.lastSequence) = (numbers.lowerBound, numbers.upperBound)
                if selected.count < loss.count { loss.matching = selected.count }
            }
            entries[name]?.settled = oldest - 1
            announce(loss, newest: newest)
            hasLost = true
        }
        return hasLost
    }

    /// Records events that a broker rejected permanently; those that were recorded before are ignored.
    ///
    /// - Returns: Whether there are any new ones.
    mutating func refuse(_ loss: SinkLoss, newest: UInt64) -> Bool {
        guard let entry = entries[loss.sink] else { return false }
        var loss = loss
        loss.firstSequence = max(loss.firstSequence, (entry.refused ?? 0) + 1)
        loss.lastSequence = min(loss.lastSequence, newest)
        guard loss.firstSequence <= loss.lastSequence else { return false }
        entries[loss.sink]?.refused = loss.lastSequence
        announce(loss, newest: newest)
        return true
    }

    private mutating func announce(_ loss: SinkLoss, newest: UInt64) {
        guard var entry = entries[loss.sink] else { return }
        entry.lost = entry.lost.saturating(adding: loss.count)
        if entry.announcing.count >= Self.maximumAnnouncements,
            let published = entry.announcing.firstIndex(where: { $0.sequence != nil })
        {
            entry.announcing.remove(at: published)
        }
        if entry.announcing.count >= Self.maximumAnnouncements {
            let newest = entry.announcing.count - 1
            entry.announcing[newest].loss.add(loss)
        } else {
            entry.announcing.append(Announcement(loss: loss, after: newest))
        }
        entries[loss.sink] = entry
    }

    // MARK: Announcements

    /// The losses that are not published yet, as far as this process knows.
    var unpublished: [Announcement] {
        entries.sorted { $0.key < $1.key }.flatMap { $0.value.announcing.filter { $0.sequence == nil } }
    }

    /// The announcements whose publication only the journal can confirm.
    var doubtful: [Announcement] { entries.sorted { $0.key < $1.key }.flatMap(\.value.announcing) }

    /// Forgets the numbers of announcements, which the journal must confirm.
    mutating func doubt() {
        for name in entries.keys {
            for index in entries[name]?.announcing.indices ?? 0..<0 { entries[name]?.announcing[index].sequence = nil }
        }
    }

    /// Records that a loss was published.
    ///
    /// - Parameter sequence: The event's number.
    mutating func published(_ loss: SinkLoss, as sequence: UInt64) {
        guard let index = entries[loss.sink]?.announcing.firstIndex(where: { $0.loss == loss }) else { return }
        entries[loss.sink]?.announcing[index].sequence = sequence
    }

    /// Records that the journal has the events up to a number: what was published by then need not be remembered.
    mutating func recorded(through sequence: UInt64) {
        for name in entries.keys {
            entries[name]?.announcing.removeAll { $0.sequence.map { $0 <= sequence } ?? false }
        }
    }
}

extension SinkLoss {
    /// Adds a later loss.
    fileprivate mutating func add(_ other: SinkLoss) {
        let sum = count.addingReportingOverflow(other.count)
        lastSequence = max(lastSequence, other.lastSequence)
        matching = nil
        if !sum.overflow, sum.partialValue < count { matching = sum.partialValue }
    }
}

// MARK: The file

extension SinkProgress: Codable {
    private enum CodingKeys: String, CodingKey {
        case stream, sinks
    }

    /// The maximum number of sinks that are read from the file.
    private static let maximumEntries = 64

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        stream = try members.decode(String.self, forKey: .stream)
        let all = try members.decode([String: Entry].self, forKey: .sinks)
        guard all.count <= Self.maximumEntries, all.values.allSatisfy(\.isPlausible) else {
            throw DecodingError.dataCorruptedError(forKey: .sinks, in: members, debugDescription: "out of bounds")
        }
        entries = all
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(stream, forKey: .stream)
        try members.encode(entries, forKey: .sinks)
    }
}

extension SinkProgress.Entry {
    /// False for numbers that no journal can have.
    fileprivate var isPlausible: Bool {
        let numbers = [acknowledged, settled, refused].compactMap(\.self)
        return numbers.allSatisfy { $0 <= UInt64(Int64.max) }
            && announcing.count <= SinkProgress.maximumAnnouncements
            && announcing.allSatisfy {
                $0.loss.count > 0 && $0.loss.lastSequence <= UInt64(Int64.max) && $0.after <= UInt64(Int64.max)
            }
    }
}
