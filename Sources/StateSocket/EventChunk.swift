internal import AgentEvents
internal import NIOCore

/// The form of a stream's lines.
enum LineForm: Sendable {
    /// The events themselves: events.sock.
    case plain
    /// Each event as a reply's parameters: control.sock.
    case reply
    /// Each event as a server-sent event, whose id is the event's number: http.sock.
    case serverSent

    static let replyStart: StaticString = "{\"parameters\":"
    static let replyEnd: StaticString = ",\"continues\":true}\n"
    /// The member before the end, followed by a number, if unnumbered events were dropped.
    static let droppedMark: StaticString = ",\"dropped\":"
    static let idStart: StaticString = "id: "
    static let dataStart: StaticString = "data: "
    /// The size of a reply beyond its event with the `\n`, in bytes.
    static let replyOverhead = replyStart.utf8CodeUnitCount + replyEnd.utf8CodeUnitCount - 1
}

extension ByteBuffer {
    /// Writes one event in a form.
    ///
    /// - Parameters:
    ///   - text: The event, without `\n`.
    ///   - sequence: The event's number; `nil` for an unnumbered one.
    mutating func writeLine(_ text: some Collection<UInt8>, as form: LineForm, sequence: UInt64? = nil) {
        switch form {
        case .plain:
            writeBytes(text)
            writeInteger(UInt8(ascii: "\n"))
        case .reply:
            writeStaticString(LineForm.replyStart)
            writeBytes(text)
            writeStaticString(LineForm.replyEnd)
        case .serverSent:
            if let sequence {
                writeStaticString(LineForm.idStart)
                writeString(String(sequence))
                writeInteger(UInt8(ascii: "\n"))
            }
            writeStaticString(LineForm.dataStart)
            writeBytes(text)
            writeStaticString("\n\n")
        }
    }

    /// Writes one unnumbered event in a form, with the number of those dropped before it.
    mutating func writeUnnumbered(_ text: [UInt8], as form: LineForm, dropped: UInt64) {
        guard dropped > 0, form != .plain else { return writeLine(text, as: form) }
        if form == .serverSent {
            writeString(": \(dropped) dropped\n")
            return writeLine(text, as: form)
        }
        writeStaticString(LineForm.replyStart)
        writeBytes(text)
        writeStaticString(LineForm.droppedMark)
        writeString(String(dropped))
        writeStaticString(LineForm.replyEnd)
    }
}

/// Consecutive events, whose lines all subscribers share.
final class EventChunk {
    /// The maximum size of a chunk, unless one line is longer: a subscriber that hangs keeps a chunk in memory.
    static let fullSize = 32 << 10

    /// The number of the first event; the others follow without gaps.
    let first: UInt64
    /// The types of the lines.
    private(set) var types: [EventType] = []
    /// The subjects of the lines.
    private(set) var subjects: [String] = []
    /// The ends of the plain lines, with their `\n`.
    private var ends: [Int] = []
    private var plain: ByteBuffer
    /// The same lines as replies, created on demand.
    private var replies: ByteBuffer?
    /// The same lines as server-sent events, and their ends, created on demand.
    private var serverSent: (lines: ByteBuffer, ends: [Int])?

    /// Creates the first chunk of a batch of events; takes as many as fit, and at least one.
    init(_ events: inout ArraySlice<Event>, first: UInt64, maximumBytes: Int = fullSize, maximumEvents: Int = .max) {
        self.first = first
        var (size, count) = (0, 0)
        for event in events {
            size += event.line.count + 1
            guard count == 0 || (size <= maximumBytes && count < maximumEvents) else {
                size -= event.line.count + 1
                break
            }
            count += 1
        }
        plain = ByteBufferAllocator().buffer(capacity: size)
        for event in events.prefix(count) {
            plain.writeLine(event.line, as: .plain)
            ends.append(plain.writerIndex)
            types.append(event.type)
            subjects.append(event.subject)
        }
        events.removeFirst(count)
    }

    /// The number of events.
    var count: Int { ends.count }
    /// The number after the last event.
    var next: UInt64 { first + UInt64(ends.count) }
    /// The size of the plain lines, in bytes.
    var byteCount: Int { plain.writerIndex }

    /// Returns some of the lines, by their offsets in the chunk, without copying.
    func lines(_ range: Range<Int>, as form: LineForm) -> ByteBuffer {
        let (all, ends): (ByteBuffer, [Int])
        switch form {
        case .plain: (all, ends) = (plain, self.ends)
        case .reply:
            all = makeReplies()
            return all.slice(from: replyOffset(range.lowerBound), to: replyOffset(range.upperBound))
        case .serverSent: (all, ends) = makeServerSent()
        }
        func offset(_ line: Int) -> Int { line > 0 && line <= ends.count ? ends[line - 1] : 0 }
        return all.slice(from: offset(range.lowerBound), to: offset(range.upperBound))
    }

    private func replyOffset(_ line: Int) -> Int {
        line > 0 && line <= ends.count ? ends[line - 1] + line * LineForm.replyOverhead : 0
    }

    private func makeServerSent() -> (ByteBuffer, [Int]) {
        if let serverSent { return serverSent }
        var buffer = ByteBufferAllocator().buffer(capacity: plain.writerIndex + count * 32)
        var (start, sentEnds) = (0, [Int]())
        for (index, end) in ends.enumerated() {
            if let line = plain.viewBytes(at: start, length: end - 1 - start) {
                buffer.writeLine(line, as: .serverSent, sequence: first + UInt64(index))
            }
            sentEnds.append(buffer.writerIndex)
            start = end
        }
        serverSent = (buffer, sentEnds)
        return (buffer, sentEnds)
    }

    private func makeReplies() -> ByteBuffer {
        if let replies { return replies }
        var buffer = ByteBufferAllocator().buffer(capacity: replyOffset(count))
        var start = 0
        for end in ends {
            if let line = plain.viewBytes(at: start, length: end - 1 - start) { buffer.writeLine(line, as: .reply) }
            start = end
        }
        replies = buffer
        return buffer
    }
}

extension ByteBuffer {
    /// The bytes between two offsets; none where there are no such bytes.
    fileprivate func slice(from start: Int, to end: Int) -> ByteBuffer {
        getSlice(at: start, length: end - start) ?? ByteBuffer()
    }
}
