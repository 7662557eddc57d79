internal import AgentEvents
internal import NIOCore

/// The format of a stream's lines.
enum LineFormat: Sendable {
    /// The events themselves: events.sock.
    case plain
    /// Each event as a reply's parameters: control.sock.
    case reply
    /// Each event as a server-sent event, whose ID is the stream and the event's number: http.sock.
    case serverSent

    fileprivate static let replyStart: StaticString = "{\"parameters\":"
    fileprivate static let replyEnd: StaticString = ",\"continues\":true}\n"
    /// The start of the last member, which is followed by a number, if unnumbered events were dropped.
    fileprivate static let droppedMark: StaticString = ",\"dropped\":"
    fileprivate static let idStart: StaticString = "id: "
    fileprivate static let dataStart: StaticString = "data: "
    /// The size of a reply beyond its event with the `\n`, in bytes.
    static let replyOverhead = replyStart.utf8CodeUnitCount + replyEnd.utf8CodeUnitCount - 1
}

extension ByteBuffer {
    /// Writes one event in a format.
    ///
    /// - Parameters:
    ///   - text: The event, without `\n`.
    ///   - id: The stream and the event's number; `nil` for an unnumbered one.
    mutating func writeLine(
        _ text: some Collection<UInt8>,
        as format: LineFormat,
        id: (stream: String, sequence: UInt64)? = nil
    ) {
        switch format {
        case .plain:
            writeBytes(text)
            writeInteger(UInt8(ascii: "\n"))
        case .reply:
            writeStaticString(LineFormat.replyStart)
            writeBytes(text)
            writeStaticString(LineFormat.replyEnd)
        case .serverSent:
            if let id { writeID(id) }
            writeStaticString(LineFormat.dataStart)
            writeBytes(text)
            writeStaticString("\n\n")
        }
    }

    private mutating func writeID(_ id: (stream: String, sequence: UInt64)) {
        writeStaticString(LineFormat.idStart)
        writeString(id.stream)
        writeInteger(UInt8(ascii: "-"))
        writeString(String(id.sequence))
        writeInteger(UInt8(ascii: "\n"))
    }

    /// Writes the position of a server-sent stream: a comment, and an ID without an event.
    ///
    /// A client reconnects with the ID and dispatches nothing (HTML, section 9.2.6).
    mutating func writePosition(_ id: (stream: String, sequence: UInt64)) {
        writeStaticString(":\n")
        writeID(id)
        writeInteger(UInt8(ascii: "\n"))
    }

    /// Writes the message of a server-sent stream that it starts after a gap: the error of control.sock.
    mutating func writeExpiry(_ gap: StreamGap) {
        writeStaticString("event: expired\n")
        writeStaticString(LineFormat.dataStart)
        var error = ReplyLine.error(gap.code) { $0.member("oldest_seq", gap.oldest) }
        writeBuffer(&error)
        writeInteger(UInt8(ascii: "\n"))
    }

    /// Writes one unnumbered event in a format, with the number of those dropped before it.
    mutating func writeUnnumbered(_ text: [UInt8], as format: LineFormat, dropped: UInt64) {
        guard dropped > 0, format != .plain else { return writeLine(text, as: format) }
        if format == .serverSent {
            writeString(": \(dropped) dropped\n")
            return writeLine(text, as: format)
        }
        writeStaticString(LineFormat.replyStart)
        writeBytes(text)
        writeStaticString(LineFormat.droppedMark)
        writeString(String(dropped))
        writeStaticString(LineFormat.replyEnd)
    }
}

/// The lines of control.sock that are not events.
enum ReplyLine {
    /// Returns a reply with parameters in one JSON object.
    static func success(_ parameters: [UInt8]) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: parameters.count + 20)
        buffer.writeStaticString(LineFormat.replyStart)
        buffer.writeBytes(parameters)
        buffer.writeStaticString("}\n")
        return buffer
    }

    /// Returns an error with a message for people.
    static func failure(_ failure: ControlFailure) -> ByteBuffer {
        error(failure.code) { json in
            json.member("message", failure.message)
            // Rounded up: a retry at that time must not be early by a fraction of a millisecond.
            json.member("retry_after_ms", ifPresent: failure.retryAfter) { json, time in
                let (seconds, attoseconds) = time.components
                json.number(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
            }
        }
    }

    /// Returns the line for a connection that is not admitted.
    static func refusal(_ refusal: ConnectionLimits.Refusal, of origin: ClientOrigin) -> ByteBuffer {
        switch refusal {
        case .all(let limit): error(.tooManyConnections) { $0.member("limit", limit) }
        case .user(let limit):
            error(.tooManyUserConnections) { json in
                json.member("message", "\(origin) has reached its connection limit (\(limit))")
                json.member("limit", limit)
            }
        }
    }

    /// Returns an error with additional parameters.
    static func error(_ code: RequestCode, _ writeParameters: (inout JSONWriter) -> Void) -> ByteBuffer {
        var json = JSONWriter()
        json.object(writeParameters)
        return error(code, parameters: json.bytes)
    }

    /// Returns an error with parameters in one JSON object.
    static func error(_ code: RequestCode, parameters: [UInt8]) -> ByteBuffer {
        var json = JSONWriter()
        json.object { json in
            json.member("error", code.rawValue)
            json.name("parameters")
            json.value(parameters)
        }
        var buffer = ByteBuffer(bytes: json.bytes)
        buffer.writeInteger(UInt8(ascii: "\n"))
        return buffer
    }
}
