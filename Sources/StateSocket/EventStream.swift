internal import AgentEvents
internal import ForeignText
internal import NIOCore

/// One subscription: a cursor in the stream of events, and its transition from the journal to live events.
///
/// It holds no events, only the number of the next one, so a slow subscriber needs no more memory than a fast one. Used
/// only on the event loop.
final class EventStream {
    /// The phases of a subscription.
    enum Phase: String {
        /// Waits until the bus has released the events included in its snapshot.
        case waiting
        /// Reads the journal.
        case replaying
        /// Reads the ring.
        case live
        /// Has got its last line, or is closed.
        case ended
    }

    /// The maximum number of bytes written in a turn.
    static let turnBytes = 1 << 20

    let parameters: SubscriptionParameters
    private(set) var phase = Phase.waiting
    /// The number of the next event.
    private(set) var next: UInt64 = 0
    /// Its index among the hub's live streams.
    var liveIndex: Int?
    private(set) var opening: StreamOpening?
    /// The delivery of unnumbered events; `nil` if none are selected.
    private(set) var listener: BroadcastListener?

    /// The number after which the events start; `nil` for those after the snapshot, and for a time until its number is
    /// known.
    private var since: UInt64?
    private let hub: StreamHub
    private let connection: Connection
    private let whenDecided: (StreamRefusal?) -> Void
    private var isPumping = false
    /// The number of bytes that had been sent at the last heartbeat.
    private var bytesAtLastBeat = 0
    /// The number that was last written as an ID; `nil` if none was, or if it is not known.
    private var lastID: UInt64?
    private var passing: [EventType: Bool] = [:]

    private var reader: ReplayReader?
    private var isReading = false
    /// The end of the time for a part of the replay that the client does not accept.
    private var patience: Scheduled<Void>?
    private var hasBegun = false
    /// The number of times in a row that the journal ended before the start of the ring.
    private var deadEnds = 0

    /// Creates a subscription without starting it.
    ///
    /// - Parameter whenDecided: Called once, when the subscription starts, before its first line, or is rejected.
    init(
        _ parameters: SubscriptionParameters,
        for connection: Connection,
        in hub: StreamHub,
        whenDecided: @escaping (StreamRefusal?) -> Void
    ) {
        self.parameters = parameters
        since = parameters.since
        listener = BroadcastListener(parameters)
        self.connection = connection
        self.hub = hub
        self.whenDecided = whenDecided
    }

    // MARK: Start

    /// Creates the opening, and starts once the bus has released the events in it.
    func open() {
        if let stream = parameters.stream, !(stream == hub.agent.streamID) {
            return refuse(StreamRefusal(code: .streamChanged, parameter: .stream(hub.agent.streamID)))
        }
        if let time = parameters.sinceTime, since == nil { return find(time) }
        let opening = hub.agent.opening()
        self.opening = opening
        hub.drain(completely: true)
        guard hub.hasReleased(opening.sequence) else { return hub.park(self) }
        begin(opening)
    }

    /// Finds the number before a time in the journal, and opens with it.
    private func find(_ time: Timestamp) {
        // The events that are in the ring now are in the journal too, and events that follow have a later time.
        hub.drain(completely: true)
        let newest = hub.ring.newest
        let oldest = hub.ring.first &- 1
        guard let source = hub.replay else {
            since = oldest
            return open()
        }
        hub.work.run({ try source.firstSequence(from: time) }) { [self] result in
            guard phase == .waiting else { return }
            switch result {
            case .success(let first?): since = min(first &- 1, newest)
            case .success(nil): since = newest
            case .failure: since = oldest
            }
            open()
        }
    }

    /// Starts, because the bus has released the events in the opening.
    func leaveParkingSlot() {
        guard phase == .waiting, let opening else { return }
        // The events after the snapshot were dropped during the wait: a newer one is needed.
        if since == nil, opening.sequence < hub.ring.newest, opening.sequence + 1 < hub.ring.first {
            return open()
        }
        begin(opening)
    }

    private func begin(_ opening: StreamOpening) {
        guard let since = parameters.isHistory ? historyStart : since else {
            next = opening.sequence + 1
            return acceptLive()
        }
        guard since <= hub.ring.newest else {
            return refuse(StreamRefusal(code: .sequenceUnknown, parameter: .newest(hub.ring.newest)))
        }
        next = since + 1
        if next >= hub.ring.first { return acceptLive() }
        guard hub.replay?.oldestSequence.map({ $0 <= next }) ?? false else { return refuseAsExpired() }
        phase = .replaying
        readOn()
    }

