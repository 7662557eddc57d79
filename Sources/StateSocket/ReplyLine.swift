internal import AgentEvents
internal import NIOCore

/// The lines of control.sock that are not events.
enum ReplyLine {
    /// Returns a reply with parameters in one JSON object.
    static func success(_ parameters: [UInt8]) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: parameters.count + 20)
        buffer.writeStaticString(LineForm.replyStart)
        buffer.writeBytes(parameters)
        buffer.writeStaticString("}\n")
        return buffer
    }

    /// Returns an error for people.
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
        case .all(let limit): error("too_many_connections") { $0.member("limit", limit) }
        case .user(let limit):
            error("too_many_user_connections") { json in
                json.member("message", "\(origin) has as many connections as one may have (\(limit))")
                json.member("limit", limit)
            }
        }
    }

    /// Returns an error with parameters of its own.
    static func error(_ code: String, _ writeParameters: (inout JSONWriter) -> Void) -> ByteBuffer {
        var json = JSONWriter()
        json.object(writeParameters)
        return error(code, parameters: json.bytes)
    }

    /// Returns an error with parameters in one JSON object.
    static func error(_ code: String, parameters: [UInt8]) -> ByteBuffer {
        var json = JSONWriter()
        json.object { json in
            json.member("error", code)
            json.name("parameters")
            json.value(parameters)
        }
        var buffer = ByteBuffer(bytes: json.bytes)
        buffer.writeInteger(UInt8(ascii: "\n"))
        return buffer
    }
}
