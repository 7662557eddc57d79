internal import EventEnvelope
internal import ForeignText
internal import NIOCore

/// One subscription: a place in the stream of events, and the way from the journal to what is happening now.
///
/// It holds no events, only the number of the next one, so a slow subscriber costs no more memory than a quick one. Used on
/// the event loop only.
final class EventStream {
    /// How far a subscription is.
    enum Phase: String {
        /// It waits until the bus has released what its snapshot shows.
        case waiting
        /// It reads the journal.
        case replaying
        /// It takes the events from the ring.
        case live
        /// It was given its last line, or is gone.
        case ended
    }

    /// How many bytes are written at once before the others have their turn.
    static let turnBytes = 1 << 20

    let order: StreamOrder
    private(set) var phase = Phase.waiting
    /// The number of the next event.
    private(set) var next: UInt64 = 0
    /// Where it stands among the hub's live streams.
    var liveIndex: Int?
    private(set) var opening: StreamOpening?
    /// What it gets of the events without a number; `nil` when it asks for none.
    private(set) var listener: BroadcastListener?

    private let hub: StreamHub
    private let connection: Connection
    private let whenDecided: (StreamRefusal?) -> Void
    private var isPumping = false
    private var passing: [EventType: Bool] = [:]

    private var reader: ReplayReader?
    private var isReading = false
    private var hasBegun = false
    /// How often in a row the journal's end was found before the ring's beginning.
    private var deadEnds = 0

    /// A subscription that has not begun.
    ///
    /// - Parameter whenDecided: Called once, when it begins, before its first line, or is refused.
    init(
        _ order: StreamOrder,
        for connection: Connection,
        in hub: StreamHub,
        whenDecided: @escaping (StreamRefusal?) -> Void
    ) {
        self.order = order
        listener = BroadcastListener(order)
        self.connection = connection
        self.hub = hub
        self.whenDecided = whenDecided
    }

    // MARK: Beginning

    /// Asks for the opening, and begins as soon as the bus has released what it shows.
    func open() {
        if let stream = order.stream, !(stream == hub.agent.streamID) {
            return refuse(StreamRefusal(code: "stream_changed", parameter: .stream(hub.agent.streamID)))
        }
        let opening = hub.agent.opening()
        self.opening = opening
        hub.catchUp(to: max(opening.sequence, order.since ?? 0))
        guard hub.hasReleased(opening.sequence) else { return hub.park(self) }
        begin(opening)
    }

    /// Begins, now that the bus has released what the opening shows.
    func leaveParkingPlace() {
        guard phase == .waiting, let opening else { return }
        // Waiting took so long that the events after the snapshot are gone: there is a newer one.
        if order.since == nil, opening.sequence < hub.ring.newest, opening.sequence + 1 < hub.ring.first {
            return open()
        }
        begin(opening)
    }

    private func begin(_ opening: StreamOpening) {
        guard let since = order.since else {
            next = opening.sequence + 1
            return acceptLive()
        }
        guard since <= hub.ring.newest else {
            return refuse(StreamRefusal(code: "sequence_unknown", parameter: .newest(hub.ring.newest)))
        }
        next = since + 1
        if next >= hub.ring.first { return acceptLive() }
        guard hub.replay?.oldestSequence.map({ $0 <= next }) ?? false else { return refuseAsExpired() }
        phase = .replaying
        readOn()
    }

    /// Begins with what is in the ring.
    private func acceptLive() {
        // Who has read its first line is counted: what it then asks for it is told of.
        hub.addLive(self)
        accept()
        goLive()
    }

    private func accept() {
        guard !hasBegun, let opening else { return }
        hasBegun = true
        whenDecided(nil)
        var lines = ByteBufferAllocator().buffer(capacity: opening.hello.line.count + opening.snapshot.line.count + 80)
        lines.writeLine(opening.hello.line, as: order.form)
        let hasSnapshot = order.since == nil && order.wantsSnapshot
        if hasSnapshot { lines.writeLine(opening.snapshot.line, as: order.form) }
        self.opening = nil
        connection.write(lines, lines: hasSnapshot ? 2 : 1)
    }