    /// The number before the first event of a history: the given one, or the one before the oldest event.
    private var historyStart: UInt64 {
        let oldest = min(hub.replay?.oldestSequence ?? hub.ring.first, hub.ring.first)
        return max(since ?? 0, oldest &- 1)
    }

    /// Starts with the events in the ring.
    private func acceptLive() {
        // Added before the first line is written: a client that has read it gets every selected event from then on.
        hub.addLive(self)
        accept()
        goLive()
    }

    private func accept() {
        guard !hasBegun, let opening else { return }
        hasBegun = true
        whenDecided(nil)
        guard !parameters.isHistory else { return }
        var lines = ByteBufferAllocator().buffer(capacity: opening.hello.line.count + opening.snapshot.line.count + 256)
        let hasSnapshot = parameters.wantsSnapshot ?? (since == nil)
        // A client that has got no event yet reconnects with the ID of the last line before the events.
        lines.writeLine(opening.hello.line, as: parameters.format, id: hasSnapshot ? nil : position)
        if let oldest = parameters.oldestAvailable { lines.writeExpiry(before: oldest) }
        if hasSnapshot { lines.writeLine(opening.snapshot.line, as: parameters.format, id: position) }
        self.opening = nil
        lastID = position.sequence
        connection.write(lines, lines: hasSnapshot ? 2 : 1)
    }

    /// The number of the last event that was sent or left out by the filter, with its stream.
    private var position: (stream: String, sequence: UInt64) { (hub.agent.streamID, next - 1) }

    private func refuse(_ refusal: StreamRefusal) {
        phase = .ended
        whenDecided(refusal)
    }

    private func refuseAsExpired() {
        let oldest = min(hub.replay?.oldestSequence ?? hub.ring.first, hub.ring.first)
        refuse(StreamRefusal(code: .eventsExpired, parameter: .oldest(oldest)))
    }

    // MARK: Live

    private func goLive() {
        guard phase != .ended else { return }
        reader = nil
        phase = .live
        hub.addLive(self)
        pump()
        connection.flush()
    }

    /// Continues after the connection has become writable.
    func resume() {
        switch phase {
        case .live:
            pump()
            // The next part of a batch may wait for this stream alone.
            if hub.isBehind, !isBehind { hub.drain() }
        case .replaying: readOn()
        case .waiting, .ended: break
        }
    }

    /// Writes events from the ring, as long as the connection accepts them.
    func pump() {
        guard phase == .live, !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        var written = 0
        while phase == .live, next < hub.ring.next {
            guard next >= hub.ring.first else { return beCutOff() }
            guard connection.isWritable else { return }
            guard written < Self.turnBytes else { return hub.turns.add(self) }
            written += writeSome()
            connection.flush()
        }
        if phase == .live, hub.isFinished || (isHistory && !hub.isBehind) { endForShutdown() }
    }

    /// `true` for a stream that ends with the newest event.
    var isHistory: Bool { parameters.isHistory }

    /// `true` if the ring has events that were not written yet.
    var isBehind: Bool { phase == .live && next < hub.ring.next }

    /// Writes chunks until the connection accepts no more; returns the number of bytes.
    private func writeSome() -> Int {
        var written = 0
        guard var index = hub.ring.index(of: next) else { return 0 }
        while connection.isWritable, written < Self.turnBytes, let chunk = hub.ring.chunk(at: index) {
            let start = Int(clamping: next - chunk.first)
            guard start < chunk.count else { break }
            if parameters.filter.passesEverything {
                written += write(start..<chunk.count, of: chunk)
            } else {
                // Consecutive lines that pass are written together.
                var from = start
                for line in start...chunk.count where line == chunk.count || !passes(line, of: chunk) {
                    if from < line { written += write(from..<line, of: chunk) }
                    from = line + 1
                }
            }
            next = chunk.next
            index += 1
        }
        return written
    }

    private func write(_ lines: Range<Int>, of chunk: EventChunk) -> Int {
        let buffer = chunk.lines(lines, as: parameters.format, of: hub.agent.streamID)
        connection.write(buffer, lines: lines.count)
        lastID = chunk.first + UInt64(lines.upperBound) - 1
        return buffer.readableBytes
    }

    private func passes(_ line: Int, of chunk: EventChunk) -> Bool {
        let type = chunk.types[line]
        let passesType: Bool
        if let known = passing[type] {
            passesType = known
        } else {
            passesType = parameters.filter.passes(type: type.rawValue.utf8)
            passing[type] = passesType
        }
        return passesType && parameters.filter.passes(subject: chunk.subjects[line])
    }

