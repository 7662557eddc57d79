internal import EventEnvelope
internal import NIOCore

/// How the lines of a stream look.
enum LineForm: Sendable {
    /// The events as they are: events.sock.
    case plain
    /// Each as a reply's parameters: control.sock.
    case reply

    static let replyStart: StaticString = "{\"parameters\":"
    static let replyEnd: StaticString = ",\"continues\":true}\n"
    /// What stands before the end, with a number behind it, where events without a number were dropped.
    static let droppedMark: StaticString = ",\"dropped\":"
    /// How many bytes a reply has more than the event in it has with its `\n`.
    static let replyOverhead = replyStart.utf8CodeUnitCount + replyEnd.utf8CodeUnitCount - 1
}

extension ByteBuffer {
    /// Writes one line in a form; `text` has no `\n`.
    mutating func writeLine(_ text: some Collection<UInt8>, as form: LineForm) {
        switch form {
        case .plain:
            writeBytes(text)
            writeInteger(UInt8(ascii: "\n"))
        case .reply:
            writeStaticString(LineForm.replyStart)
            writeBytes(text)
            writeStaticString(LineForm.replyEnd)
        }
    }
}

extension ByteBuffer {
    /// Writes one event without a number as a reply, with how many were dropped before it.
    mutating func writeReply(_ text: [UInt8], dropped: UInt64) {
        guard dropped > 0 else { return writeLine(text, as: .reply) }
        writeStaticString(LineForm.replyStart)
        writeBytes(text)
        writeStaticString(LineForm.droppedMark)
        writeString(String(dropped))
        writeStaticString(LineForm.replyEnd)
    }
}

/// Some consecutive events, whose lines are shared by all subscribers.
final class EventChunk {
    /// A chunk is not made longer than this, unless one line is: a subscriber that hangs keeps a chunk in memory.
    static let fullSize = 32 << 10

    /// The number of the first event; the others follow without a hole.
    let first: UInt64
    /// The lines' types.
    private(set) var types: [EventType] = []
    /// The lines' subjects.
    private(set) var subjects: [String] = []
    /// Where the plain lines end, with their `\n`.
    private var ends: [Int] = []
    private var plain: ByteBuffer
    /// The same lines as replies; made when the first subscriber needs them.
    private var replies: ByteBuffer?

    /// The chunk that begins a batch of events; takes as many as fit, and at least one.
    init(_ events: inout ArraySlice<Event>, first: UInt64, mostBytes: Int = fullSize, mostEvents: Int = .max) {
        self.first = first
        var (size, count) = (0, 0)
        for event in events {
            size += event.line.count + 1
            guard count == 0 || (size <= mostBytes && count < mostEvents) else {
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

    /// How many events there are.
    var count: Int { ends.count }
    /// The number behind the last event.
    var next: UInt64 { first + UInt64(ends.count) }
    /// How many bytes the plain lines have.
    var byteCount: Int { plain.writerIndex }

    /// Some of the lines, by their offsets in the chunk; nothing is copied.
    func lines(_ range: Range<Int>, as form: LineForm) -> ByteBuffer {
        let (start, end) = (offset(range.lowerBound, form), offset(range.upperBound, form))
        let all = form == .plain ? plain : makeReplies()
        return all.getSlice(at: start, length: end - start) ?? ByteBuffer()
    }

    private func offset(_ line: Int, _ form: LineForm) -> Int {
        guard line > 0, line <= ends.count else { return 0 }
        return ends[line - 1] + (form == .plain ? 0 : line * LineForm.replyOverhead)
    }

    private func makeReplies() -> ByteBuffer {
        if let replies { return replies }
        var buffer = ByteBufferAllocator().buffer(capacity: offset(count, .reply))
        var start = 0
        for end in ends {
            if let line = plain.viewBytes(at: start, length: end - 1 - start) { buffer.writeLine(line, as: .reply) }
            start = end
        }
        replies = buffer
        return buffer
    }
}