    private func refuse(_ refusal: StreamRefusal) {
        phase = .ended
        whenDecided(refusal)
    }

    private func refuseAsExpired() {
        let oldest = min(hub.replay?.oldestSequence ?? hub.ring.first, hub.ring.first)
        refuse(StreamRefusal(code: "events_expired", parameter: .oldest(oldest)))
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

    /// Goes on after the connection became writable.
    func resume() {
        switch phase {
        case .live: pump()
        case .replaying: readOn()
        case .waiting, .ended: break
        }
    }

    /// Writes what the ring has, as long as the connection takes it.
    func pump() {
        guard phase == .live, !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        var written = 0
        while phase == .live, next < hub.ring.next {
            guard next >= hub.ring.first else { return beCutOff() }
            guard connection.isWritable else { return }
            guard written < Self.turnBytes else { return hub.pumpLater(self) }
            written += writeSome()
            connection.flush()
        }
        if phase == .live, hub.isFinished { sayGoodbye() }
    }

    /// Writes chunks until the connection has enough; gives how many bytes there were.
    private func writeSome() -> Int {
        var written = 0
        guard var index = hub.ring.index(of: next) else { return 0 }
        while connection.isWritable, written < Self.turnBytes, let chunk = hub.ring.chunk(at: index) {
            let start = Int(clamping: next - chunk.first)
            guard start < chunk.count else { break }
            if order.filter.passesEverything {
                written += write(start..<chunk.count, of: chunk)
            } else {
                // Lines in a row that pass are written as one.
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
        let buffer = chunk.lines(lines, as: order.form)
        connection.write(buffer, lines: lines.count)
        return buffer.readableBytes
    }

    private func passes(_ line: Int, of chunk: EventChunk) -> Bool {
        let type = chunk.types[line]
        let passesType: Bool
        if let known = passing[type] {
            passesType = known
        } else {
            passesType = order.filter.passes(type: type.rawValue.utf8)
            passing[type] = passesType
        }
        return passesType && order.filter.passes(subject: chunk.subjects[line])
    }

    /// Takes events without a number.
    func hear(_ batch: Broadcasts.Batch) {
        guard phase == .live else { return }
        listener?.write(batch, to: connection)
    }

    // MARK: Replaying

    private func readOn() {
        guard phase == .replaying, !isReading else { return }
        if hasBegun, next >= hub.ring.first { return goLive() }
        guard connection.isWritable, let source = hub.replay else { return }
        let reader = reader ?? ReplayReader(source, from: next, for: order)
        self.reader = reader
        isReading = true
        let firstInRing = hub.ring.first
        hub.read(with: reader) { [self] result in
            isReading = false
            guard phase == .replaying else { return }
            switch result {
            case .success(let part): take(part, firstInRing)
            case .failure: hasBegun ? beCutOff() : refuseAsExpired()
            }
        }
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
            // The journal does not have them, nor will it: it was not writing when they were published.
            next = min(firstInRing, hub.ring.first)
            deadEnds = 0
        }
        readOn()
    }

    // MARK: Ending

    private func beCutOff() {
        end()
        let event = hub.agent.lagged(lastSequence: next - 1)
        var last: ByteBuffer
        switch order.form {
        case .plain:
            last = ByteBufferAllocator().buffer(capacity: event.line.count + 1)
            last.writeLine(event.line, as: .plain)
        case .reply: last = ReplyLine.error("subscriber_lagged", parameters: event.line)
        }
        connection.end(with: last)
    }

    /// Writes the last line of a stream whose agent ends.
    func sayGoodbye() {
        guard phase != .ended else { return }
        let hadBegun = hasBegun
        end()
        guard order.form == .reply, hadBegun else { return connection.end(with: nil) }
        let last = next - 1
        connection.end(with: ReplyLine.error("agent_stopping") { $0.member("last_seq", last) })
    }

    /// Takes nothing more.
    func end() {
        phase = .ended
        hub.removeLive(self)
        reader = nil
    }
}
