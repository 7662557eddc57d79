internal import AgentEvents

// The journal: the start of shipping, and the selection of the events.
extension ShippingEngine {
    /// Starts after the broker's newest event; if it has none of this device, after the cursor; otherwise with the
    /// oldest event.
    ///
    /// The cursor counts if nothing is stored: after a purge of the stream, or with a broker that cannot be queried,
    /// the events must not all be shipped again.
    mutating func resume(from stored: StreamPosition?) {
        let stored = stored.map { settleLateEvents($0) }
        guard let base = stored ?? position else {
            (lacking, sought) = ([], nil)
            begin(.shipping, in: nil, stream: nil)
            return
        }
        // The event itself comes first, for comparison, unless skipped ones are before it.
        course = .verifying(base)
        subscribe(base.epoch.stream, after: start(ofVerifying: base))
    }

    /// Determines the oldest waiting event without a connection to the broker.
    mutating func peek() {
        guard course == .idle else { return }
        course = .peeking
        subscribe(position?.epoch.stream, after: position?.sequence ?? 0)
    }

    mutating func take(_ input: JournalInput, _ now: Moment) {
        switch (input, course) {
        case (_, .idle): break
        case (.opened(let stream, let newest), _): opened(stream, newest, now)
        case (.restarted(let stream), _): restarted(stream, now)
        case (.closed, _): subscription = .reopening(at: now.instant + subscriptionRetries.next(&jitter))
        case (.event(let event), .peeking):
            guard filter.passes(event.type) else { break }
            noteOldestWaiting(event.sequence, event.time, now)
            unsubscribe()
        case (.event(let event), .verifying(let base)): verify(event, base, now)
        case (.event(let event), .skipping(let limit)):
            guard event.time <= limit else {
                course = .shipping
                return ship(event, now)
            }
            seen = (event.sequence, event.time)
            advance(to: event.sequence, event.time, now)
        case (.event(let event), .shipping): ship(event, now)
        }
    }

    /// Subscribes again after a subscription has ended.
    mutating func reopen() {
        switch course {
        case .idle: subscription = .closed
        case .peeking: subscribe(position?.epoch.stream, after: position?.sequence ?? 0)
        case .verifying(let base): subscribe(base.epoch.stream, after: start(ofVerifying: base))
        case .skipping, .shipping: subscribe(epoch?.stream, after: seen?.sequence ?? 0)
        }
    }

    mutating func unsubscribe() {
        if subscription != .closed { effects.append(.unsubscribe) }
        subscription = .closed
        course = .idle
        gaps = []
    }

    private mutating func subscribe(_ stream: String?, after sequence: UInt64) {
        newest = nil
        subscription = .open
        effects.append(.subscribe(stream: stream, after: sequence))
    }

    private mutating func opened(_ stream: String, _ newest: UInt64, _ now: Moment) {
        self.newest = newest
        subscriptionRetries.reset()
        // The answer may come from another agent process, which does not know the last report.
        reportDue = now.instant
        switch course {
        case .verifying(let base) where base.epoch.stream != stream: restarted(stream, now)
        // The event for comparison does not exist yet. An agent that has just started reports 0, and may have it.
        case .verifying(let base) where newest > 0 && newest < base.sequence: restarted(stream, now)
        case .shipping where epoch == nil:
            epoch = StreamEpoch(stream: stream)
            if epoch == nil { connectionEnded(.unusableStream, now) }
        case .shipping where epoch?.stream != stream, .skipping where epoch?.stream != stream: restarted(stream, now)
        case .idle, .peeking, .verifying, .skipping, .shipping: break
        }
    }

    /// Handles a journal whose numbers are not the expected ones.
    private mutating func restarted(_ stream: String, _ now: Moment) {
        switch course {
        case .idle: break
        case .peeking: subscribe(stream, after: 0)
        case .verifying(let base): beginAnew(stream, behind: base, now)
        case .skipping, .shipping:
            // The broker's newest event determines the start here as well.
            disconnect(.journalRestarted, retryAt: now.instant + jitter.duration(upTo: Self.spread), now)
        }
    }

    private mutating func verify(_ event: JournalEvent, _ base: StreamPosition, _ now: Moment) {
        guard event.sequence >= base.sequence else { return collect(event, behind: base) }
        guard event.sequence > base.sequence || event.time == base.time else {
            return beginAnew(base.epoch.stream, behind: base, now)
        }
        course = .shipping
        epoch = base.epoch
        seen = (base.sequence, base.time)
        sendLate(behind: base)
        noteExamined(behind: base)
        if queue.isEmpty { advance(to: base.sequence, base.time, now) }
        // Saved before a late event is sent, which may become the newest one.
        if !queue.isEmpty || !savedMissing.isEmpty { save(now) }
        // The event itself was removed because of its age, or replaced by a summary (`events.omitted`).
        if event.sequence > base.sequence { ship(event, now) }
    }

    /// Records that the cursor of a sink with `types` is beyond the broker's newest event.
    ///
    /// Late events have a bookkeeping of their own, which begins at the broker's newest event.
    private mutating func noteExamined(behind base: StreamPosition) {
        examined = 0
        guard !filter.passesAll, late == nil, let position, position.epoch == base.epoch else { return }
        // Beyond the journal's newest event, the disk was restored to an earlier state.
        if position.sequence <= newest ?? 0 { examined = position.sequence }
    }

