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

    /// The place of the first event.
    private enum Start: Equatable {
        case afterSnapshot
        case after(UInt64)
        /// The number at this time is still to be found in the journal.
        case from(Timestamp)
        /// The number at this time in the journal, if it has one, is still to be compared with the one in the ring.
        case found(inJournal: UInt64?, from: Timestamp, newest: UInt64)
        /// There is no journal to find a number in.
        case oldestInRing
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
    let listener: BroadcastListener?

    private var start: Start
    private let hub: StreamHub
    private let intake: EventIntake
    private let connection: Connection
    private let writer: StreamWriter
    private let whenDecided: (StreamRefusal?) -> Void
    private var hasBegun = false
    private var isPumping = false
    private var replay: StreamReplay?

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
        start = parameters.since.map { .after($0) } ?? parameters.sinceTime.map { .from($0) } ?? .afterSnapshot
        listener = BroadcastListener(parameters)
        self.connection = connection
        self.hub = hub
        intake = hub.intake
        writer = StreamWriter(parameters, of: hub.agent.streamID, to: connection)
        self.whenDecided = whenDecided
    }

    // MARK: Start

    /// Creates the opening, and starts once the bus has released the events in it.
    func open() {
        if let stream = parameters.stream, !(stream == hub.agent.streamID) {
            return refuse(StreamRefusal(code: .streamChanged, parameter: .stream(hub.agent.streamID)))
        }
        if case .from(let time) = start { return find(time) }
        let opening = hub.agent.opening()
        self.opening = opening
        intake.drain()
        guard intake.hasTaken(opening.sequence) else { return hub.park(self) }
        begin(opening)
    }

    /// Finds the number before a time in the journal, and opens with it.
    private func find(_ time: Timestamp) {
        guard let source = hub.replay else {
            start = .oldestInRing
            return open()
        }
        // Events that follow have a later time.
        let newest = intake.newestReleased
        hub.work.run(for: connection.origin, unless: connection.cancellation) {
            try source.firstSequence(from: time)
        } _: { [self] result in
            guard phase == .waiting else { return }
            switch result {
            case .success(let first): start = .found(inJournal: first, from: time, newest: newest)
            case .failure(let error): return refuseAsUnreadable(error)
            }
            open()
        }
    }

    /// Starts, because the bus has released the events in the opening.
    func leaveParkingSlot() {
        guard phase == .waiting, let opening else { return }
        // The events after the snapshot were dropped during the wait: a newer one is needed.
        if start == .afterSnapshot, opening.sequence < intake.ring.newest, opening.sequence + 1 < intake.ring.first {
            return open()
        }
        begin(opening)
    }

    private func begin(_ opening: StreamOpening) {
        var since = opening.sequence
        switch start {
        case .after(let number): since = number
        case .found(let inJournal, let time, let newest):
            // A journal that could not be written lacks events that are still in memory.
            let first = min(inJournal ?? .max, intake.ring.firstSequence(from: time) ?? .max)
            since = min(first &- 1, newest)
        case .oldestInRing: since = intake.ring.first &- 1
        case .afterSnapshot where parameters.isHistory: since = 0
        case .afterSnapshot, .from:
            next = since + 1
            return acceptLive()
        }
        // A history begins with the oldest event at the earliest.
        if parameters.isHistory { since = max(since, oldestAvailable &- 1) }
        // The ring may not have got the newest events yet.
        let newest = intake.newestReleased
        guard since <= newest else { return refuse(StreamRefusal(code: .sequenceUnknown, parameter: .newest(newest))) }
        next = since + 1
        if next >= intake.ring.first { return acceptLive() }
        guard hub.replay?.oldestSequence.map({ $0 <= next }) ?? false else { return refuseAsExpired() }
        phase = .replaying
        readOn()
    }

    /// The number of the oldest event in the journal or in the ring.
    private var oldestAvailable: UInt64 { min(hub.replay?.oldestSequence ?? .max, intake.ring.first) }

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
        self.opening = nil
        writer.write(opening, at: position)
    }

    /// The number of the last event that was sent or left out by the filter.
    private var position: UInt64 { next - 1 }

    private func refuse(_ refusal: StreamRefusal) {
        phase = .ended
        whenDecided(refusal)
    }

    private func refuseAsUnreadable(_ error: any Error) {
        refuse(StreamRefusal(code: .journalUnreadable, parameter: .message(Self.message(of: error))))
    }

    private static func message(of error: any Error) -> String { "the journal cannot be read: \(error)" }

    private func refuseAsExpired() {
        refuse(StreamRefusal(code: .eventsExpired, parameter: .oldest(oldestAvailable)))
    }

    // MARK: Live

    private func goLive() {
        guard phase != .ended else { return }
        replay = nil
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
            if intake.isBehind, !isBehind { intake.drain() }
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
        while phase == .live, next < intake.ring.next {
            guard next >= intake.ring.first else { return beCutOff() }
            guard connection.isWritable else { return }
            guard written < Self.turnBytes else { return hub.turns.add(self) }
            written += writeSome()
            connection.flush()
        }
        if phase == .live, intake.isFinished || (isHistory && !intake.isBehind) { endForShutdown() }
    }

    /// `true` for a stream that ends with the newest event.
    var isHistory: Bool { parameters.isHistory }

    /// `true` if the ring has events that were not written yet.
    var isBehind: Bool { phase == .live && next < intake.ring.next }

    /// Writes chunks until the connection accepts no more; returns the number of bytes.
    private func writeSome() -> Int {
        var written = 0
        guard var index = intake.ring.index(of: next) else { return 0 }
        while connection.isWritable, written < Self.turnBytes, let chunk = intake.ring.chunk(at: index) {
            let start = Int(clamping: next - chunk.first)
            guard start < chunk.count else { break }
            written += writer.write(chunk, from: start)
            next = chunk.next
            index += 1
        }
        return written
    }

    /// Handles a heartbeat of the hub.
    func beat() {
        if phase == .live { writer.beat(at: position) }
    }

    /// Handles unnumbered events.
    func receive(_ batch: Broadcasts.Batch) {
        guard phase == .live else { return }
        listener?.write(batch, to: connection)
    }

    // MARK: Replay

    private func readOn() {
        guard phase == .replaying, replay?.isReading != true, let source = hub.replay else { return }
        replay?.stopWaiting()
        // No event has woken the event loop for this stream.
        intake.drain()
        if hasBegun, next >= intake.ring.first { return goLive() }
        let replay =
            replay
            ?? StreamReplay(source, from: next, for: parameters, to: connection, in: hub)
        self.replay = replay
        guard connection.isWritable else { return replay.awaitClient { [self] in beCutOff() } }
        let firstInRing = intake.ring.first
        replay.read { [self] result in
            guard phase == .replaying else { return }
            switch result {
            case .success(let part): take(part, of: replay, before: firstInRing)
            case .failure(let error): readingFailed(error)
            }
        }
    }

    /// Handles a journal that could not be read: unless the events are gone, the client can have them later.
    private func readingFailed(_ error: any Error) {
        guard hasBegun else {
            guard hub.replay?.oldestSequence.map({ $0 <= next }) ?? false else { return refuseAsExpired() }
            return refuseAsUnreadable(error)
        }
        // The other formats have no errors, and the line of a slow client as well makes it resume.
        guard parameters.format == .reply else { return beCutOff() }
        end()
        writer.end(because: Self.message(of: error), at: position)
    }

    private func take(_ part: ReplayReader.Part, of replay: StreamReplay, before firstInRing: UInt64) {
        if !hasBegun {
            let oldest = hub.replay?.oldestSequence ?? .max
            if part.first != next, oldest > next { return refuseAsExpired() }
            accept()
        }
        next = part.next
        writer.write(part)
        guard phase == .replaying else { return }
        if replay.isDeadEnd(at: part), next < firstInRing { next = min(firstInRing, intake.ring.first) }
        readOn()
    }

    // MARK: End

    private func beCutOff() {
        guard phase != .ended else { return }
        end()
        writer.end(with: hub.agent.lagged(lastSequence: position), at: position)
    }

    /// Writes the last line of a stream when the agent stops.
    func endForShutdown() {
        guard phase != .ended else { return }
        let hadBegun = hasBegun
        end()
        if hadBegun { writer.end(at: position) } else { connection.end(with: nil) }
    }

    /// Ends the subscription.
    func end() {
        phase = .ended
        replay?.stopWaiting()
        replay = nil
        hub.removeLive(self)
    }
}
