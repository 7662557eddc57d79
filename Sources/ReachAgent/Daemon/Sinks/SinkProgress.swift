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
    /// The removed events of each sink with `types`; not kept across restarts.
    private var selections: [String: SelectedEvents] = [:]

    /// The progress without sinks.
    init(stream: String) { self.stream = stream }

    // MARK: Changes

    /// Sets the configured sinks; entries of others are removed.
    ///
    /// - Parameters:
    ///   - sinks: The sinks.
    ///   - oldest: The number of the oldest event of the journal, with which a new sink starts to ship.
    mutating func configure(_ sinks: [SinkSettings], oldest: UInt64) {
        let (former, formerSelections) = (entries, selections)
        (entries, selections) = ([:], [:])
        for sink in sinks {
            let target = sink.target
            let isFiltered = !Sinks.EventFilter(sink.types).passesAll
            if isFiltered { selections[sink.name] = SelectedEvents() }
            if let known = former[sink.name], known.target == target {
                entries[sink.name] = known
                if isFiltered, let selection = formerSelections[sink.name] { selections[sink.name] = selection }
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
        entries[name] = entry
        settle(name, through: min(sequence, newest))
    }

    private mutating func settle(_ name: String, through sequence: UInt64) {
        guard let settled = entries[name]?.settled, settled < sequence else { return }
        entries[name]?.settled = sequence
        selections[name]?.settle(through: sequence)
    }

    /// The sinks that have not shipped everything before a number, each with the number up to which nothing more can be
    /// lost.
    func unsettled(before oldest: UInt64) -> [String: UInt64] {
        entries.mapValues(\.settled).filter { oldest > 0 && $0.value < oldest - 1 }
    }

    /// The sinks with `types` of which events before a number are to be read, each with the number after which they start.
    func unread(before oldest: UInt64) -> [String: UInt64] {
        unsettled(before: oldest).reduce(into: [:]) { unread, sink in
            guard let after = selections[sink.key].map({ max($0.last, sink.value) }), after < oldest - 1 else { return }
            unread[sink.key] = after
        }
    }

    /// Records that the events before a number have left the journal.
    ///
    /// - Parameters:
    ///   - newest: The number of the newest event.
    ///   - selected: For each sink with `types` the numbers of the ``unread(before:)`` events that it ships.
    ///   - shipping: The sinks that may still ship some of them: their next reports decide.
    /// - Returns: Whether a sink has lost some of them.
    mutating func remove(
        before oldest: UInt64,
        newest: UInt64,
        selected: [String: [UInt64]] = [:],
        except shipping: Set<String> = []
    ) -> Bool {
        guard oldest > 0 else { return false }
        for (name, numbers) in selected { selections[name]?.add(numbers, through: oldest - 1) }
        var hasLost = false
        for (name, settled) in unsettled(before: oldest).sorted(by: { $0.key < $1.key })
        where !shipping.contains(name) {
            if lose(settled + 1...oldest - 1, of: name, newest: newest) { hasLost = true }
        }
        return hasLost
    }

    /// Records events that a sink did not find in the journal any more; its broker has those before them.
    ///
    /// - Parameters:
    ///   - oldest: The number of the journal's oldest event: later ones are in a damaged journal, which lacks them itself.
    ///   - newest: The number of the newest event.
    /// - Returns: Whether the sink has lost some that were not recorded before.
    mutating func expire(_ loss: SinkLoss, before oldest: UInt64, newest: UInt64) -> Bool {
        guard let settled = entries[loss.sink]?.settled, oldest > 0 else { return false }
        let (first, last) = (max(loss.firstSequence, settled + 1), min(loss.lastSequence, oldest - 1))
        guard first <= last else { return false }
        return lose(first...last, of: loss.sink, newest: newest)
    }

    /// Announces the removed events of a range, of a sink with `types` those that it ships.
    private mutating func lose(_ range: ClosedRange<UInt64>, of name: String, newest: UInt64) -> Bool {
        let loss: SinkLoss? =
            if let selection = selections[name] {
                selection.loss(of: name, in: range)
            } else {
                SinkLoss(sink: name, firstSequence: range.lowerBound, lastSequence: range.upperBound)
            }
        settle(name, through: range.upperBound)
        guard let loss else { return false }
        announce(loss, newest: newest)
        return true
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