    /// Writes the position if nothing was written since the last call, or if the client does not know it: events that the
    /// filter leaves out and unnumbered events change nothing that it has seen.
    func beat() {
        defer { bytesAtLastBeat = connection.sentBytes }
        guard phase == .live, connection.isWritable else { return }
        guard connection.sentBytes == bytesAtLastBeat || lastID != position.sequence else { return }
        writePosition()
        connection.flush()
    }

    private func writePosition() {
        var lines = ByteBufferAllocator().buffer(capacity: 80)
        lines.writePosition(position)
        connection.write(lines, lines: 0)
        lastID = position.sequence
    }

    /// Handles unnumbered events.
    func receive(_ batch: Broadcasts.Batch) {
        guard phase == .live else { return }
        listener?.write(batch, to: connection)
    }

    // MARK: Replay

    private func readOn() {
        guard phase == .replaying, !isReading else { return }
        stopWaiting()
        // No event has woken the event loop for this stream, and a history ends with the newest one.
        hub.drain(completely: true)
        if hasBegun, next >= hub.ring.first { return goLive() }
        guard let source = hub.replay else { return }
        guard connection.isWritable else { return waitForClient() }
        let reader = reader ?? ReplayReader(source, of: hub.agent.streamID, from: next, for: parameters)
        self.reader = reader
        isReading = true
        let firstInRing = hub.ring.first
        hub.read(with: reader) { [self] result in
            isReading = false
            guard phase == .replaying else { return }
            switch result {
            case .success(let part): take(part, firstInRing)
            case .failure(let error): readingFailed(error)
            }
        }
    }

    /// Handles a journal that could not be read: unless the events are gone, the client can have them later.
    private func readingFailed(_ error: any Error) {
        let message = "the journal cannot be read: \(error)"
        guard hasBegun else {
            guard hub.replay?.oldestSequence.map({ $0 <= next }) ?? false else { return refuseAsExpired() }
            return refuse(StreamRefusal(code: .journalUnreadable, parameter: .message(message)))
        }
        // The other formats have no errors, and the line of a slow client as well makes it resume.
        guard parameters.format == .reply else { return beCutOff() }
        end()
        let last = position.sequence
        let error = ReplyLine.error(.journalUnreadable) { json in
            json.member("message", message)
            json.member("last_seq", last)
        }
        connection.end(with: error)
    }

    /// Limits the time until the client has accepted the last part, because the reader keeps a file open.
    private func waitForClient() {
        let stream = NIOLoopBound(self, eventLoop: hub.loop.eventLoop)
        patience = hub.loop.eventLoop.scheduleTask(in: TimeAmount(hub.configuration.replayPatience)) {
            if stream.value.phase == .replaying, stream.value.patience != nil { stream.value.beCutOff() }
        }
    }

    private func stopWaiting() {
        patience?.cancel()
        patience = nil
    }

    private func take(_ part: ReplayReader.Part, _ firstInRing: UInt64) {
        if !hasBegun {
            let oldest = hub.replay?.oldestSequence ?? .max
            if part.first != next, oldest > next { return refuseAsExpired() }
            accept()
        }
        next = part.next
        if part.lineCount > 0 { connection.write(part.lines, lines: part.lineCount) }
        connection.flush()
        guard phase == .replaying else { return }
        deadEnds = part.isEnd ? deadEnds + 1 : 0
        if deadEnds > 1, next < firstInRing {
            // The journal will never have these events: it was not writing when they were published.
            next = min(firstInRing, hub.ring.first)
            deadEnds = 0
        }
        readOn()
    }

    // MARK: End

    private func beCutOff() {
        end()
        let event = hub.agent.lagged(lastSequence: next - 1)
        var last: ByteBuffer
        switch parameters.format {
        case .plain, .serverSent:
            last = ByteBufferAllocator().buffer(capacity: event.line.count + 128)
            if parameters.format == .serverSent { last.writeStaticString("event: lagged\n") }
            last.writeLine(event.line, as: parameters.format, id: position)
        case .reply: last = ReplyLine.error(.subscriberLagged, parameters: event.line)
        }
        connection.end(with: last)
    }

    /// Writes the last line of a stream when the agent stops.
    func endForShutdown() {
        guard phase != .ended else { return }
        let hadBegun = hasBegun
        end()
        guard hadBegun else { return connection.end(with: nil) }
        switch parameters.format {
        case .plain: connection.end(with: nil)
        case .reply:
            let last = position.sequence
            connection.end(with: ReplyLine.error(.agentStopping) { $0.member("last_seq", last) })
        case .serverSent:
            writePosition()
            connection.end(with: nil)
        }
    }

    /// Ends the subscription.
    func end() {
        phase = .ended
        stopWaiting()
        hub.removeLive(self)
        reader = nil
    }
}
