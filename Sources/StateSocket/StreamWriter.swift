internal import AgentEvents
internal import NIOCore

/// The lines of one subscription: the events that its filter selects, in its format, and the position of its client.
///
/// A position is the number of the last event that was sent or left out by the filter. Used only on the event loop.
final class StreamWriter {
    private let connection: Connection
    private let parameters: SubscriptionParameters
    /// The stream to which the numbers belong.
    private let stream: String
    /// The number that was last written as an ID; `nil` if none was, or if it is not known.
    private var lastID: UInt64?
    /// The number of bytes that had been sent at the last heartbeat.
    private var bytesAtLastBeat = 0
    /// The answers of the filter for the types so far.
    private var passing: [EventType: Bool] = [:]

    /// Creates the writer of a subscription.
    init(_ parameters: SubscriptionParameters, of stream: String, to connection: Connection) {
        self.parameters = parameters
        self.stream = stream
        self.connection = connection
    }

    private var format: LineFormat { parameters.format }

    // MARK: Start

    /// Writes the first lines: `agent.hello`, and the snapshot if the subscription has one.
    func write(_ opening: StreamOpening, at position: UInt64) {
        var lines = ByteBufferAllocator().buffer(capacity: opening.hello.line.count + opening.snapshot.line.count + 256)
        let hasSnapshot = parameters.wantsSnapshot ?? (parameters.since == nil && parameters.sinceTime == nil)
        // A client that has got no event yet reconnects with the ID of the last line before the events.
        lines.writeLine(opening.hello.line, as: format, id: hasSnapshot ? nil : (stream, position))
        if let gap = parameters.gap { lines.writeExpiry(gap) }
        if hasSnapshot { lines.writeLine(opening.snapshot.line, as: format, id: (stream, position)) }
        lastID = position
        connection.write(lines, lines: hasSnapshot ? 2 : 1)
    }

    // MARK: Events

    /// Writes the selected lines of a chunk, from an event on; returns the number of bytes.
    func write(_ chunk: EventChunk, from start: Int) -> Int {
        guard !parameters.filter.passesEverything else { return write(start..<chunk.count, of: chunk) }
        // Consecutive lines that pass are written together.
        var (written, from) = (0, start)
        for line in start...chunk.count where line == chunk.count || !passes(line, of: chunk) {
            if from < line { written += write(from..<line, of: chunk) }
            from = line + 1
        }
        return written
    }

    private func write(_ lines: Range<Int>, of chunk: EventChunk) -> Int {
        let buffer = chunk.lines(lines, as: format, of: stream)
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

    /// Writes and sends a part of the journal.
    func write(_ part: ReplayReader.Part) {
        if part.lineCount > 0 { connection.write(part.lines, lines: part.lineCount) }
        connection.flush()
    }

    // MARK: Position

    /// Writes the position if nothing was written since the last call, or if the client does not know it: events that the
    /// filter leaves out and unnumbered events change nothing that it has seen.
    func beat(at position: UInt64) {
        defer { bytesAtLastBeat = connection.sentBytes }
        guard connection.isWritable, connection.sentBytes == bytesAtLastBeat || lastID != position else { return }
        write(position)
        connection.flush()
    }

    private func write(_ position: UInt64) {
        var lines = ByteBufferAllocator().buffer(capacity: 80)
        lines.writePosition((stream, position))
        connection.write(lines, lines: 0)
        lastID = position
    }

    // MARK: End

    /// Ends a stream that was cut off, with an event that is not numbered.
    func end(with lagged: Event, at position: UInt64) {
        var last: ByteBuffer
        switch format {
        case .plain, .serverSent:
            last = ByteBufferAllocator().buffer(capacity: lagged.line.count + 128)
            if format == .serverSent { last.writeStaticString("event: lagged\n") }
            last.writeLine(lagged.line, as: format, id: (stream, position))
        case .reply: last = ReplyLine.error(.subscriberLagged, parameters: lagged.line)
        }
        connection.end(with: last)
    }

    /// Ends a stream of replies because the journal cannot be read.
    func end(because message: String, at position: UInt64) {
        let error = ReplyLine.error(.journalUnreadable) { json in
            json.member("message", message)
            json.member("last_seq", position)
        }
        connection.end(with: error)
    }

    /// Ends a stream with the agent, or with the newest event of a history.
    func end(at position: UInt64) {
        switch format {
        case .plain: connection.end(with: nil)
        case .reply: connection.end(with: ReplyLine.error(.agentStopping) { $0.member("last_seq", position) })
        case .serverSent:
            write(position)
            connection.end(with: nil)
        }
    }
}