    /// Handles a journal without the broker's newest event.
    private mutating func beginAnew(_ stream: String, behind base: StreamPosition, _ now: Moment) {
        (lacking, sought) = ([], nil)
        let former = [base.epoch, position?.epoch].compactMap(\.self).filter { $0.stream == stream }
        guard let latest = former.max(by: { $0.generation < $1.generation }) else {
            // The broker has no events of this journal.
            guard let epoch = StreamEpoch(stream: stream) else { return connectionEnded(.unusableStream, now) }
            return begin(.shipping, in: epoch, stream: stream)
        }
        // The disk was restored to an earlier state, and numbers are reused.
        guard let epoch = latest.next else { return connectionEnded(.unusableStream, now) }
        // The time of another journal's event has no meaning for this one; that of the cursor does.
        let limit = base.epoch.stream == stream ? base.time : position?.time ?? base.time
        begin(.skipping(through: limit), in: epoch, stream: stream)
    }

    /// Starts with the oldest event of the journal.
    private mutating func begin(_ course: Course, in epoch: StreamEpoch?, stream: String?) {
        self.course = course
        self.epoch = epoch
        seen = nil
        examined = 0
        subscribe(stream, after: 0)
    }

    private mutating func ship(_ event: JournalEvent, _ now: Moment) {
        guard let epoch, event.sequence > seen?.sequence ?? 0 else { return }
        if let gap = event.gap(after: max(seen?.sequence ?? 0, examined)) { noteGap(gap) }
        seen = (event.sequence, event.time)
        newest = max(newest ?? 0, event.sequence)
        guard let entry = entry(of: event, in: epoch) else {
            if queue.isEmpty { advance(to: event.sequence, event.time, now) }
            return
        }
        histories.add(epoch)
        queue.append(entry)
    }

    /// Returns an event on its way to the broker; `nil` for one that the filter leaves out.
    func entry(of event: JournalEvent, in epoch: StreamEpoch) -> ShippingQueue.Entry? {
        let type = event.type
        guard filter.passes(type) else { return nil }
        let message = SinkMessage(
            sequence: event.sequence,
            subject: template.name(device: settings.device, type: type, subject: event.subject),
            id: epoch.id(of: event.sequence),
            payload: event.line
        )
        let isAboutSinks = EventType.shortName(of: type).hasPrefix("sink.")
        return .init(message: message, time: event.time, isAboutSinks: isAboutSinks)
    }

    /// Records numbers that the journal lacks.
    private mutating func noteGap(_ gap: ClosedRange<UInt64>) {
        if gaps.count < Self.maximumLosses {
            gaps.append(gap)
        } else {
            gaps[gaps.count - 1] = gaps[gaps.count - 1].lowerBound...gap.upperBound
        }
        // Only the agent knows which numbers before the first event are older than the sink.
        guard seen != nil else { return }
        // The types of removed events are not known here; the agent reads them before it removes them.
        effects.append(filter.passesAll ? .lost(gap, .expired) : .warn(.expired(gap)))
    }

    /// Reports the gaps before an event that is at the broker.
    ///
    /// Not sooner: if the connection ends before, the agent counts everything after the last acknowledgement.
    private mutating func reportGaps(before sequence: UInt64, _ now: Moment) {
        let passed = gaps.prefix { $0.upperBound < sequence }
        guard !passed.isEmpty else { return }
        gaps.removeFirst(passed.count)
        for gap in passed {
            losses.append(
                SinkLoss(sink: settings.name, firstSequence: gap.lowerBound, lastSequence: gap.upperBound)
            )
        }
        reportDue = now.instant
    }

    /// Records that everything up to an event is at the broker, or does not concern it.
    mutating func advance(to sequence: UInt64, _ time: Timestamp, _ now: Moment) {
        guard let epoch, sequence >= examined else { return }
        position = StreamPosition(epoch: epoch, sequence: sequence, time: time)
        status.acknowledged = sequence
        reportGaps(before: sequence, now)
        reportDue = reportDue ?? max(now.instant, lastReport.map { $0 + Self.reportInterval } ?? now.instant)
    }
}

extension JournalEvent {
    /// The numbers between an event and this one; `nil` if there are none, or if the event itself declares their
    /// omission.
    fileprivate func gap(after former: UInt64) -> ClosedRange<UInt64>? {
        guard sequence > former + 1 else { return nil }
        guard let first = firstOmitted else { return former + 1...sequence - 1 }
        guard first > former + 1, first < sequence else { return nil }
        return former + 1...first - 1
    }

    /// The first of the numbers that the event declares as omitted; `nil` for any other event.
    var firstOmitted: UInt64? {
        guard type == EventType.eventsOmitted.rawValue,
            case .eventsOmitted(let omitted)? = AgentEvent(line: line)?.content
        else { return nil }
        return omitted.firstSequence
    }
}

extension TransportFailure {
    fileprivate static let unusableStream = TransportFailure(
        code: "journal_unusable",
        detail: "the name of the journal's stream cannot be part of a message"
    )
}
