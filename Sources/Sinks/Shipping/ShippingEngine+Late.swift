internal import AgentEvents

// Events that the broker skipped: a cluster without a leader drops some of the events in flight, and a full stream
// accepts a small event after a large one. They are sent late, each of them alone, and from then on the broker's newest
// event is no longer the one with the highest number. The cursor has their numbers, because nothing else reveals them
// once this process has ended.
extension ShippingEngine {
    /// Events that reached the broker after later ones.
    struct LateEvents: Sendable, Hashable {
        var numbers: [UInt64]
        /// The newest event that the broker had before them.
        var position: StreamPosition
    }

    /// Events that the broker may lack although it has later ones, and that the journal still has to deliver.
    struct SkippedEvents: Sendable, Hashable {
        let epoch: StreamEpoch
        var numbers: [UInt64]
    }

    /// Takes over a cursor that was saved by an earlier process.
    mutating func adopt(_ cursor: SinkCursor) {
        position = cursor.position.sequence > 0 ? cursor.position : nil
        if !cursor.late.isEmpty {
            late = LateEvents(numbers: cursor.late, position: cursor.latePosition ?? cursor.position)
        }
        let numbers = cursor.missing.filter { $0 > cursor.position.sequence }
        if !numbers.isEmpty { sought = SkippedEvents(epoch: cursor.position.epoch, numbers: numbers) }
        savedMissing = Set(cursor.missing)
    }

    // MARK: - The connection

    /// Records that the newest stored event has arrived, and returns the position that counts.
    mutating func settleLateEvents(_ stored: StreamPosition) -> StreamPosition {
        lacking.removeAll { $0.message.id == stored.epoch.id(of: stored.sequence) }
        let isSought = sought?.epoch == stored.epoch
        if isSought { sought?.numbers.removeAll { $0 == stored.sequence } }
        guard let late, stored.epoch == late.position.epoch, late.numbers.contains(stored.sequence) else {
            return stored
        }
        // They were sent in order, each after the answer to the one before it.
        if isSought { sought?.numbers.removeAll { $0 < stored.sequence && late.numbers.contains($0) } }
        return late.position
    }

    /// Returns the number after which the journal is read in order to verify a position: skipped events come before it.
    func start(ofVerifying base: StreamPosition) -> UInt64 {
        let numbers = sought?.epoch == base.epoch ? sought?.numbers ?? [] : []
        return min(base.sequence, numbers.min() ?? base.sequence) - 1
    }

    /// Keeps an event before the position that is being verified, if the broker skipped it.
    mutating func collect(_ event: JournalEvent, behind base: StreamPosition) {
        guard sought?.epoch == base.epoch else { return }
        // Its summary is shipped in the place of the last one only.
        if let first = event.firstOmitted { sought?.numbers.removeAll { first <= $0 && $0 < event.sequence } }
        guard let index = sought?.numbers.firstIndex(of: event.sequence) else { return }
        sought?.numbers.remove(at: index)
        if let entry = entry(of: event, in: base.epoch) { lacking.append(entry) }
    }

    /// Puts the events that the broker skipped in front of the others.
    mutating func sendLate(behind base: StreamPosition) {
        reportExpired(behind: base)
        let passedOver = lacking.filter {
            $0.message.sequence <= base.sequence && $0.message.id == base.epoch.id(of: $0.message.sequence)
        }
        (lacking, sought) = ([], nil)
        for var entry in passedOver {
            (entry.state, entry.isLate) = (.waiting, true)
            queue.append(entry)
        }
        if let former = late, former.position != base { late = nil }
        guard !passedOver.isEmpty else { return }
        let numbers = (late?.numbers ?? []) + passedOver.map(\.message.sequence)
        late = LateEvents(numbers: Array(Set(numbers).sorted().suffix(ShippingQueue.maximumCount)), position: base)
    }

    /// Logs the skipped events that the journal does not have any more.
    private mutating func reportExpired(behind base: StreamPosition) {
        guard let sought, sought.epoch == base.epoch else { return }
        var expired: [ClosedRange<UInt64>] = []
        for number in sought.numbers.sorted() where number < base.sequence {
            if let last = expired.last, last.upperBound + 1 == number {
                expired[expired.count - 1] = last.lowerBound...number
            } else {
                expired.append(number...number)
            }
        }
        for numbers in expired { effects.append(.lost(numbers, .expired)) }
    }

    // MARK: - The cursor

    /// Requests the cursor to be saved, at most every few seconds.
    mutating func requestSave(_ now: Moment) {
        cursorDue = cursorDue ?? max(now.instant, lastSave.map { $0 + Self.saveInterval } ?? now.instant)
    }

    mutating func save(_ now: Moment) {
        (cursorDue, lastSave) = (nil, now.instant)
        let missing = missing
        guard let position = position(before: missing) else { return }
        // Once a later event is the newest, the late ones no longer count.
        let late = late.flatMap { late in
            late.position.epoch == position.epoch && late.position.sequence >= position.sequence ? late : nil
        }
        savedMissing = Set(missing)
        effects.append(
            .save(
                SinkCursor(
                    broker: status.broker,
                    device: settings.device,
                    position: position,
                    late: late?.numbers ?? [],
                    latePosition: late?.position == position ? nil : late?.position,
                    missing: missing
                )
            )
        )
    }

    /// Saves the cursor as soon as the broker has skipped events that it does not have.
    mutating func saveSkipped(_ now: Moment) {
        guard settings.mqtt == nil else { return }
        let skipped = queue.skipped
        guard !skipped.isEmpty else { return }
        if !savedMissing.isSuperset(of: skipped) {
            save(now)
        } else if savedMissing != Set(missing) {
            requestSave(now)
        }
    }

    /// Saves the cursor at the end of a connection, or of the sink, unless the file has it already.
    mutating func saveLast(_ now: Moment) {
        if cursorDue != nil || savedMissing != Set(missing) { save(now) }
    }

    /// The numbers of the events that the broker may lack although it has later ones.
    ///
    /// There are none for a broker that cannot be queried: it gets everything after the position again.
    private var missing: [UInt64] {
        guard settings.mqtt == nil else { return [] }
        let entries = course == .shipping ? queue.lacking : lacking
        return (entries.map(\.message.sequence) + (sought?.numbers ?? [])).sorted()
    }

    /// Returns the position to save: that of the same history as the missing events.
    private func position(before missing: [UInt64]) -> StreamPosition? {
        guard !missing.isEmpty, let epoch = sought?.epoch ?? epoch, position?.epoch != epoch else { return position }
        // Of this history, not even the first event is certainly at the broker.
        return StreamPosition(epoch: epoch, sequence: 0, time: Timestamp(microsecondsSince1970: 0))
    }
}
